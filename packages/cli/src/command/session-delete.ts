import type { Engine } from "@cairn/schema/engine"
import type { Session } from "@cairn/schema/session"
import type { Command, Input } from "../argv/define.ts"
import { formatFlag, yesFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"
import { setupError, usageError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { confirm } from "../terminal/confirm.ts"
import { sanitise, sanitiseLine } from "../terminal/sanitise.ts"

export const sessionDeleteCommand: Command = {
  name: "session delete",
  summary: "Delete sessions and all that was said in them",
  doc:
    "Asks first on a terminal; elsewhere --yes is needed. When one of the ids is unknown, nothing is deleted. A session" +
    " that runs in another process is left alone, and the exit code is 2. Files that the agent changed stay as they are.",
  examples: ["cairn session delete --yes ses_0123456789abcdefghijklmnop"],
  flags: [yesFlag, formatFlag],
  args: { usage: "<id…>", doc: "Ids of sessions, from cairn session list", min: 1, max: 1_000, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const sure = input.get(yesFlag) ?? false
  if (!sure && io.stdin.kind !== "terminal")
    return usageError(
      io,
      { message: "nobody can be asked here: add --yes to delete", command: "session delete" },
      false,
    )
  return withEngine(io, async (engine) => {
    const sessions: Session[] = []
    for (const id of new Set(input.words)) {
      const session = engine.session(id)
      if (!session) return setupError(io, unknownSession(id))
      sessions.push(session)
    }
    if (!sure && !(await confirmed(io, sessions))) {
      io.stderr.write("Nothing was deleted.\n")
      return 0
    }
    return await remove(io, engine, sessions, input.get(formatFlag) === "json")
  })
}

function confirmed(io: Io, sessions: readonly Session[]): Promise<boolean> {
  for (const { id, title } of sessions) io.stderr.write(`${id}  ${sanitiseLine(title)}\n`)
  return confirm(io, `Delete ${plural(sessions.length, "session")}?`)
}

async function remove(io: Io, engine: Engine, sessions: readonly Session[], json: boolean): Promise<number> {
  const deleted: string[] = []
  const refused: { id: string; message: string }[] = []
  for (const { id, title } of sessions) {
    const done = await engine.deleteSession(id)
    if (done.ok) {
      deleted.push(id)
      if (!json) io.stdout.write(`deleted ${id}  ${sanitiseLine(title)}\n`)
      continue
    }
    refused.push({ id, message: done.error.message })
    io.stderr.write(`cairn: ${sanitise(done.error.message)}\n`)
  }
  if (json) io.stdout.write(`${JSON.stringify({ deleted, refused }, undefined, 2)}\n`)
  return refused.length === 0 ? 0 : 2
}
