import { describe, expect, test } from "bun:test"
import { ago, count, duration, money, plural, tokens } from "./format.ts"

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1k"],
  [12_345, "12.3k"],
  [999_949, "999.9k"],
  [999_950, "1M"],
  [1_250_000, "1.3M"],
])("%d is counted as %s", (value, text) => {
  expect(count(value)).toBe(text)
})

test.each([
  [0, ""],
  [0.004, "$0.0040"],
  [1.256, "$1.26"],
])("%d dollars are %j", (value, text) => {
  expect(money(value)).toBe(text)
})

test.each([
  [-5, "0 ms"],
  [840, "840 ms"],
  [12_400, "12 s"],
  [59_600, "1 min 0 s"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
])("%d ms are %s", (ms, text) => {
  expect(duration(ms)).toBe(text)
})

describe("how long ago", () => {
  const now = Date.UTC(2026, 5, 15)
  const minute = 60_000
  test.each([
    [-5, "just now"],
    [0, "just now"],
    [5, "5 min ago"],
    [60, "1 h ago"],
    [1_500, "yesterday"],
    [3 * 1_440, "3 days ago"],
    [40 * 1_440, "2026-05-06"],
  ])("%d minutes: %s", (minutes, text) => {
    expect(ago(now - minutes * minute, now)).toBe(text)
  })
})

test("tokens name what the cache gave and what was thought", () => {
  expect(tokens({ input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } })).toBe("100 in, 20 out")
  expect(tokens({ input: 100, output: 20, reasoning: 5, cache: { read: 900, write: 1_000 } })).toBe(
    "2k in (900 cached), 25 out (5 reasoning)",
  )
})

test("one is singular", () => {
  expect([plural(1, "match", "matches"), plural(2, "match", "matches"), plural(0, "file")]).toEqual([
    "1 match",
    "2 matches",
    "0 files",
  ])
})
