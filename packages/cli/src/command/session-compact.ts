import type { Engine } from "@cairn/schema/engine"
import type { Command, Input } from "../argv/define.ts"
import { exitOf } from "../exit-code.ts"
import { formatFlag, modelFlag } from "../flag.ts"
import type { Interruption, Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { sanitise } from "../terminal/sanitise.ts"

export const sessionCompactCommand: Command = {
  name: "session compact",
  summary: "Replace the older part of a session by a summary",
  doc: "The model writes the summary; the last messages stay as they are, and the originals stay in the log. Long sessions are compacted by themselves.",
  examples: ["cairn session compact ses_0123456789abcdefghijklmnop"],
  flags: [modelFlag, formatFlag],
  args: { usage: "<id>", doc: "Id of the session", min: 1, max: 1, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const [id = ""] = input.words
  return withEngine(io, async (engine) => {
    if (!engine.session(id)) return setupError(io, unknownSession(id))
    const model = await engine.checkModel(input.get(modelFlag) ?? modelOf(engine, id))
    if (!model.ok) return setupError(io, model.error)
    io.stderr.write("summing up the session…\n")
    let interruption: Interruption | undefined
    const unlisten = io.interruptions((which) => {
      interruption = which
      void engine.abort(id)
    })
    const compacted = await engine.compact(id, model.value)
    unlisten()
    if (!compacted.ok) return setupError(io, compacted.error)
    const { value: outcome } = compacted
    const exit = exitOf({ kind: "turn", outcome, ...(interruption && { interruption }) })
    if (input.get(formatFlag) === "json")
      io.stdout.write(
        `${JSON.stringify({ id, exitCode: exit.code, reason: exit.reason, tokens: outcome.tokens, cost: outcome.cost, note: outcome.note }, undefined, 2)}\n`,
      )
    else if (exit.code === 0 && outcome.note === undefined) io.stdout.write(`compacted ${id}\n`)
    if (outcome.note !== undefined) io.stderr.write(`${outcome.note}\n`)
    if (outcome.error) io.stderr.write(`cairn: ${sanitise(messageOf(outcome.error))}\n`)
    return exit.code
  })
}

function modelOf(engine: Engine, id: string): string | undefined {
  const model = engine.session(id)?.model
  return model && `${model.providerID}/${model.id}`
}

const messageOf = ({
  name,
  data,
}: NonNullable<Extract<Awaited<ReturnType<Engine["compact"]>>, { ok: true }>["value"]["error"]>): string =>
  "message" in data && typeof data.message === "string" ? data.message : name
