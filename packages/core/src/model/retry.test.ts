import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Classified } from "./errors.ts"
import { retryDelay } from "./retry.ts"
import { retryAfter, waitText } from "./retry-after.ts"

const failure = (more: Partial<Classified> = {}): Classified => ({
  class: "retryable",
  providerID: "p",
  message: "m",
  ...more,
})
const delays = (what: Classified, random = 0) => {
  const all: number[] = []
  for (let attempt = 1; ; attempt++) {
    const delay = retryDelay(attempt, what, random)
    if (delay === undefined) return all
    all.push(delay)
  }
}

test("five attempts, doubling from two seconds", () => {
  expect(delays(failure())).toEqual([2_000, 4_000, 8_000, 16_000])
})

test("a refused connection or unknown host is tried three times, which takes less than 25 s", () => {
  for (const network of ["refused", "unknown_host"] as const) {
    expect(delays(failure({ network }))).toEqual([2_000, 4_000])
  }
})

test("a failed connect probe is not tried again", () => {
  expect(delays(failure({ network: "probe" }))).toEqual([])
})

test("what cannot get better is not tried again", () => {
  for (const kind of ["overflow", "auth", "fatal", "content_filter", "aborted"] as const)
    expect(delays(failure({ class: kind, retryAfterMs: 1 }))).toEqual([])
})

test("the provider's wish wins, unless it is longer than anybody would wait", () => {
  expect(delays(failure({ class: "rate_limit", retryAfterMs: 90_000 }))).toEqual([90_000, 90_000, 90_000, 90_000])
  expect(delays(failure({ class: "rate_limit", retryAfterMs: 0 }))).toEqual([0, 0, 0, 0])
  expect(delays(failure({ class: "rate_limit", retryAfterMs: 3 * 3_600_000 }))).toEqual([])
})

test("jitter takes off up to a quarter, and nothing is longer than 30 s", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const delay = retryDelay(attempt, failure(), random) ?? -1
        const full = Math.min(30_000, 2_000 * 2 ** (attempt - 1))
        expect(delay).toBeLessThanOrEqual(full)
        expect(delay).toBeGreaterThanOrEqual(full * 0.75)
      },
    ),
  )
})

const now = Date.UTC(2026, 0, 1, 12, 0, 0)

test.each<[string, Record<string, string>, string | undefined, number | undefined]>([
  ["milliseconds before seconds", { "retry-after-ms": "250", "retry-after": "9" }, undefined, 250],
  ["seconds", { "retry-after": "9" }, undefined, 9_000],
  ["a fraction", { "retry-after": "1.5" }, undefined, 1_500],
  ["a date", { "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" }, undefined, 30_000],
  ["a date that has passed", { "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, undefined, 0],
  ["headers before body", { "retry-after": "1" }, "try again in 20s", 1_000],
  ["nonsense falls through to the body", { "retry-after": "soon" }, "Please try again in 1.5s.", 1_500],
  ["ms", {}, "Please try again in 20ms", 20],
  ["minutes and seconds", {}, "Please try again in 1m30.5s. Visit", 90_500],
  ["words", {}, "Please retry after 2 minutes", 120_000],
  ["several words", {}, "try again in 1 hour 5 minutes", 3_900_000],
  ["Google's field", {}, '{"details":[{"@type":"RetryInfo","retryDelay":"34.5s"}]}', 34_500],
  ["a number field", {}, '{"error":{"retry_after": 12}}', 12_000],
  ["a ms field", {}, '{"retry_after_ms":750}', 750],
  ["a week at most", { "retry-after": "99999999999" }, undefined, 7 * 24 * 3_600_000],
  ["negative", { "retry-after": "-5" }, undefined, undefined],
  ["nothing", {}, "rate limited", undefined],
  ["empty", { "retry-after": "" }, "", undefined],
])("retry-after: %s", (_, headers, body, expected) => {
  expect(retryAfter(headers, body, now)).toBe(expected)
})

test.each<[number, string]>([
  [1, "1 min"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
  [7_380_000, "2 h 3 min"],
  [90_000_000, "1 d 1 h"],
  [86_460_000, "1 d 1 min"],
])("%d ms are %s", (ms, text) => {
  expect(waitText(ms)).toBe(text)
})

test("a huge or hostile body is read in linear time and never throws", () => {
  const bodies = [
    "try again in ".repeat(200_000),
    `try again in ${"1".repeat(1_000_000)}`,
    `try again in ${"1h ".repeat(400_000)}x`,
  ]
  for (const body of bodies) {
    const value = retryAfter({}, body, now)
    expect(value === undefined || Number.isFinite(value)).toBe(true)
  }
})
