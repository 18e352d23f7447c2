import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { Tokens } from "@cairn/schema/model"
import type { ModelCost } from "./define.ts"

/** How a step's answer ended, as it is stored in `finish` and in the step-finish part. */
export type StoredFinish = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "unknown"

/** Beyond any real count: what is larger is nonsense and must not spoil sums. */
const mostTokens = 1e12

/** The provider's usage as stored tokens: every field a whole number from 0 to 10¹², whatever came. */
export function tokensOf(usage: LanguageModelV4Usage | undefined): Tokens {
  const { inputTokens, outputTokens } = usage ?? {}
  const read = count(inputTokens?.cacheRead)
  const write = count(inputTokens?.cacheWrite)
  const reasoning = count(outputTokens?.reasoning)
  const input = inputTokens?.noCache ?? count(inputTokens?.total) - read - write
  const output = outputTokens?.text ?? count(outputTokens?.total) - reasoning
  const tokens = { input: count(input), output: count(output), reasoning, cache: { read, write } }
  const totalIn = inputTokens?.total ?? tokens.input + read + write
  const totalOut = outputTokens?.total ?? tokens.output + reasoning
  return { total: count(count(totalIn) + count(totalOut)), ...tokens }
}

/** Dollars for one step; 0 when the price is not known. A tier's prices hold for the whole step once its prompt is larger. */
export function costOf(tokens: Tokens, cost: ModelCost | undefined): number {
  if (!cost) return 0
  const prompt = tokens.input + tokens.cache.read + tokens.cache.write
  const price = cost.tiers.findLast((tier) => prompt > tier.above) ?? cost
  const sum =
    tokens.input * price.input +
    tokens.output * price.output +
    tokens.reasoning * (price.reasoning ?? price.output) +
    tokens.cache.read * price.cache.read +
    tokens.cache.write * price.cache.write
  return sum / 1_000_000
}

export function finishOf(reason: Pick<LanguageModelV4FinishReason, "unified"> | undefined): StoredFinish {
  switch (reason?.unified) {
    case "stop":
    case "length":
    case "tool-calls":
    case "content-filter":
    case "error":
      return reason.unified
    default:
      return "unknown"
  }
}

function count(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.min(Math.round(value), mostTokens) : 0
}
