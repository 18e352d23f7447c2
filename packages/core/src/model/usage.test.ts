import { expect, test } from "bun:test"
import type { LanguageModelV4Usage } from "@ai-sdk/provider"
import fc from "fast-check"
import { costOf, finishOf, tokensOf } from "./usage.ts"

type Input = Partial<LanguageModelV4Usage["inputTokens"]>
type Output = Partial<LanguageModelV4Usage["outputTokens"]>
const usage = (input: Input, output: Output): LanguageModelV4Usage => ({
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined, ...output },
})

test("what the provider splits is taken as it is", () => {
  expect(
    tokensOf(
      usage({ total: 170, noCache: 100, cacheRead: 50, cacheWrite: 20 }, { total: 30, text: 20, reasoning: 10 }),
    ),
  ).toEqual({
    total: 200,
    input: 100,
    output: 20,
    reasoning: 10,
    cache: { read: 50, write: 20 },
  })
})

test("what it does not split is what remains of the total", () => {
  expect(tokensOf(usage({ total: 170, cacheRead: 50, cacheWrite: 20 }, { total: 30, reasoning: 10 }))).toEqual({
    total: 200,
    input: 100,
    output: 20,
    reasoning: 10,
    cache: { read: 50, write: 20 },
  })
})

test("without totals they are summed, without anything it is zero", () => {
  expect(tokensOf(usage({ noCache: 5, cacheRead: 1 }, { text: 2, reasoning: 3 })).total).toBe(11)
  expect(tokensOf(undefined)).toEqual({ total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } })
})

test("whatever comes, tokens are whole and not negative", () => {
  const odd = fc.oneof(fc.double(), fc.integer(), fc.constant(undefined))
  fc.assert(
    fc.property(fc.array(odd, { minLength: 7, maxLength: 7 }), ([a, b, c, d, e, f, g]) => {
      const tokens = tokensOf(
        usage({ total: a, noCache: b, cacheRead: c, cacheWrite: d }, { total: e, text: f, reasoning: g }),
      )
      for (const value of [
        tokens.total,
        tokens.input,
        tokens.output,
        tokens.reasoning,
        tokens.cache.read,
        tokens.cache.write,
      ]) {
        expect(Number.isFinite(value)).toBe(true)
        expect(value).toBe(Math.max(0, Math.round(value ?? -1)))
      }
    }),
  )
})

const price = { input: 3, output: 15, cache: { read: 0.3, write: 3.75 } }
const tokens = { input: 1_000_000, output: 100_000, reasoning: 100_000, cache: { read: 1_000_000, write: 1_000_000 } }

test("each kind of token has its price, reasoning that of output", () => {
  expect(costOf(tokens, { ...price, tiers: [] })).toBeCloseTo(3 + 3 + 0.3 + 3.75, 10)
  expect(costOf(tokens, undefined)).toBe(0)
})

test("thoughts cost what they are priced at, in a tier too", () => {
  const tiers = [{ ...price, reasoning: 50, above: 10 }]
  const thought = { input: 0, output: 1_000_000, reasoning: 1_000_000, cache: { read: 0, write: 0 } }
  expect(costOf(thought, { ...price, reasoning: 20, tiers: [] })).toBeCloseTo(15 + 20, 10)
  expect(costOf({ ...thought, input: 11 }, { ...price, reasoning: 20, tiers })).toBeCloseTo(15 + 50 + 33 / 1e6, 10)
})

test("a tier holds for the whole step once the prompt, cache included, is larger than it says", () => {
  const tiers = [
    { input: 10, output: 0, cache: { read: 0, write: 0 }, above: 100 },
    { input: 20, output: 0, cache: { read: 0, write: 0 }, above: 200 },
  ]
  const cost = (input: number, read: number) =>
    costOf(
      { input, output: 0, reasoning: 0, cache: { read, write: 0 } },
      { ...price, cache: { read: 0, write: 0 }, tiers },
    )
  expect(cost(100, 0)).toBeCloseTo((100 * 3) / 1e6, 12)
  expect(cost(100, 1)).toBeCloseTo((100 * 10) / 1e6, 12)
  expect(cost(100, 101)).toBeCloseTo((100 * 20) / 1e6, 12)
})

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["tool-calls", "tool-calls"],
  ["content-filter", "content-filter"],
  ["error", "error"],
  ["other", "unknown"],
  ["interrupted", "unknown"],
] as const)("finish %s is stored as %s", (unified, stored) => {
  expect(finishOf({ unified })).toBe(stored)
})

test("no finish at all is unknown", () => {
  expect(finishOf(undefined)).toBe("unknown")
})
