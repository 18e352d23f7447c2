import type { Span, Tracer } from "@cairn/kernel/span"
import type { TurnOutcome } from "@cairn/schema/engine"
import type { Admission } from "./admit.ts"
import type { Run } from "./run.ts"

/** Ends of a turn that are none of an error. */
const well: ReadonlySet<string> = new Set(["done", "step_limit"])

interface Started {
  readonly run: Pick<Run, "runID" | "sessionID">
  readonly admission: Pick<Admission, "agent" | "model">
}

/** The span of a run, by OpenTelemetry's conventions for agents. */
export function turnSpan(tracer: Tracer, { run, admission }: Started): Span {
  return tracer.span("turn", {
    "cairn.kind": "turn",
    "cairn.run.id": run.runID,
    "session.id": run.sessionID,
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": admission.agent,
    "gen_ai.conversation.id": run.sessionID,
    "gen_ai.request.model": admission.model.modelID,
  })
}

/** What a turn came to: why it ended, and what it cost. */
export function noteOutcome(span: Span, { reason, tokens, cost, denied, errorClass }: TurnOutcome): void {
  const { input, output, reasoning, cache } = tokens
  span.set({
    "cairn.turn.end": reason,
    "cairn.cost": cost,
    "cairn.asks.denied": denied,
    "gen_ai.usage.input_tokens": input + cache.read + cache.write,
    "gen_ai.usage.output_tokens": output + reasoning,
  })
  if (!well.has(reason)) span.fail(errorClass ?? reason)
}
