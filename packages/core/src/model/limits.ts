import type { ModelLimits } from "./define.ts"

const mostOutput = 32_000
const mostReserved = 20_000

/** What the limits are after `overflows` refusals by the provider: a context that was only guessed is halved each time. */
export function effectiveLimits(limits: ModelLimits, overflows: number): ModelLimits {
  if (limits.known || overflows <= 0) return limits
  const context = Math.max(1, Math.floor(limits.context / 2 ** overflows))
  return { ...limits, context, output: Math.min(limits.output, context) }
}

/** Tokens asked for at most in one answer: the model's own limit, 32,000, or a quarter of the context. */
export function maxOutput({ context, output }: ModelLimits): number {
  return Math.max(1, Math.floor(Math.min(output, mostOutput, context / 4)))
}

/** Tokens that prompt and history may take before they are compacted, at least half of the context. `reserved` as in `compaction.reserved`. */
export function usableTokens(limits: ModelLimits, reserved?: number): number {
  const out = maxOutput(limits)
  const room = limits.input ? limits.input - (reserved ?? Math.min(mostReserved, out)) : limits.context - out
  return Math.floor(Math.max(room, limits.context / 2))
}
