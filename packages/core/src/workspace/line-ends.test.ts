import { expect, test } from "bun:test"
import fc from "fast-check"
import { commonLineEnd, lineEndOf, linesOf, withLineEnds } from "./line-ends.ts"

const text = fc.array(fc.constantFrom("a", "\n", "\r", "\r\n", " "), { maxLength: 12 }).map((parts) => parts.join(""))

test("lines put together are the text", () => {
  fc.assert(
    fc.property(text, (value) => {
      const lines = linesOf(value)
      expect(lines.map((line) => line.text + line.end).join("")).toBe(value)
      for (const line of lines) {
        expect(value.startsWith(line.text + line.end, line.start)).toBe(true)
        expect(line.text).not.toMatch(/[\r\n]/)
      }
      expect(lines.slice(0, -1).every((line) => line.end !== "")).toBe(true)
    }),
  )
})

test("the kind of line end", () => {
  expect(lineEndOf("")).toBe("none")
  expect(lineEndOf("a")).toBe("none")
  expect(lineEndOf("a\nb\n")).toBe("\n")
  expect(lineEndOf("a\r\nb\r\n")).toBe("\r\n")
  expect(lineEndOf("a\rb")).toBe("\r")
  expect(lineEndOf("a\r\nb\n")).toBe("mixed")
  expect(commonLineEnd("a\r\nb\nc\r\n")).toBe("\r\n")
  expect(commonLineEnd("a")).toBeUndefined()
})

test("converting there and back changes nothing of a uniform text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "\n", " "), { maxLength: 12 }), (parts) => {
      const value = parts.join("")
      for (const end of ["\n", "\r\n", "\r"] as const) {
        expect(withLineEnds(withLineEnds(value, end), "\n")).toBe(value)
        expect(withLineEnds(withLineEnds(value, end), end)).toBe(withLineEnds(value, end))
      }
    }),
  )
})
