import type { Usage } from "@cairn/schema/stats"

/** All tokens, those of the cache too. */
export const allTokens = ({ tokens: { input, output, reasoning, cache } }: Pick<Usage, "tokens">): number =>
  input + output + reasoning + cache.read + cache.write

/** `$1.25`, `$0` for what is free, `?` where no price was known, `$1.25+?` where that holds for a part. */
export function costOf({ calls, cost, unpriced }: Pick<Usage, "calls" | "cost" | "unpriced">): string {
  if (calls > 0 && unpriced === calls) return "?"
  return `${dollars(cost)}${unpriced > 0 ? "+?" : ""}`
}

function dollars(cost: number): string {
  if (cost === 0) return "$0"
  return `$${cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2)}`
}
