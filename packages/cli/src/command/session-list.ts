import type { Command, Input } from "../argv/define.ts"
import { allFlag, formatFlag, limitFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { ago } from "../render/format.ts"
import { table } from "../render/table.ts"
import { lookOf } from "../terminal/look.ts"

export const sessionListCommand: Command = {
  name: "session list",
  summary: "List the sessions of this directory, newest first",
  doc: "Also lists the project's sessions whose directory no longer exists, so that a moved project keeps its own.",
  examples: ["cairn session list --all", `cairn session list --format json | jq -r '.[0].id'`],
  flags: [allFlag, limitFlag, formatFlag],
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const all = input.get(allFlag) ?? false
    const limit = input.get(limitFlag)
    const scope = all ? "project" : "directory"
    const sessions = await engine.sessions({ scope, ...(limit === undefined ? {} : { limit }) })
    if (input.get(formatFlag) === "json") {
      io.stdout.write(`${JSON.stringify(sessions, undefined, 2)}\n`)
      return 0
    }
    if (sessions.length === 0) {
      io.stderr.write(
        all ? "No sessions in this project yet.\n" : "No sessions in this directory yet (--all: in the project).\n",
      )
      return 0
    }
    const rows = sessions.map((session) => [
      session.id,
      ago(session.time.updated, io.clock.now()),
      session.title,
      ...(all ? [session.directory] : []),
    ])
    const look = lookOf(io.stdout, io.env)
    io.stdout.write(`${table(rows, look, 2).join("\n")}\n`)
    return 0
  })
}
