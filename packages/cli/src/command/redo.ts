import type { Engine } from "@cairn/schema/engine"
import type { Session } from "@cairn/schema/session"
import type { Command, Input } from "../argv/define.ts"
import { dryRunFlag, formatFlag, ofSessionFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { carryOut } from "../run/carry-out.ts"
import { chosenSession } from "./undo.ts"

export const redoCommand: Command = {
  name: "redo",
  summary: "Bring back the turn that was undone last",
  doc:
    "Its files and what was said; after several cairn undo one turn each time. What you changed in the files since is kept, as" +
    " with cairn undo. After the next prompt nothing can be brought back any more.",
  examples: ["cairn redo"],
  flags: [ofSessionFlag, dryRunFlag, formatFlag],
  run,
}

function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const session = await chosenSession(engine, input.get(ofSessionFlag))
    if (typeof session === "string") return setupError(io, { kind: "session", message: session })
    if (!session.revert) return setupError(io, { kind: "session", message: `nothing of ${session.id} is undone` })
    const to = promptAfter(engine, session)
    return await carryOut(io, {
      work: (dryRun) =>
        to === undefined ? engine.unrevert(session.id, { dryRun }) : engine.revert(session.id, { to, dryRun }),
      direction: to === undefined ? "forth" : "back",
      dryRun: input.get(dryRunFlag) ?? false,
      ask: undefined,
      json: input.get(formatFlag) === "json",
    })
  })
}

/** The prompt after the first one that is hidden: from there on it stays taken back. Undefined when all comes back. */
function promptAfter(engine: Engine, { id, revert }: Session): string | undefined {
  const messages = engine.messages(id)
  const hidden = messages.findIndex(({ info }) => info.id === revert?.messageID)
  return messages.slice(hidden + 1).find(({ info }) => info.role === "user")?.info.id
}
