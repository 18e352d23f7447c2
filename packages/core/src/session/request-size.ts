import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { effectiveLimits, maxOutput, usableTokens } from "../model/limits.ts"
import { messageTokens, textTokens } from "./estimate.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"

/** Tokens that a request may have, by what is known of the model so far. */
export const usableOf = (deps: Pick<TurnDeps, "compaction">, turn: Turn): number =>
  usableTokens(effectiveLimits(turn.model.limits, turn.overflows), deps.compaction.reserved)

/** Tokens of the next request: what was counted last, and an estimate of the rest; of a request with these messages, an estimate. */
export const requestTokens = (turn: Turn, messages?: readonly LanguageModelV4Message[]): number =>
  messages ? fixedTokens(turn) + messageTokens(messages) : turn.context.tokens(() => fixedTokens(turn))

const fixedTokens = (turn: Turn): number => textTokens(turn.system.join("\n") + JSON.stringify(turn.tools))

/** True when the next request is larger than what the model can use. */
export const isFull = (deps: Pick<TurnDeps, "compaction">, turn: Turn): boolean =>
  requestTokens(turn) > usableOf(deps, turn)

/** Tokens that an answer needs at least, when nothing can be taken from the request. */
const leastAnswer = 1_024

/** True when the request leaves room for some answer, though less than is usual. */
export const fitsBarely = (turn: Turn): boolean => answerRoom(turn) >= leastAnswer

/** Tokens that the model may answer with: as many as usual, or what the request (with these messages) leaves of the context. */
export function mostAnswer(turn: Turn, messages?: readonly LanguageModelV4Message[]): number {
  const usual = maxOutput(effectiveLimits(turn.model.limits, turn.overflows))
  const room = answerRoom(turn, messages)
  return room >= leastAnswer ? Math.min(usual, room) : usual
}

function answerRoom(turn: Turn, messages?: readonly LanguageModelV4Message[]): number {
  return effectiveLimits(turn.model.limits, turn.overflows).context - requestTokens(turn, messages)
}

/** Characters of the user's own words that stay verbatim beside a summary. */
export const roomFor = (usable: number): number => Math.min(32_000, usable)
