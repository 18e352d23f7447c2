import type { FileDiffReport } from "@cairn/schema/revert"
import type { Command, Input } from "../argv/define.ts"
import { formatFlag, changedByFlag, statFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { patchLines } from "../render/diff.ts"
import { plural } from "../render/format.ts"
import { setupError } from "../report-error.ts"
import { lookOf, type Style, styleOf } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { chosenSession } from "./undo.ts"

export const sessionDiffCommand: Command = {
  name: "session diff",
  summary: "Show what a session changed in files",
  doc:
    "From the state in which the agent found each file to the one in which it left it, as a unified patch: of the whole session" +
    " (the last of this directory when none is named), or of one message with --message: a prompt stands for the steps that" +
    " answer it. What is undone is left out. As json a list of objects with file, from, status, additions, deletions and patch.",
  examples: ["cairn session diff", "cairn session diff ses_0123456789abcdefghijklmnop --stat"],
  flags: [changedByFlag, statFlag, formatFlag],
  args: { usage: "[id]", doc: "Id of the session, from cairn session list", min: 0, max: 1, completion: "session" },
  run,
}

function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const session = await chosenSession(engine, input.words[0])
    if (typeof session === "string") return setupError(io, { kind: "session", message: session })
    const messageID = input.get(changedByFlag)
    const diff = await engine.diff(session.id, { ...(messageID !== undefined && { messageID }) })
    if (!diff.ok) return setupError(io, diff.error)
    const files = diff.value
    if (input.get(formatFlag) === "json") {
      io.stdout.write(`${JSON.stringify(files, undefined, 2)}\n`)
      return 0
    }
    const style = styleOf(lookOf(io.stdout, io.env).color)
    const lines = input.get(statFlag) ? statLines(files, style) : files.flatMap(({ patch }) => patchLines(patch, style))
    if (lines.length > 0) io.stdout.write(`${lines.join("\n")}\n`)
    return 0
  })
}

function statLines(files: readonly FileDiffReport[], style: Style): string[] {
  const sum = (of: "additions" | "deletions") => files.reduce((total, file) => total + file[of], 0)
  const lines = files.map(({ file, from, status, additions, deletions }) => {
    const name = from === undefined ? file : `${from} → ${file}`
    return `${status.padEnd(8)}  ${sanitiseLine(name)}  ${style.good(`+${additions}`)} ${style.bad(`-${deletions}`)}`
  })
  return [...lines, `${plural(files.length, "file")}, +${sum("additions")} -${sum("deletions")}`]
}
