import { describe, expect, test } from "bun:test"
import type { DayUsage } from "@cairn/schema/stats"
import { styleOf } from "../terminal/look.ts"
import { dayChart } from "./day-chart.ts"

const to = new Date(2026, 10, 22, 12).getTime()
const day = (date: string, cost: number, tokens = 1_000, unpriced = 0): DayUsage => ({
  date,
  calls: 1,
  tokens: { input: tokens, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  cost,
  unpriced,
  cacheHitRate: 0,
})
const pipe = { color: false, live: false, width: Infinity }
const terminal = { color: false, live: true, width: 80 }
const draw = (days: readonly DayUsage[], look = terminal) =>
  dayChart({ days, to }, { look, style: styleOf(look.color) })

test("in a pipe: the days that have something, and no bar", () => {
  expect(draw([day("2026-11-01", 1), day("2026-11-22", 0.5, 2_500)], pipe)).toEqual([
    "days         cost  tokens",
    "2026-11-01  $1.00      1k",
    "2026-11-22  $0.50    2.5k",
  ])
})

test("on a terminal: no day left out up to today, the longest bar for what cost most", () => {
  expect(draw([day("2026-11-19", 1), day("2026-11-21", 0.25), day("2026-11-22", 0.001)])).toEqual([
    "days           cost  tokens",
    `2026-11-19    $1.00      1k  ${"█".repeat(40)}`,
    "2026-11-20",
    `2026-11-21    $0.25      1k  ${"█".repeat(10)}`,
    "2026-11-22  $0.0010      1k  ▏",
  ])
})

test("where nothing was paid the bars show tokens", () => {
  const lines = draw([day("2026-11-21", 0, 500, 1), day("2026-11-22", 0, 1_000)])
  expect(lines).toEqual([
    "days        cost  tokens",
    `2026-11-21     ?     500  ${"█".repeat(20)}`,
    `2026-11-22    $0      1k  ${"█".repeat(40)}`,
  ])
})

test("beyond a month weeks are drawn, beyond half a year months", () => {
  const weeks = draw([day("2026-10-01", 1), day("2026-10-04", 1), day("2026-11-22", 1)])
  expect(weeks[1]).toStartWith("week of 2026-09-28  $2.00")
  expect(weeks.at(-1)).toStartWith("week of 2026-11-16  $1.00")
  expect(weeks).toHaveLength(1 + 8)
  const months = draw([day("2025-12-31", 1), day("2026-11-22", 1)])
  expect(months.map((line) => line.slice(0, 7))).toEqual([
    "days   ",
    "2025-12",
    ...Array.from({ length: 11 }, (_, index) => `2026-${String(index + 1).padStart(2, "0")}`),
  ])
})

test("a change of summer time makes no day twice or not at all", () => {
  const at = new Date(2026, 9, 27, 12).getTime()
  const look = { color: false, live: true, width: 80 }
  const lines = dayChart({ days: [day("2026-10-23", 1)], to: at }, { look, style: styleOf(false) })
  expect(lines.slice(1).map((line) => line.slice(0, 10))).toEqual([
    ...["2026-10-23", "2026-10-24", "2026-10-25", "2026-10-26", "2026-10-27"],
  ])
})

describe.each([80, 40, 30, 20])("at %d columns", (width) => {
  test("no line is wider, and where a bar would be a dot there is none", () => {
    const lines = draw([day("2026-11-21", 1), day("2026-11-22", 2)], { ...terminal, width })
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width)
    expect(lines[2]?.includes("█")).toBe(width > 30)
  })
})

test("bars have a colour where there is one", () => {
  const lines = draw([day("2026-11-22", 2)], { ...terminal, color: true })
  expect(lines[1]).toContain("\u001b[36m█")
})
