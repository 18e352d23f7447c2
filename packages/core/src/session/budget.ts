import type { Config } from "@cairn/schema/config"
import type { Tokens } from "@cairn/schema/model"

export interface Spent {
  readonly tokens: number
  /** Dollars. */
  readonly money: number
}

type Budget = NonNullable<Config["budget"]>
type Scope = keyof Budget
const scopes: Record<Scope, string> = { run: "this run", session: "this session", day: "today" }

/**
 * Why no further model call may be made, or undefined. A budget of money says nothing about a model without a price, so
 * that stops too, unless a budget of tokens bounds the same scope.
 */
export function overBudget(
  budget: Budget | undefined,
  spent: Readonly<Record<Scope, Spent>>,
  priced: boolean,
): string | undefined {
  for (const scope of ["run", "session", "day"] as const) {
    const limit = budget?.[scope]
    if (!limit) continue
    const { tokens, money } = spent[scope]
    if (limit.tokens !== undefined && tokens >= limit.tokens)
      return `The token budget for ${scopes[scope]} is used up (${tokens} of ${limit.tokens}). ${raise(scope, "tokens")}`
    if (limit.money === undefined) continue
    if (money >= limit.money)
      return `The budget for ${scopes[scope]} is used up ($${money.toFixed(4)} of $${limit.money}). ${raise(scope, "money")}`
    if (!priced && limit.tokens === undefined)
      return `The price of this model is not known, so the budget for ${scopes[scope]} cannot be kept. Set budget.${scope}.tokens, or the model's cost, in the config.`
  }
  return undefined
}

const raise = (scope: Scope, what: keyof Spent): string => `Raise budget.${scope}.${what} in the config to go on.`

/** All tokens that were paid for, cached ones too. */
export const allTokens = ({ input, output, reasoning, cache }: Omit<Tokens, "total">): number =>
  input + output + reasoning + cache.read + cache.write
