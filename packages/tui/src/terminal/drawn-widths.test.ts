import { expect, test } from "bun:test"
import { TextBuffer, TextBufferView, type WidthMethod } from "@opentui/core"
import fc from "fast-check"
import { drawnWidths } from "./drawn-widths.ts"
import { sanitize } from "./sanitize.ts"

const methods: readonly WidthMethod[] = ["unicode", "wcwidth"]

/** Columns of whole lines, as the renderer lays them out. */
function drawn(method: WidthMethod, lines: readonly string[]): readonly number[] {
  const buffer = TextBuffer.create(method)
  const view = TextBufferView.create(buffer)
  view.setWrapMode("none")
  buffer.setText(lines.join("\n"))
  const widths = view.lineInfo.lineWidthCols
  view.destroy()
  buffer.destroy()
  return widths
}

test.each([
  ["abc", 3],
  ["", 0],
  ["世界", 4],
  ["e\u0301", 1],
  ["👨‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["한국", 4],
  ["─│◐", 3],
] as const)("%j takes %p columns", (text, columns) => {
  expect(drawnWidths("unicode").of(text)).toBe(columns)
})

test.each(methods)("the sum of the characters is what is drawn (%s)", (method) => {
  const widths = drawnWidths(method)
  const line = fc.oneof(fc.string({ unit: "grapheme-composite" }), fc.string({ unit: "grapheme" }), fc.string())
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (texts) => {
      const lines = texts.map((text) => sanitize(text).replaceAll("\n", " "))
      expect(lines.map((text) => widths.of(text))).toEqual([...drawn(method, lines)])
      for (const text of lines) {
        const characters = widths.characters(text)
        expect(characters.map((character) => character.text).join("")).toBe(text)
        expect(characters.reduce((sum, character) => sum + character.width, 0)).toBe(widths.of(text))
      }
    }),
    { numRuns: 300 },
  )
})

test("a character is measured once", () => {
  const widths = drawnWidths("unicode")
  const first = widths.characters("世界世界")
  expect(first.map(({ width }) => width)).toEqual([2, 2, 2, 2])
  expect(widths.of("界世")).toBe(4)
})

test("more characters than are remembered are still right", () => {
  const widths = drawnWidths("unicode")
  const many = Array.from({ length: 25_000 }, (_, at) => String.fromCodePoint(0x20000 + at)).join("")
  expect(widths.of(many)).toBe(50_000)
  expect(widths.of("\u{20000}世a")).toBe(5)
})
