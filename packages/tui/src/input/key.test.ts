import { describe, expect, test } from "bun:test"
import { parseKeypress } from "@opentui/core"
import fc from "fast-check"
import { parseBindings, parseSequence, parseStroke, showSequence, strokeOf } from "./key.ts"

const pressed = (sequence: string) => {
  const key = parseKeypress(sequence, { useKittyKeyboard: true })
  if (key === null) throw new Error(JSON.stringify(sequence))
  return strokeOf({ super: false, ...key })
}
const parsed = (text: string) => {
  const stroke = parseStroke(text)
  if (!stroke.ok) throw new Error(stroke.error)
  return stroke.value
}

describe("what the terminal sends, without and with a keyboard protocol, is what the configuration says", () => {
  test.each([
    ["ctrl+x", "\x18", "\x1b[120;5u"],
    ["E", "E", "\x1b[101:69;2u"],
    ["shift+e", "E", "\x1b[101:69;2u"],
    ["?", "?", "\x1b[47:63;2u"],
    ["enter", "\r", "\x1b[13u"],
    ["esc", "\x1b", "\x1b[27u"],
    ["ctrl+j", "\n", "\x1b[106;5u"],
    ["shift+tab", "\x1b[Z", "\x1b[9;2u"],
    ["alt+enter", "\x1b\r", "\x1b[13;3u"],
    ["ctrl+-", "\x1f", "\x1b[45;5u"],
    ["alt+b", "\x1bb", "\x1b[98;3u"],
    ["ctrl+right", "\x1b[1;5C", "\x1b[1;5C"],
    ["shift+f2", "\x1b[1;2Q", "\x1b[1;2Q"],
    ["space", " ", "\x1b[32u"],
    ["backspace", "\x7f", "\x1b[127u"],
    ["é", "é", "\x1b[233u"],
    ["[", "[", "\x1b[91u"],
  ])("%s", (text, raw, kitty) => {
    expect(pressed(raw)).toBe(parsed(text))
    expect(pressed(kitty)).toBe(parsed(text))
  })

  test.each([
    ["shift+enter", "\x1b[13;2u"],
    ["ctrl+enter", "\x1b[27;5;13~"],
    ["super+z", "\x1b[122;9u"],
    ["alt+shift+b", "\x1b[98:66;4u"],
    ["ctrl+alt+u", "\x1b[117;7u"],
    ["ctrl+shift+d", "\x1b[100:68;6u"],
  ])("%s", (text, kitty) => {
    expect(pressed(kitty)).toBe(parsed(text))
  })
})

test.each([
  ["Ctrl+Alt+X", "ctrl+alt+x"],
  ["alt+ctrl+x", "ctrl+alt+x"],
  ["option+cmd+a", "alt+super+a"],
  ["ctrl++", "ctrl++"],
  ["+", "+"],
  ["shift+?", "?"],
  ["pgdn", "pagedown"],
  ["F12", "f12"],
])("%s is spelled %s", (text, stroke) => {
  expect(parsed(text)).toBe(stroke)
})

test.each([
  ["hyper+x", "no modifier"],
  ["ctrl+nonsense", "no key"],
  ["", "no key"],
  ["constructor+x", "no modifier"],
])("%j is refused: %s", (text, reason) => {
  expect(parseStroke(text)).toEqual({ ok: false, error: expect.stringContaining(reason) })
})

describe("sequences and alternatives", () => {
  test.each([
    ["ctrl+c,ctrl+d,<leader>q", [["ctrl+c"], ["ctrl+d"], ["<leader>", "q"]]],
    ["none", []],
    ["escape,q", [["escape"], ["q"]]],
    ["ctrl+k ctrl+c", [["ctrl+k", "ctrl+c"]]],
    ["ctrl+,", [["ctrl+,"]]],
    ["ctrl+,,a", [["ctrl+,"], ["a"]]],
    [",", [[","]]],
    ["+,a", [["+"], ["a"]]],
    ["ctrl++,a", [["ctrl++"], ["a"]]],
    ["ctrl+-,super+z", [["ctrl+-"], ["super+z"]]],
    ["ctrl+.,super+shift+z", [["ctrl+."], ["shift+super+z"]]],
    ["<leader>down", [["<leader>", "down"]]],
  ] as const)("%s", (text, expected) => {
    expect(parseBindings(text)).toEqual({ ok: true, value: expected as never })
  })

  test("one bad alternative spoils the whole, with its reason", () => {
    expect(parseBindings("ctrl+c,ctrl+nonsense")).toEqual({ ok: false, error: '"nonsense" is no key' })
    expect(parseSequence("  ")).toEqual({ ok: false, error: "there is no key" })
  })
})

test.each([
  [["<leader>", "q"], "ctrl+x q"],
  [["shift+return"], "shift+enter"],
  [["shift+e"], "E"],
  [["ctrl+shift+d"], "ctrl+shift+d"],
  [["escape"], "esc"],
  [["ctrl++"], "ctrl++"],
])("%j is read as %s", (sequence, text) => {
  expect(showSequence(sequence, "ctrl+x")).toBe(text)
})

test("a spelling is its own spelling, and what is shown can be written", () => {
  const stroke = fc
    .tuple(
      fc.subarray(["super", "shift", "ctrl", "alt"]),
      fc.constantFrom("a", "Z", "?", "é", "return", "f5", "+", "-", "space"),
    )
    .map(([modifiers, name]) => [...modifiers, name].join("+"))
  fc.assert(
    fc.property(stroke, (text) => {
      const once = parsed(text)
      expect(parsed(once)).toBe(once)
      expect(parsed(showSequence([once], "ctrl+x"))).toBe(once)
    }),
  )
})
