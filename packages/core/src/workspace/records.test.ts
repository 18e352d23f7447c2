import { expect, test } from "bun:test"
import fc from "fast-check"
import { recordSplitter } from "./records.ts"

function split(chunks: Uint8Array[], limit: number): [string, boolean][] {
  const records: [string, boolean][] = []
  const splitter = recordSplitter(0x0a, limit, (text, cut) => records.push([text, cut]))
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return records
}

test("records do not depend on where the chunks are cut", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\n"))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const whole = new TextEncoder().encode(lines.map((one) => `${one}\n`).join(""))
      const chunks: Uint8Array[] = []
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size))
      expect(split(chunks, 1_000)).toEqual(lines.map((one) => [one, false]))
    }),
    { seed: 5 },
  )
})

test("a record that is too long keeps its beginning and says so; the next is whole again", () => {
  const text = Buffer.from(`${"x".repeat(50)}\nshort\nlast`)
  expect(split([text.subarray(0, 7), text.subarray(7)], 10)).toEqual([
    ["xxxxxxxxxx", true],
    ["short", false],
    ["last", false],
  ])
})
