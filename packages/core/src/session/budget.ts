import type { Config } from "@cairn/schema/config"
import type { Tokens } from "@cairn/schema/model"
import type { Spent } from "../store/spend.ts"

type Budget = NonNullable<Config["budget"]>
type Scope = keyof Budget
const scopes: Record<Scope, string> = { run: "this run", session: "this session", day: "today" }

/**
 * Why no further model call may be made, or undefined. A budget of money says nothing about a model without a price, so
 * that stops too, unless a budget of tokens bounds the same scope. What was spent is asked for only where there is a limit.
 */
export function overBudget(
  budget: Budget | undefined,
  spent: Readonly<Record<Scope, () => Spent>>,
  priced: boolean,
): string | undefined {
  for (const scope of ["run", "session", "day"] as const) {
    const limit = budget?.[scope]
    if (limit?.tokens === undefined && limit?.money === undefined) continue
    const { tokens, money } = spent[scope]()
    if (limit.tokens !== undefined && tokens >= limit.tokens)
      return `The token budget for ${scopes[scope]} is used up (${tokens} of ${limit.tokens}). ${raise(scope, "tokens")}`
    if (limit.money === undefined) continue
    if (money >= limit.money)
      return `The budget for ${scopes[scope]} is used up ($${money.toFixed(4)} of $${limit.money}). ${raise(scope, "money")}`
    if (!priced && limit.tokens === undefined)
      return `The price of this model is not known, so the budget for ${scopes[scope]} cannot be kept. Set a budget of tokens (${key(scope, "tokens")}), or the model's cost in the config.`
  }
  return undefined
}

const raise = (scope: Scope, what: keyof Spent): string => `To go on, raise ${key(scope, what)}.`

function key(scope: Scope, what: keyof Spent): string {
  const flag = what === "money" ? "--budget 2.50" : "--budget 50000tokens"
  return `budget.${scope}.${what} in the config${scope === "run" ? `, or give ${flag}` : ""}`
}

/** All tokens that were paid for, cached ones too. */
export const allTokens = ({ input, output, reasoning, cache }: Omit<Tokens, "total">): number =>
  input + output + reasoning + cache.read + cache.write

/** Midnight before `now`, on the clock of this machine. */
export const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0)
