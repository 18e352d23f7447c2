import type { Command, Input } from "../argv/define.ts"
import { dryRunFlag, formatFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"

export const debugGcCommand: Command = {
  name: "debug gc",
  summary: "Remove contents kept for undo that nothing needs any more",
  doc:
    "Before the agent changes a file, its content is kept in the data directory. This removes what no session names, and" +
    " above 2 GB what the sessions used longest ago name: those changes cannot be taken back then, and say so. Contents of" +
    " the last hour always stay. Cairn does the same by itself, once a day.",
  examples: ["cairn debug gc --dry-run", "cairn debug gc"],
  flags: [dryRunFlag, formatFlag],
  run,
}

function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const dryRun = input.get(dryRunFlag) ?? false
    const { before, unreferenced, evicted, strays } = await engine.collect({ dryRun })
    if (input.get(formatFlag) === "json") {
      io.stdout.write(`${JSON.stringify({ dryRun, before, unreferenced, evicted, strays }, undefined, 2)}\n`)
      return 0
    }
    const { shownSize } = await import("@cairn/core/workspace/files")
    const counted = ({ blobs, bytes }: typeof before) => `${plural(blobs, "content")}, ${shownSize(bytes)}`
    const removed = dryRun ? "would be removed" : "removed"
    io.stdout.write(`kept until now: ${counted(before)}\n`)
    io.stdout.write(`${removed}, named by no session: ${counted(unreferenced)}\n`)
    io.stdout.write(`${removed}, over the quota: ${counted(evicted)} of ${plural(evicted.sessions, "session")}\n`)
    if (strays > 0) io.stdout.write(`${removed}, half-written: ${plural(strays, "file")}\n`)
    return 0
  })
}
