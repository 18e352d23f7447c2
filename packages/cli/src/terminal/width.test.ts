import { expect, test } from "bun:test"
import fc from "fast-check"
import { padEnd, textWidth, truncate, truncateStart } from "./width.ts"

test.each([
  ["hello", 5, "hello"],
  ["hello", 4, "hel…"],
  ["標石標石", 5, "標石…"],
  ["👩‍👩‍👧x", 2, "…"],
  ["é".repeat(5), 3, "éé…"],
  ["anything", Infinity, "anything"],
])("%s in %d columns", (text, width, shown) => {
  expect(truncate(text, width)).toBe(shown)
})

test.each([
  ["hello", 5, "hello"],
  ["hello", 4, "…llo"],
  ["標石標石", 5, "…標石"],
  ["x👩‍👩‍👧", 2, "…"],
  ["anything", Infinity, "anything"],
])("the end of %s in %d columns", (text, width, shown) => {
  expect(truncateStart(text, width)).toBe(shown)
})

test("what is cut fits, what fits is not cut", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), fc.integer({ min: 2, max: 40 }), (text, width) => {
      const shown = truncate(text, width)
      expect(textWidth(shown)).toBeLessThanOrEqual(Math.max(width, 1))
      if (textWidth(text) <= width) expect(shown).toBe(text)
      const end = truncateStart(text, width)
      expect(textWidth(end)).toBeLessThanOrEqual(Math.max(width, 1))
      expect(text.endsWith(end.replace(/^…/, ""))).toBe(true)
    }),
  )
})

test("padding counts columns", () => {
  expect(padEnd("標", 4)).toBe("標  ")
  expect(padEnd("long", 2)).toBe("long")
})
