import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { Capture, startOfCharacter, wholeLength } from "./capture.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

function captured(limit: number, chunks: Uint8Array[]): Capture {
  const capture = new Capture(limit)
  for (const chunk of chunks) capture.push(chunk)
  return capture
}

describe("Capture", () => {
  test("gives back what fits, byte for byte", () => {
    const chunk = fc.string({ unit: "grapheme", maxLength: 40 }).map(bytes)
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
        const whole = Buffer.concat(chunks)
        const capture = captured(Math.max(1, whole.length), chunks)
        expect(capture.text()).toBe(new TextDecoder().decode(whole))
        expect(capture.omitted).toBe(0)
      }),
      { seed: 3 },
    )
  })

  test("keeps the head and the tail of what does not, whatever the chunks are", () => {
    const ascii = fc.string({ minLength: 1, maxLength: 60 }).map((text) => text.replace(/[^ -~]/g, "x"))
    fc.assert(
      fc.property(
        fc.array(ascii, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 2, max: 100 }),
        (texts, limit) => {
          const whole = texts.join("")
          fc.pre(whole.length > limit)
          const capture = captured(limit, texts.map(bytes))
          const half = Math.floor(limit / 2)
          const [head, tail] = [whole.slice(0, half), whole.slice(whole.length - (limit - half))]
          expect(capture.text()).toBe(`${head}\n[${whole.length - limit} bytes left out]\n${tail}`)
          expect(capture.omitted).toBe(whole.length - limit)
          expect(capture.total).toBe(whole.length)
        },
      ),
      { seed: 4 },
    )
  })

  test("does not cut a character in two", () => {
    const text = captured(20, [bytes("€".repeat(50))]).text()
    expect(text).toBe("€€€\n[132 bytes left out]\n€€€")
    expect(text).not.toContain("\ufffd")
  })

  test("keeps nothing when it may keep nothing", () => {
    const capture = captured(0, [bytes("abc")])
    expect(capture.total).toBe(3)
    expect(capture.text()).toContain("[3 bytes left out]")
  })
})

describe("cuts between characters", () => {
  test.each(["a", "é", "€", "😀"])("%s", (character) => {
    const whole = bytes(character)
    expect(wholeLength(whole)).toBe(whole.length)
    for (let cut = 1; cut < whole.length; cut++) {
      expect(wholeLength(whole.subarray(0, cut))).toBe(0)
      expect(startOfCharacter(whole.subarray(cut))).toBe(whole.length - cut)
    }
  })

  test("bytes that are no UTF-8 at all are left alone", () => {
    expect(wholeLength(new Uint8Array([0x80, 0x80, 0x80, 0x80, 0x80]))).toBe(5)
    expect(startOfCharacter(new Uint8Array([0x80, 0x80, 0x80, 0x80]))).toBe(3)
    expect(wholeLength(new Uint8Array(0))).toBe(0)
  })
})
