import { expect, test } from "bun:test"
import fc from "fast-check"
import { decodeText, detectEncoding, encodeText } from "./encoding.ts"
import type { TextEncoding } from "./encoding.ts"

const encodings: TextEncoding[] = [
  { encoding: "utf-8", bom: false },
  { encoding: "utf-8", bom: true },
  { encoding: "utf-16le", bom: true },
  { encoding: "utf-16be", bom: true },
]
const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("\0") && !value.startsWith("\ufeff"))

test("every encoding gives the same text and the same bytes back", () => {
  fc.assert(
    fc.property(text, fc.constantFrom(...encodings), (value, encoding) => {
      const bytes = encodeText(value, encoding)
      if (!bytes) return expect(value.isWellFormed()).toBe(false)
      const decoded = decodeText(bytes)
      expect(decoded).toEqual({ ok: true, value: { text: value, encoding } })
      if (decoded.ok) expect(encodeText(decoded.value.text, decoded.value.encoding)).toEqual(bytes)
    }),
  )
})

test("bytes that decode encode back to themselves, whatever they are", () => {
  const head = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf])
  fc.assert(
    fc.property(head, fc.uint8Array({ maxLength: 12 }), (mark, rest) => {
      const bytes = new Uint8Array([...mark, ...rest])
      const decoded = decodeText(bytes)
      if (decoded.ok)
        expect(new Uint8Array(encodeText(decoded.value.text, decoded.value.encoding) ?? [])).toEqual(bytes)
    }),
    { numRuns: 500 },
  )
})

test("binary is told from text in another encoding", () => {
  expect(decodeText(new Uint8Array([0x61, 0, 0x62]))).toEqual({ ok: false, error: "nul" })
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0, 0]))).toEqual({ ok: false, error: "nul" })
  expect(decodeText(new Uint8Array([0x63, 0x61, 0x66, 0xe9]))).toEqual({ ok: false, error: "invalid" })
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x61]))).toEqual({ ok: false, error: "invalid" })
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x00, 0xd8]))).toEqual({ ok: false, error: "invalid" })
})

test("an empty file is plain text, and half a surrogate pair cannot be written", () => {
  expect(decodeText(new Uint8Array())).toMatchObject({ ok: true, value: { text: "" } })
  expect(detectEncoding(new Uint8Array([0xef, 0xbb]))).toEqual({ encoding: "utf-8", bom: false })
  for (const encoding of encodings) expect(encodeText("a\ud800b", encoding)).toBeUndefined()
})
