import type { Command, Input } from "../argv/define.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const permissionRemoveCommand: Command = {
  name: "permission remove",
  summary: "Take back what was approved for good",
  doc:
    "From now on it is asked for again, also in a session that another process runs. What ran already has run. When one" +
    " of the ids is unknown, nothing is changed and the exit code is 2.",
  examples: [
    "cairn permission remove per_0123456789abcdefghijklmnop",
    "cairn permission list --project --format json | jq -r '.[].id' | xargs cairn permission remove",
  ],
  flags: [],
  args: { usage: "<id…>", doc: "Ids of approvals, as cairn permission list shows them", min: 1, max: 1_000 },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const removed = await engine.removeApprovals(input.words)
    if (!removed.ok) return setupError(io, removed.error)
    for (const { id, permission, patterns } of removed.value)
      io.stdout.write(`removed ${id}: ${sanitiseLine(`${permission} ${patterns.join(", ")}`)}\n`)
    return 0
  })
}
