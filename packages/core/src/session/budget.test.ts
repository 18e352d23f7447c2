import { expect, test } from "bun:test"
import { allTokens, overBudget } from "./budget.ts"

const none = { tokens: 0, money: 0 }
const spent = (over: Partial<Record<"run" | "session" | "day", { tokens: number; money: number }>>) => ({
  ...{ run: none, session: none, day: none },
  ...over,
})

test("without a budget nothing stops", () => {
  expect(overBudget(undefined, spent({ run: { tokens: 1e9, money: 1e9 } }), false)).toBeUndefined()
  expect(overBudget({ run: {} }, spent({ run: { tokens: 1e9, money: 1e9 } }), false)).toBeUndefined()
})

test("each scope has its own limit, and the message says which key to raise", () => {
  for (const scope of ["run", "session", "day"] as const) {
    const tokens = { [scope]: { tokens: 100 } }
    expect(overBudget(tokens, spent({ [scope]: { tokens: 99, money: 9 } }), true)).toBeUndefined()
    expect(overBudget(tokens, spent({ [scope]: { tokens: 100, money: 0 } }), true)).toContain(`budget.${scope}.tokens`)
    const money = { [scope]: { money: 0.5 } }
    expect(overBudget(money, spent({ [scope]: { tokens: 9, money: 0.49 } }), true)).toBeUndefined()
    expect(overBudget(money, spent({ [scope]: { tokens: 0, money: 0.5 } }), true)).toContain(`budget.${scope}.money`)
  }
})

test("a model without a price stops a budget of money, unless tokens are bounded too", () => {
  expect(overBudget({ day: { money: 1 } }, spent({}), false)).toContain("price of this model is not known")
  expect(overBudget({ day: { money: 1, tokens: 10 } }, spent({}), false)).toBeUndefined()
})

test("all tokens count, those of the cache too", () => {
  expect(allTokens({ input: 1, output: 2, reasoning: 4, cache: { read: 8, write: 16 } })).toBe(31)
})
