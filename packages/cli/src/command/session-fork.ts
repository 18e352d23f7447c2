import type { Command, Input } from "../argv/define.ts"
import { atFlag, formatFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const sessionForkCommand: Command = {
  name: "session fork",
  summary: "Copy a session, whole or up to a message",
  doc:
    "The copy is a session of its own with the same conversation; the old one stays as it is, and so do files: only the old" +
    " session can take back what it changed. What the copied answers cost is not counted again. Prints the id of the copy; as" +
    " json the session.",
  examples: ["cairn session fork ses_0123456789abcdefghijklmnop --at msg_0123456789abcdefghijklmnop"],
  flags: [atFlag, formatFlag],
  args: { usage: "<id>", doc: "Id of the session, from cairn session list", min: 1, max: 1, completion: "session" },
  run,
}

function run(io: Io, input: Input): Promise<number> {
  const [id = ""] = input.words
  return withEngine(io, async (engine) => {
    if (!engine.session(id)) return setupError(io, unknownSession(id))
    const fork = await engine.forkSession(id, input.get(atFlag))
    if (!fork.ok) return setupError(io, fork.error)
    io.stdout.write(
      input.get(formatFlag) === "json"
        ? `${JSON.stringify(fork.value, undefined, 2)}\n`
        : `${fork.value.id}  ${sanitiseLine(fork.value.title)}\n`,
    )
    return 0
  })
}
