import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { createSanitiser, sanitise, sanitiseLine } from "./sanitise.ts"

const dangerous =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u

describe("sanitise makes visible", () => {
  test.each([
    ["setting the clipboard", "\u001b]52;c;cm0gLXJm\u0007", "␛]52;c;cm0gLXJm␇"],
    ["CSI with ESC", "\u001b[2J\u001b[31mred", "␛[2J␛[31mred"],
    ["CSI as one byte", "\u009b31m", "<U+009B>31m"],
    ["a title", "\u001b]0;root@host\u001b\\", "␛]0;root@host␛\\"],
    ["going back over a line", "safe\rrm -rf", "safe␍rm -rf"],
    ["a backspace", "ab\u0008\u0008", "ab␈␈"],
    ["reordered text", "a\u202egnp.exe\u202c", "a<U+202E>gnp.exe<U+202C>"],
    ["isolates", "\u2066x\u2069", "<U+2066>x<U+2069>"],
    ["hidden tags", "hi\u{e0041}", "hi<U+E0041>"],
    ["a zero width space", "pass\u200bword", "pass<U+200B>word"],
    ["half a character", "\ud83d!", "\ufffd!"],
    ["NUL and DEL", "\u0000\u007f", "␀␡"],
  ])("%s", (_name, text, shown) => {
    expect(sanitise(text)).toBe(shown)
  })

  test("and leaves what people write", () => {
    const text = "Zeile\n\tEinzug — 標石 👩‍👩‍👧 נ שלום é"
    expect(sanitise(text)).toBe(text)
    expect(sanitise("a\r\nb")).toBe("a\nb")
  })

  test("on one line, line ends become spaces", () => {
    expect(sanitiseLine("a\n\tb\r\nc")).toBe("a b c")
  })
})

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u001b[", "\r", "\r\n", "\u202e", "\ud83d", "\ude00", "\u009b", "text"),
    ),
  )
  .map((pieces) => pieces.join(""))

test("nothing dangerous survives, and doing it twice changes nothing", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const clean = sanitise(text)
      expect(clean).not.toMatch(dangerous)
      expect(clean.isWellFormed()).toBe(true)
      expect(sanitise(clean)).toBe(clean)
    }),
  )
})

test("a text in pieces becomes the same as the whole", () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.nat(40)), (text, cuts) => {
      const sanitiser = createSanitiser()
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
      const shown = pieces.map((piece) => sanitiser.push(piece)).join("") + sanitiser.flush()
      expect(shown).toBe(sanitise(text))
    }),
  )
})
