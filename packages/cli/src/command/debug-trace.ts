import type { Engine } from "@cairn/schema/engine"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Session } from "@cairn/schema/session"
import type { Command, Input } from "../argv/define.ts"
import { formatFlag, lastFlag, turnFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"
import { setupError, usageError } from "../report-error.ts"
import { newestSession, unknownSession } from "../run/choose-session.ts"
import { lookOf, styleOf } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const debugTraceCommand: Command = {
  name: "debug trace",
  summary: "Show where the time of a session went",
  doc: [
    "A waterfall of each turn: its steps, and in these the model calls (with the time to the first token), tools, asks," +
      " retries and compactions, with tokens and cost. Made from the log alone, so it works for every session, also for" +
      " one that runs now; what the log does not tell the end of is drawn as open.",
    "Of many turns the older ones are a line each, of many steps the middle is summed up, except what failed or took" +
      " longest. As json everything: the `session`, and the `turns` with their spans in `children`; times are" +
      " milliseconds since 1970.",
  ].join("\n"),
  examples: ["cairn debug trace --last", "cairn debug trace ses_0123456789abcdefghijklmnop --turn 2 | less"],
  flags: [lastFlag, turnFlag, formatFlag],
  args: { usage: "[id]", doc: "Id of the session, from cairn session list", min: 0, max: 1, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const id = input.words[0]
  if ((id === undefined) === !input.get(lastFlag))
    return usageError(io, { message: "name a session by its id, or give --last", command: "debug trace" }, false)
  return withEngine(io, async (engine) => {
    const session = await sessionOf(engine, id)
    if (!session.ok) return setupError(io, session.error)
    const trace = await engine.trace(session.value.id)
    if (!trace) return setupError(io, unknownSession(session.value.id))
    const turn = input.get(turnFlag)
    if (turn !== undefined && turn > trace.turns.length) return setupError(io, noTurn(turn, trace.turns.length))
    if (input.get(formatFlag) === "json") {
      const turns = turn === undefined ? trace.turns : trace.turns.slice(turn - 1, turn)
      io.stdout.write(`${JSON.stringify({ session: session.value, turns }, undefined, 2)}\n`)
      return 0
    }
    const { waterfall } = await import("../render/waterfall.ts")
    const look = lookOf(io.stdout, io.env)
    const style = styleOf(look.color)
    const title = [style.strong(sanitiseLine(session.value.title)), style.dim(session.value.id), ""]
    const lines = waterfall(trace, { look, style, ...(turn !== undefined && { turn }) })
    io.stdout.write(`${[...title, ...(lines.length === 0 ? ["no turn yet"] : lines)].join("\n")}\n`)
    return 0
  })
}

async function sessionOf(engine: Engine, id: string | undefined): Promise<Result<Session, SetupError>> {
  if (id !== undefined) {
    const session = engine.session(id)
    return session ? ok(session) : err(unknownSession(id))
  }
  const newest = await newestSession(engine)
  return newest ? ok(newest) : err({ kind: "session", message: `no session yet in ${engine.directory}` })
}

const noTurn = (turn: number, turns: number): SetupError => ({
  kind: "session",
  message: `there is no turn ${turn}; the session has ${plural(turns, "turn")}`,
})
