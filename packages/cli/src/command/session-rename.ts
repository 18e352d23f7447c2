import type { Command, Input } from "../argv/define.ts"
import { formatFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError, usageError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

const longestTitle = 500

export const sessionRenameCommand: Command = {
  name: "session rename",
  summary: "Give a session another title",
  doc: "Also while the session runs. As json: the session as it is now.",
  examples: [`cairn session rename ses_0123456789abcdefghijklmnop "Parser: empty input"`],
  flags: [formatFlag],
  args: {
    usage: "<id> <title…>",
    doc: "Id of the session, and its title; words are joined by spaces",
    min: 2,
    max: Infinity,
    completion: "session",
  },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const [id = "", ...words] = input.words
  const title = words.join(" ").replace(/\s+/g, " ").trim()
  const wrong = title === "" ? "the title is empty" : title.length > longestTitle ? tooLong : undefined
  if (wrong !== undefined) return usageError(io, { message: wrong, command: "session rename" }, false)
  return withEngine(io, async (engine) => {
    const session = engine.updateSession(id, { title })
    if (!session) return setupError(io, unknownSession(id))
    io.stdout.write(
      input.get(formatFlag) === "json"
        ? `${JSON.stringify(session, undefined, 2)}\n`
        : `renamed ${id}  ${sanitiseLine(title)}\n`,
    )
    return 0
  })
}

const tooLong = `the title is longer than ${longestTitle} characters`
