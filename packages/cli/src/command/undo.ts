import type { Engine } from "@cairn/schema/engine"
import type { Session } from "@cairn/schema/session"
import type { Command, Input } from "../argv/define.ts"
import { dryRunFlag, formatFlag, ofSessionFlag, yesFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { carryOut } from "../run/carry-out.ts"
import { newestSession, unknownSession } from "../run/choose-session.ts"

export const undoCommand: Command = {
  name: "undo",
  summary: "Take back the last turn: its files and what was said",
  doc: [
    "Of the session of this directory that was last worked in. On a terminal it shows what it would do and asks; elsewhere" +
      " it does it at once. Again takes back the turn before; cairn redo brings back, until the next prompt.",
    "A file that still is as the agent left it goes back. What you changed in it since is kept: merged line by line, and where" +
      " both changed the same the file is left alone and named, and the exit code is 1. What commands changed goes back too, as" +
      " far as it lies in the working tree: not files of more than 10 MB (unless the command was one that destroys, such as" +
      " git clean or rm: then up to 2 GB), directories of builds and dependencies, submodules, nor" +
      " commits and branches. What is not covered is said. What" +
      " you change yourself while a command runs counts as the command's.",
  ].join("\n"),
  examples: ["cairn undo", "cairn undo --dry-run", "cairn undo --session ses_0123456789abcdefghijklmnop"],
  flags: [ofSessionFlag, dryRunFlag, yesFlag, formatFlag],
  run,
}

function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const session = await chosenSession(engine, input.get(ofSessionFlag))
    if (typeof session === "string") return setupError(io, { kind: "session", message: session })
    const to = lastPrompt(engine, session)
    if (to === undefined)
      return setupError(io, { kind: "session", message: `nothing is left to undo in ${session.id}` })
    return await carryOut(io, {
      work: (dryRun) => engine.revert(session.id, { to, dryRun }),
      direction: "back",
      dryRun: input.get(dryRunFlag) ?? false,
      ask: input.get(yesFlag) ? undefined : `Take back the last turn of ${session.id}?`,
      json: input.get(formatFlag) === "json",
    })
  })
}

/** The session that is named, or the newest of the directory; a text when there is none. */
export async function chosenSession(engine: Engine, id: string | undefined): Promise<Session | string> {
  if (id !== undefined) return engine.session(id) ?? unknownSession(id).message
  return (await newestSession(engine)) ?? `no session in ${engine.directory} yet`
}

/** The newest prompt that is not taken back. */
function lastPrompt(engine: Engine, { id, revert }: Session): string | undefined {
  const messages = engine.messages(id)
  const hidden = revert ? messages.findIndex(({ info }) => info.id === revert.messageID) : messages.length
  // Of a message that is taken back in part the rest is next.
  const end = revert?.partID === undefined ? hidden : hidden + 1
  return messages.slice(0, end).findLast(({ info }) => info.role === "user")?.info.id
}
