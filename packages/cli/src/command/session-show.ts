import type { Command, Input } from "../argv/define.ts"
import { formatFlag, messageFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { transcript } from "../render/transcript.ts"
import { setupError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { lookOf, styleOf } from "../terminal/look.ts"

export const sessionShowCommand: Command = {
  name: "session show",
  summary: "Print a session as a transcript",
  doc: "As json: an object with the session as `info` and its messages with their parts as `messages`, oldest first.",
  examples: [
    "cairn session show ses_0123456789abcdefghijklmnop",
    "cairn session show ses_0123456789abcdefghijklmnop --message msg_0123456789abcdefghijklmnop",
  ],
  flags: [messageFlag, formatFlag],
  args: { usage: "<id>", doc: "Id of the session, from cairn session list", min: 1, max: 1, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const id = input.words[0] ?? ""
    const session = engine.session(id)
    if (!session) return setupError(io, unknownSession(id))
    const all = engine.messages(id)
    const first = input.get(messageFlag)
    const start = first === undefined ? 0 : all.findIndex(({ info }) => info.id === first)
    if (start < 0) return setupError(io, { kind: "session", message: `The session has no message ${first}.` })
    const messages = all.slice(start)
    if (input.get(formatFlag) === "json") {
      io.stdout.write(`${JSON.stringify({ info: session, messages }, undefined, 2)}\n`)
      return 0
    }
    const look = lookOf(io.stdout, io.env)
    const view = { style: styleOf(look.color), look, directory: session.directory, diffLimit: Infinity }
    io.stdout.write(transcript(session, messages, view))
    return 0
  })
}
