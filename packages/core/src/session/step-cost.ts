import type { LanguageModelV4Usage } from "@ai-sdk/provider"
import type { AssistantMessage } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import { costOf, tokensOf } from "../model/usage.ts"
import { allTokens } from "./budget.ts"
import { textTokens } from "./estimate.ts"
import type { Turn } from "./turn-state.ts"

/** What a call has cost, as its message says it. */
export type StepCost = Pick<AssistantMessage, "tokens" | "cost" | "unpriced" | "estimated">

/**
 * What the provider counted. When it counted nothing, an estimate, so that budgets hold there too: `request` tokens, and the
 * parts of the answer. An estimate has no `total`: the size of the next request is not taken from it.
 */
export function stepCost(
  { model }: Pick<Turn, "model">,
  usage: LanguageModelV4Usage | undefined,
  request: () => number,
  answer: () => readonly Part[],
): StepCost {
  const counted = tokensOf(usage)
  const estimated = allTokens(counted) === 0
  const tokens = estimated ? estimate(request(), answer()) : counted
  return {
    tokens,
    cost: costOf(tokens, model.cost),
    ...(model.cost ? {} : { unpriced: true }),
    ...(estimated && { estimated: true }),
  }
}

function estimate(input: number, answer: readonly Part[]): AssistantMessage["tokens"] {
  const sum = (texts: readonly string[]) => texts.reduce((all, text) => all + textTokens(text), 0)
  const thoughts = answer.flatMap((part) => (part.type === "reasoning" ? [part.text] : []))
  const words = answer.flatMap((part) => {
    if (part.type === "text") return [part.text]
    return part.type === "tool" ? [part.tool + JSON.stringify(part.state.input)] : []
  })
  return { input, output: sum(words), reasoning: sum(thoughts), cache: { read: 0, write: 0 } }
}
