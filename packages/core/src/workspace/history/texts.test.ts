import { expect, test } from "bun:test"
import fc from "fast-check"
import { encodeText } from "../encoding.ts"
import { largestText } from "../files.ts"
import { textsOf } from "./texts.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

test("texts of one encoding are decoded, and encoded in it again", () => {
  const plain = textsOf(utf8("é\n"), utf8("ü\n"))
  expect(plain?.texts).toEqual(["é\n", "ü\n"])
  expect(plain?.encode("ö")).toEqual(Buffer.from("ö"))
  const wide = { encoding: "utf-16le", bom: true } as const
  const pair = textsOf(encodeText("a\n", wide)!, encodeText("b\n", wide)!)
  expect(pair?.texts).toEqual(["a\n", "b\n"])
  expect(pair?.encode("c")).toEqual(encodeText("c", wide)!)
})

test("what is no UTF-8, or changed its encoding, is taken byte by byte", () => {
  const latin = textsOf(new Uint8Array([0xe9, 10]), utf8("é\n"))
  expect(latin?.texts).toEqual(["\xe9\n", "\xc3\xa9\n"])
  expect(latin?.encode("\xe9\n")).toEqual(Buffer.from([0xe9, 10]))
  expect(textsOf(utf8("a\n"), utf8("\ufeffa\n"))?.texts[1]).toBe("\xef\xbb\xbfa\n")
})

test("binary and too large contents are no texts", () => {
  expect(textsOf(utf8("a\n"), new Uint8Array([0, 1]))).toBeUndefined()
  expect(textsOf(utf8("a\n"), encodeText("a", { encoding: "utf-16be", bom: true })!)).toBeUndefined()
  expect(textsOf(utf8("a\n"), new Uint8Array(largestText + 1).fill(97))).toBeUndefined()
})

test("whatever is text becomes the same bytes again", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (a, b) => {
      const both = textsOf(a, b)
      if (!both) expect(a.includes(0) || b.includes(0)).toBe(true)
      else for (const [at, bytes] of [a, b].entries()) expect(both.encode(both.texts[at]!)).toEqual(Buffer.from(bytes))
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})
