import { expect, test } from "bun:test"
import fc from "fast-check"
import { widths } from "../../../test/draw.tsx"
import { columnsAt, unitsAt } from "./offsets.ts"

test.each([
  ["abc", 2, 2],
  ["世界", 1, 2],
  ["a\nb", 2, 2],
  ["👨‍👩‍👧‍👦x", 11, 2],
  ["e\u0301x", 2, 1],
  ["\n\n", 2, 2],
  ["", 0, 0],
])("%j: %p units are %p columns", (text, units, columns) => {
  expect(columnsAt(text, units, widths)).toBe(columns)
  expect(unitsAt(text, columns, widths)).toBe(units)
})

test("the start of every character is found again, and what is beyond the end is the end", () => {
  const character = fc.constantFrom("a", "世", "👨‍👩‍👧‍👦", "e\u0301", "\n", " ")
  fc.assert(
    fc.property(fc.array(character, { maxLength: 20 }), (characters) => {
      const text = characters.join("")
      let units = 0
      for (const each of characters) {
        expect(unitsAt(text, columnsAt(text, units, widths), widths)).toBe(units)
        units += each.length
      }
      expect(unitsAt(text, columnsAt(text, units, widths) + 5, widths)).toBe(units)
    }),
  )
})
