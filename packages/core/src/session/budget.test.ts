import { expect, test } from "bun:test"
import { allTokens, overBudget, startOfDay } from "./budget.ts"

type Scope = "run" | "session" | "day"
const spent = (over: Partial<Record<Scope, { tokens: number; money: number }>>) => {
  const of = (scope: Scope) => () => over[scope] ?? { tokens: 0, money: 0 }
  return { run: of("run"), session: of("session"), day: of("day") }
}

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

test("only a scope that has a limit is asked what was spent", () => {
  const asked: Scope[] = []
  const of = (scope: Scope) => () => {
    asked.push(scope)
    return { tokens: 0, money: 0 }
  }
  overBudget({ run: {}, day: { tokens: 1 } }, { run: of("run"), session: of("session"), day: of("day") }, true)
  expect(asked).toEqual(["day"])
})

test("what a run may spend can be raised by a flag, the rest in the config", () => {
  const all = { tokens: 5, money: 5 }
  const text = (scope: Scope, what: "tokens" | "money") =>
    overBudget({ [scope]: { [what]: 1 } }, spent({ [scope]: all }), true)
  expect(text("run", "money")).toEndWith("To go on, raise budget.run.money in the config, or give --budget 2.50.")
  expect(text("run", "tokens")).toContain("--budget 50000tokens")
  expect(text("day", "money")).toEndWith("To go on, raise budget.day.money in the config.")
  expect(overBudget({ run: { money: 1 } }, spent({}), false)).toContain("--budget 50000tokens")
})

test("the day begins at midnight on the clock of this machine", () => {
  const midnight = startOfDay(Date.UTC(2026, 2, 29, 12))
  const date = new Date(midnight)
  expect([date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds()]).toEqual([0, 0, 0, 0])
  expect(startOfDay(midnight)).toBe(midnight)
  expect(startOfDay(midnight - 1)).toBeLessThan(midnight)
})

test("all tokens count, those of the cache too", () => {
  expect(allTokens({ input: 1, output: 2, reasoning: 4, cache: { read: 8, write: 16 } })).toBe(31)
})
