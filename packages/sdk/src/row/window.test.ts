import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { Heights } from "./heights.ts"
import { anchorAt, bottom, scrollTo, windowAt } from "./window.ts"

const rows = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 })

describe("the window", () => {
  test("property: covers the viewport wherever it is scrolled to, and what is around it adds up", () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: -50, max: 2_000 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(30),
        (given, scroll, height, beyond) => {
          const heights = new Heights(given)
          const { first, last, before, behind } = windowAt(heights, { scroll, height }, beyond)
          const drawn = given.slice(first, last + 1).reduce((a, b) => a + b, 0)
          expect(before + drawn + behind).toBe(heights.total)
          if (given.length === 0) return
          const top = Math.min(Math.max(0, scroll), bottom(heights, height))
          expect(before).toBeLessThanOrEqual(Math.max(0, top - beyond))
          expect(before + drawn).toBeGreaterThanOrEqual(Math.min(heights.total, top + height + beyond))
          // No more than what is asked for: the first and the last row reach into it.
          expect(before + (given[first] ?? 0)).toBeGreaterThan(Math.max(0, top - beyond))
          expect(before + drawn - (given[last] ?? 0)).toBeLessThan(top + height + beyond)
        },
      ),
      { numRuns: 500 },
    )
  })

  test("of no rows, or no lines to show them in, is empty", () => {
    expect(windowAt(new Heights(), { scroll: 5, height: 10 })).toEqual({ first: 0, last: -1, before: 0, behind: 0 })
    expect(windowAt(new Heights([3]), { scroll: 0, height: 0 })).toEqual({ first: 0, last: -1, before: 0, behind: 3 })
  })
})

describe("an anchor", () => {
  test("property: what is read stays where it is when rows above it come, go and change", () => {
    const above = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 })
    fc.assert(
      fc.property(rows, fc.nat(1_000), above, (given, scroll, other) => {
        fc.pre(given.length > 0)
        const heights = new Heights(given)
        const ids = given.map((_, n) => `row ${n}`)
        const line = scroll % heights.total
        const anchor = anchorAt(heights, ids, line)
        if (!anchor) return expect.unreachable()
        const row = ids.indexOf(anchor.id)
        heights.splice(0, row, ...other)
        const changed = [...other.map((_, n) => `other ${n}`), ...ids.slice(row)]
        const now = scrollTo(heights, changed, anchor)
        expect(anchorAt(heights, changed, now ?? -1)).toEqual(anchor)
      }),
    )
  })

  test("in a row that has become lower is its last line; of one that is gone there is none", () => {
    const heights = new Heights([4, 9, 4])
    const anchor = anchorAt(heights, ["a", "b", "c"], 11)
    expect(anchor).toEqual({ id: "b", line: 7 })
    heights.set(1, 2)
    expect(scrollTo(heights, ["a", "b", "c"], { id: "b", line: 7 })).toBe(5)
    expect(scrollTo(heights, ["a", "c"], { id: "b", line: 7 })).toBeUndefined()
    expect(anchorAt(new Heights(), [], 0)).toBeUndefined()
  })
})
