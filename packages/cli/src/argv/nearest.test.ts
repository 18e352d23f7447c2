import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { editDistance, nearest } from "./nearest.ts"

describe("nearest", () => {
  const known = ["model", "agent", "session", "continue", "interactive-permissions"]
  test.each([
    ["modle", "model"],
    ["agnet", "agent"],
    ["sesion", "session"],
    ["interactive", "interactive-permissions"],
    ["con", "continue"],
  ])("%s means %s", (word, meant) => {
    expect(nearest(word, known)).toBe(meant)
  })

  test.each(["", "x", "zebra", "permissions"])("%j means nothing", (word) => {
    expect(nearest(word, known)).toBeUndefined()
  })

  test("an ambiguous prefix means nothing", () => {
    expect(nearest("se", ["session", "setting"])).toBeUndefined()
  })
})

describe("editDistance", () => {
  const word = fc.string({ maxLength: 8 })
  test("is zero for equal words alone, symmetric, and at most the longer length", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b)
        expect(distance === 0).toBe(a === b)
        expect(editDistance(b, a)).toBe(distance)
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })

  test("counts a swap of neighbours as one", () => {
    expect(editDistance("modle", "model")).toBe(1)
    expect(editDistance("", "abc")).toBe(3)
  })
})
