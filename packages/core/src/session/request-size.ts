import { effectiveLimits, usableTokens } from "../model/limits.ts"
import { textTokens } from "./estimate.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"

/** Tokens that a request may have, by what is known of the model so far. */
export const usableOf = (deps: Pick<TurnDeps, "compaction">, turn: Turn): number =>
  usableTokens(effectiveLimits(turn.model.limits, turn.overflows), deps.compaction.reserved)

/** Tokens of the next request: what was counted last, and an estimate of the rest. */
export const requestTokens = (turn: Turn): number =>
  turn.context.tokens(textTokens(turn.system.join("\n") + JSON.stringify(turn.tools)))

/** True when the next request is larger than what the model can use. */
export const isFull = (deps: Pick<TurnDeps, "compaction">, turn: Turn): boolean =>
  requestTokens(turn) > usableOf(deps, turn)

/** Characters of the user's own words that stay verbatim beside a summary. */
export const roomFor = (usable: number): number => Math.min(32_000, usable)
