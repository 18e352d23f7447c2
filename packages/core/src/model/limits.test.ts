import { expect, test } from "bun:test"
import fc from "fast-check"
import type { ModelLimits } from "./define.ts"
import { effectiveLimits, maxOutput, usableTokens } from "./limits.ts"

const limits = (context: number, output: number, input?: number): ModelLimits => ({
  context,
  output,
  known: true,
  ...(input ? { input } : {}),
})

test.each([
  ["the model's own limit", limits(200_000, 8_192), 8_192],
  ["32,000", limits(1_000_000, 128_000), 32_000],
  ["a quarter of the context", limits(16_000, 16_000), 4_000],
  ["output equal to context", limits(8_000, 8_000), 2_000],
  ["never less than one token", limits(2, 2), 1],
])("maxOutput: %s", (_, given, expected) => {
  expect(maxOutput(given)).toBe(expected)
})

test("usable: context less the answer, or the input limit less what is reserved", () => {
  expect(usableTokens(limits(200_000, 64_000))).toBe(168_000)
  expect(usableTokens(limits(400_000, 128_000, 272_000))).toBe(252_000)
  expect(usableTokens(limits(400_000, 4_000, 272_000))).toBe(268_000)
  expect(usableTokens(limits(400_000, 128_000, 272_000), 10_000)).toBe(262_000)
  expect(usableTokens(limits(400_000, 128_000, 272_000), 0)).toBe(272_000)
})

test("usable is at least half of the context", () => {
  expect(usableTokens(limits(100_000, 100_000, 40_000))).toBe(50_000)
  expect(usableTokens(limits(400_000, 128_000, 272_000), 1_000_000)).toBe(200_000)
})

test("a guessed context is halved at each overflow, a known one never", () => {
  const guessed = { context: 128_000, output: 128_000, known: false }
  expect([0, 1, 2].map((times) => effectiveLimits(guessed, times).context)).toEqual([128_000, 64_000, 32_000])
  expect(effectiveLimits(guessed, 2).output).toBe(32_000)
  expect(effectiveLimits(limits(128_000, 1_000), 5).context).toBe(128_000)
  expect(effectiveLimits(guessed, 1_000).context).toBe(1)
})

test("prompt and answer always fit together where no input limit is given", () => {
  const tokens = fc.integer({ min: 4, max: 2_000_000 })
  fc.assert(
    fc.property(tokens, tokens, (context, output) => {
      const given = limits(context, output)
      expect(maxOutput(given) + usableTokens(given)).toBeLessThanOrEqual(context)
      expect(usableTokens(given)).toBeGreaterThanOrEqual(Math.floor(context / 2))
    }),
  )
})
