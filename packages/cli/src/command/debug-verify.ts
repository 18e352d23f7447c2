import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const debugVerifyCommand: Command = {
  name: "debug verify",
  summary: "Replay the event log and compare it with the tables",
  doc: "Exits 0 when every column of every row is what the log says, 1 when something differs.",
  examples: ["cairn debug verify"],
  flags: [],
  run: (io: Io) =>
    withEngine(io, async (engine) => {
      const { sessions, events, problems } = await engine.verify()
      for (const problem of problems) io.stdout.write(`${sanitiseLine(problem)}\n`)
      const found = problems.length === 0 ? "no difference" : plural(problems.length, "difference")
      io.stdout.write(`${plural(events, "event")} of ${plural(sessions, "session")} replayed: ${found}\n`)
      return problems.length === 0 ? 0 : 1
    }),
}
