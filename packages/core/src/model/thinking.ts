import type { SharedV4ProviderOptions } from "@ai-sdk/provider"

type Options = SharedV4ProviderOptions[string]

const smallestBudget = 1_024
const smallestAnswer = 1_024

/**
 * Anthropic's package adds the thinking budget to `maxOutputTokens`, so it is taken off first; a budget that leaves no
 * answer is lowered, and thinking is left out where not even the smallest budget fits.
 */
export function thinkingRoom(
  optionsKey: string,
  options: Options,
  maxOutputTokens: number,
): { options: Options; maxOutputTokens: number } {
  const thinking: unknown = options["thinking"]
  if (optionsKey !== "anthropic" || !isEnabled(thinking)) return { options, maxOutputTokens }
  const wanted = typeof thinking.budgetTokens === "number" ? thinking.budgetTokens : smallestBudget
  const budget = Math.min(Math.max(wanted, smallestBudget), maxOutputTokens - smallestAnswer)
  if (budget < smallestBudget) {
    const { thinking: _, ...rest } = options
    return { options: rest, maxOutputTokens }
  }
  return {
    options: { ...options, thinking: { ...thinking, budgetTokens: budget } },
    maxOutputTokens: maxOutputTokens - budget,
  }
}

function isEnabled(thinking: unknown): thinking is { readonly type: "enabled"; readonly budgetTokens?: unknown } {
  return typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type === "enabled"
}
