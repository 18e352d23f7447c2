import type { Command, Input } from "../argv/define.ts"
import { dryRunFlag, formatFlag, pathFlag, pointFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError, usageError } from "../report-error.ts"
import { carryOut } from "../run/carry-out.ts"
import { unknownSession } from "../run/choose-session.ts"

export const sessionRevertCommand: Command = {
  name: "session revert",
  summary: "Take a session back to a message or a part of one",
  doc:
    "That message or part is the first that is taken back; cairn session show --format json has the ids. Files and conversation" +
    " as with cairn undo, without a question; --path keeps the files to those paths.",
  examples: [
    "cairn session revert ses_0123456789abcdefghijklmnop --to msg_0123456789abcdefghijklmnop --dry-run",
    "cairn session revert ses_0123456789abcdefghijklmnop --to msg_0123456789abcdefghijklmnop --path src",
  ],
  flags: [pointFlag, pathFlag, dryRunFlag, formatFlag],
  args: { usage: "<id>", doc: "Id of the session, from cairn session list", min: 1, max: 1, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const [id = ""] = input.words
  const to = input.get(pointFlag)
  if (to === undefined)
    return usageError(io, { message: "say where to go back to, with --to", command: "session revert" }, false)
  const paths = input.all(pathFlag)
  return withEngine(io, async (engine) => {
    if (!engine.session(id)) return setupError(io, unknownSession(id))
    return await carryOut(io, {
      work: (dryRun) => engine.revert(id, { to, dryRun, ...(paths.length > 0 && { paths }) }),
      direction: "back",
      dryRun: input.get(dryRunFlag) ?? false,
      ask: undefined,
      json: input.get(formatFlag) === "json",
    })
  })
}
