import { describe, expect, test } from "bun:test"
import { isWanted, notificationBytes, type NotifyState, type Occasion } from "./notify.ts"

const away: NotifyState = { focused: false, onScreen: true, took: 60_000, wanted: ["ask", "question", "error", "done"] }

describe("the user is called", () => {
  test.each([
    ["ask", {}, true],
    ["ask", { focused: true }, false],
    ["ask", { focused: true, onScreen: false }, true],
    ["done", {}, true],
    ["done", { took: 10_000 }, false],
    ["done", { took: 10_001 }, true],
    ["error", { took: 0 }, true],
    ["error", { wanted: ["ask"] }, false],
    ["question", { wanted: [] }, false],
  ] as const)("for %s with %j: %p", (occasion, change, expected) => {
    expect(isWanted(occasion as Occasion, { ...away, ...change })).toBe(expected)
  })
})

describe("in the terminal's own way", () => {
  const bytes = (via: Parameters<typeof notificationBytes>[0], name = "xterm", multiplexer?: "tmux") =>
    notificationBytes(via, "cairn", "the turn is done", { name, multiplexer })

  test.each([
    ["osc9", "\x1b]9;cairn: the turn is done\x07"],
    ["osc777", "\x1b]777;notify;cairn;the turn is done\x07"],
    ["osc99", "\x1b]99;i=cairn:d=0:p=title;cairn\x1b\\\x1b]99;i=cairn:d=1:p=body;the turn is done\x1b\\"],
    ["bell", "\x07"],
    ["none", ""],
  ] as const)("%s", (via, expected) => {
    expect(bytes(via)).toBe(expected)
  })

  test.each([
    ["xterm-kitty", "\x1b]99;"],
    ["WezTerm", "\x1b]9;"],
    ["ghostty", "\x1b]9;"],
    ["iTerm.app", "\x1b]9;"],
    ["foot", "\x1b]777;"],
    ["rxvt-unicode", "\x1b]777;"],
    ["xterm-256color", "\x07"],
  ])("%s is known", (name, start) => {
    expect(bytes("auto", name)).toStartWith(start)
  })

  test("through tmux it is wrapped, and a bell needs no wrapping", () => {
    expect(bytes("osc9", "x", "tmux")).toBe("\x1bPtmux;\x1b\x1b]9;cairn: the turn is done\x07\x1b\\")
    expect(bytes("bell", "x", "tmux")).toBe("\x07")
  })
})

test("words end no sequence early", () => {
  const body = "a\x07b\x1b\\c\x1b]52;c;AAAA\x07;d\n\u009ce"
  const sent = notificationBytes("osc777", "t;i\x1b", body, { name: "x", multiplexer: undefined })
  expect(sent).toBe("\x1b]777;notify;t,i␛;a␇bc,d ⟨U+009C⟩e\x07")
  const long = notificationBytes("osc9", "t", "x".repeat(1_000), { name: "x", multiplexer: undefined })
  expect(long).toBe(`\x1b]9;t: ${"x".repeat(200)}\x07`)
})
