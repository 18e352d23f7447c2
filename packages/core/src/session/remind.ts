import { admit } from "./admit.ts"
import type { Turn } from "./turn-state.ts"

/** Puts a note of ours into the history, stored like everything that the model reads. */
export function remind(turn: Turn, text: string): void {
  const { run, agent, lineUp } = turn
  const note = { agent: agent.name, model: lineUp[0].ref, parts: [{ type: "text" as const, text, synthetic: true }] }
  const { message, events } = admit(run, note, { now: run.clock.now() })
  run.write(...events)
  turn.context.push(message)
}
