import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { timeScale } from "./time-scale.ts"

describe("the axis", () => {
  test.each([
    [400, 40, "0                   200 ms"],
    [0, 20, "0"],
    [4, 60, "0              1 ms           2 ms           3 ms"],
    [3_000, 60, "0                   1 s                 2 s"],
    [90_000, 60, "0                   30 s                1 min"],
    [150_000, 80, "0               30 s            1 min           1:30 min        2 min"],
    [7_200_000, 60, "0              30 min         1 h            1 h 30 min"],
    [100_000_000, 60, "0            6 h          12 h         18 h         24 h"],
  ])("of %d ms in %d columns", (total, width, expected) => {
    expect(timeScale(1_000_000, 1_000_000 + total, width).axis).toBe(expected)
  })

  test("never runs out of its columns, and its labels never touch", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 6, max: 200 }), (total, width) => {
        const { axis } = timeScale(5, 5 + total, width)
        expect(axis.length).toBeLessThanOrEqual(width)
        expect(axis).toMatch(/^0(?: +\d[\d.:]* (?:ms|s|min|h)(?: \d+ min)?)*$/)
      }),
    )
  })
})

describe("a bar", () => {
  const scale = timeScale(1_000, 2_000, 50)
  test.each([
    [1_000, 2_000, 0, 50],
    [1_000, 1_000, 0, 1],
    [2_000, 2_000, 49, 50],
    [1_500, 1_600, 25, 30],
    [1_501, 1_502, 25, 26],
    [0, 9_000, 0, 50],
  ])("from %d to %d takes the columns %d to %d", (start, end, from, to) => {
    expect(scale.cells(start, end)).toEqual({ from, to })
  })

  test("is at least a column wide and within the scale, wherever it lies", () => {
    const time = fc.integer({ min: -100, max: 5_000 })
    fc.assert(
      fc.property(
        time,
        time,
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 1, max: 100 }),
        (a, b, total, width) => {
          const { from, to } = timeScale(1_000, 1_000 + total, width).cells(Math.min(a, b), Math.max(a, b))
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})
