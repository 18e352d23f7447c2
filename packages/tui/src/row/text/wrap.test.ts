import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { drawnWidths } from "../../terminal/drawn-widths.ts"
import { type Safe, sanitize, ui } from "../../terminal/sanitize.ts"
import { plainText, type Span } from "./span.ts"
import { truncate, truncateStart, wrap } from "./wrap.ts"

const widths = drawnWidths("unicode")
const span = (text: string, at = 0): Span => ({ text: sanitize(text), at })
const rows = (text: string, width: number, mode: "word" | "character" = "word") =>
  wrap([span(text)], widths, { width, mode }).map((line) => plainText(line.spans) as string)

describe("by words", () => {
  test.each([
    ["one two three", 7, ["one two", "three"]],
    ["one two three", 8, ["one two ", "three"]],
    ["one   two", 4, ["one ", "two"]],
    ["one two", 7, ["one two"]],
    ["supercalifragilistic", 6, ["superc", "alifra", "gilist", "ic"]],
    ["a supercalifragilistic", 6, ["a ", "superc", "alifra", "gilist", "ic"]],
    ["世界你好", 5, ["世界", "你好"]],
    ["ab世界", 4, ["ab世", "界"]],
    ["a👨‍👩‍👧‍👦b", 2, ["a", "👨‍👩‍👧‍👦", "b"]],
    ["e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
    ["  indented text", 10, ["  indented", "text"]],
    ["", 5, [""]],
  ] as const)("%j at %p", (text, width, expected) => {
    expect(rows(text, width)).toEqual([...expected])
  })
})

test("by characters, for code", () => {
  expect(rows("const answer = 42", 6, "character")).toEqual(["const ", "answer", " = 42"])
})

test("what stands before the lines takes its room, and is on each", () => {
  const lines = wrap([span("one two three four")], widths, {
    width: 10,
    mode: "word",
    first: [{ text: ui`• ` }],
    rest: [{ text: ui`  ` }],
  })
  expect(lines.map((line) => plainText(line.spans) as string)).toEqual(["• one two ", "  three ", "  four"])
  expect(lines.map(({ soft }) => soft)).toEqual([true, true, undefined])
})

test("looks and places in the source survive", () => {
  const bold: Span = { text: ui`bold words`, style: { bold: true }, at: 10 }
  const lines = wrap([span("plain "), bold, { text: ui`&`, at: 22, length: 5 }], widths, { width: 10, mode: "word" })
  expect(lines.map((line) => line.spans)).toEqual([
    [
      { text: ui`plain `, at: 0 },
      { text: ui`bold`, style: { bold: true }, at: 10 },
    ],
    [
      { text: ui`words`, style: { bold: true }, at: 15 },
      { text: ui`&`, at: 22, length: 5 },
    ],
  ])
})

const text = fc
  .oneof(
    fc.string({ unit: "grapheme-composite" }),
    fc.string({ unit: "grapheme" }),
    fc
      .array(fc.constantFrom("a", "word", " ", "  ", "世", "👨‍👩‍👧‍👦", "e\u0301", "-", "🇩🇪"), { maxLength: 40 })
      .map((list) => list.join("")),
  )
  .map((value) => sanitize(value).replaceAll("\n", " "))

test("for any text at any width: nothing is lost but spaces at breaks, no row is too wide, no character is cut", () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      (texts, width, words) => {
        let at = 0
        const spans = texts.map((each): Span => {
          const from = at
          at += each.length
          return { text: each as Safe, at: from }
        })
        const source = texts.join("")
        const lines = wrap(spans, widths, { width, mode: words ? "word" : "character" })
        let end = 0
        for (const line of lines) {
          const drawn = plainText(line.spans)
          expect(widths.of(drawn)).toBe(line.width)
          const widest = Math.max(width, ...widths.characters(drawn).map((character) => character.width))
          expect(line.width).toBeLessThanOrEqual(widest)
          for (const each of line.spans) {
            expect(source.slice(end, each.at)).toMatch(/^ *$/)
            expect(source.slice(each.at, (each.at ?? 0) + each.text.length)).toBe(each.text)
            end = (each.at ?? 0) + each.text.length
          }
        }
        expect(source.slice(end)).toMatch(/^ *$/)
      },
    ),
    { numRuns: 500 },
  )
})

test.each([
  ["abcdef", 6, "abcdef", "abcdef"],
  ["abcdef", 4, "abc…", "…def"],
  ["世界你好", 5, "世界…", "…你好"],
  ["世界你好", 4, "世…", "…好"],
  ["abc", 1, "…", "…"],
  ["abc", 0, "", ""],
] as const)("cut: %j to %p", (value, width, end, start) => {
  expect(truncate(sanitize(value), width, widths) as string).toBe(end)
  expect(truncateStart(sanitize(value), width, widths) as string).toBe(start)
})
