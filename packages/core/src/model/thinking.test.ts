import { expect, test } from "bun:test"
import fc from "fast-check"
import { thinkingRoom } from "./thinking.ts"

const enabled = (budgetTokens?: number) => ({
  thinking: { type: "enabled", ...(budgetTokens === undefined ? {} : { budgetTokens }) },
})

test("the budget is taken off, since the package adds it again", () => {
  expect(thinkingRoom("anthropic", enabled(4_000), 10_000)).toEqual({ options: enabled(4_000), maxOutputTokens: 6_000 })
})

test("a budget too large for the answer is lowered, a small one raised to what the API takes", () => {
  expect(thinkingRoom("anthropic", enabled(50_000), 10_000).options).toEqual(enabled(8_976))
  expect(thinkingRoom("anthropic", enabled(10), 10_000).options).toEqual(enabled(1_024))
  expect(thinkingRoom("anthropic", enabled(), 10_000).options).toEqual(enabled(1_024))
})

test("where nothing fits there is no thinking", () => {
  expect(thinkingRoom("anthropic", { ...enabled(4_000), effort: "low" }, 2_000)).toEqual({
    options: { effort: "low" },
    maxOutputTokens: 2_000,
  })
})

test("other protocols and other kinds of thinking are left alone", () => {
  expect(thinkingRoom("google", enabled(4_000), 10_000)).toEqual({ options: enabled(4_000), maxOutputTokens: 10_000 })
  const adaptive = { thinking: { type: "adaptive" } }
  expect(thinkingRoom("anthropic", adaptive, 10_000)).toEqual({ options: adaptive, maxOutputTokens: 10_000 })
  expect(thinkingRoom("anthropic", {}, 10_000)).toEqual({ options: {}, maxOutputTokens: 10_000 })
})

test("budget and answer always make the asked limit together", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 100_000 }), (budget, most) => {
      const room = thinkingRoom("anthropic", enabled(budget), most)
      const thinking = room.options["thinking"] as { budgetTokens?: number } | undefined
      expect(room.maxOutputTokens + (thinking?.budgetTokens ?? 0)).toBe(most)
      expect(room.maxOutputTokens).toBeGreaterThan(0)
    }),
  )
})
