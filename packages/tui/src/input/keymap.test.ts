import { describe, expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { parseBindings } from "./key.ts"
import { type Binding, type Focus, Keymap, type Layer, layers, type Pressed } from "./keymap.ts"

function binding(command: string, layer: Layer, keys: string): Binding {
  const sequences = parseBindings(keys)
  if (!sequences.ok) throw new Error(sequences.error)
  return { command, layer, sequences: sequences.value }
}

const bindings = [
  binding("session.list", "global", "<leader>l"),
  binding("session.new", "global", "<leader>n"),
  binding("app.quit", "global", "ctrl+c,ctrl+d"),
  binding("prompt.clear", "prompt", "ctrl+c"),
  binding("transcript.down", "transcript", "j"),
  binding("dialog.close", "dialog", "escape"),
  binding("comment", "global", "ctrl+k ctrl+c"),
]

function bench() {
  const clock = new TestClock()
  let timeouts = 0
  const keymap = new Keymap(bindings, { leader: "ctrl+x", timeout: 2_000, clock, onTimeout: () => timeouts++ })
  const focus = (shown: readonly Layer[], not: readonly string[] = []): Focus => ({
    layers: layers.filter((layer) => shown.includes(layer)),
    may: (command) => !not.includes(command),
  })
  return { clock, keymap, focus, timeouts: () => timeouts }
}

const inPrompt: readonly Layer[] = ["prompt", "global"]
const ran = (command: string): Pressed => ({ kind: "run", command })

test("a key runs its command, and one that nobody wants is the widget's", () => {
  const { keymap, focus } = bench()
  expect(keymap.press("ctrl+d", focus(inPrompt))).toEqual(ran("app.quit"))
  expect(keymap.press("a", focus(inPrompt))).toEqual({ kind: "pass" })
  expect(keymap.press("j", focus(inPrompt))).toEqual({ kind: "pass" })
  expect(keymap.press("j", focus(["transcript", "global"]))).toEqual(ran("transcript.down"))
})

test("the innermost layer has it, unless its command may not run", () => {
  const { keymap, focus } = bench()
  expect(keymap.press("ctrl+c", focus(inPrompt))).toEqual(ran("prompt.clear"))
  expect(keymap.press("ctrl+c", focus(inPrompt, ["prompt.clear"]))).toEqual(ran("app.quit"))
  expect(keymap.press("ctrl+c", focus(inPrompt, ["prompt.clear", "app.quit"]))).toEqual({ kind: "pass" })
})

describe("a sequence that was begun", () => {
  test("says how it goes on, and owns the next key in every layer", () => {
    const { keymap, focus } = bench()
    expect(keymap.press("ctrl+x", focus(inPrompt))).toEqual({
      kind: "pending",
      next: [
        { stroke: "l", command: "session.list", more: false },
        { stroke: "n", command: "session.new", more: false },
      ],
    })
    expect(keymap.isBegun).toBe(true)
    expect(keymap.press("n", focus(["popup", "prompt", "global"]))).toEqual(ran("session.new"))
    expect(keymap.isBegun).toBe(false)
  })

  test("swallows a key that does not go on with it: it is never typed", () => {
    const { keymap, focus } = bench()
    keymap.press("ctrl+x", focus(inPrompt))
    expect(keymap.press("z", focus(inPrompt))).toEqual({ kind: "unknown" })
    expect(keymap.press("z", focus(inPrompt))).toEqual({ kind: "pass" })
  })

  test("ends with escape, which then closes nothing", () => {
    const { keymap, focus } = bench()
    keymap.press("ctrl+x", focus(["dialog", "global"]))
    expect(keymap.press("escape", focus(["dialog", "global"]))).toEqual({ kind: "cancelled" })
    expect(keymap.press("escape", focus(["dialog", "global"]))).toEqual(ran("dialog.close"))
  })

  test("is forgotten after its time, and there is no timer without one", async () => {
    const { keymap, focus, clock, timeouts } = bench()
    expect(clock.pending).toBe(0)
    keymap.press("ctrl+x", focus(inPrompt))
    await clock.advance(2_000)
    expect([timeouts(), keymap.isBegun, clock.pending]).toEqual([1, false, 0])
    expect(keymap.press("n", focus(inPrompt))).toEqual({ kind: "pass" })
  })

  test("may be longer than two, of keys that are no leader", () => {
    const { keymap, focus } = bench()
    expect(keymap.press("ctrl+k", focus(inPrompt)).kind).toBe("pending")
    expect(keymap.press("ctrl+c", focus(inPrompt))).toEqual(ran("comment"))
  })

  test("shows only what may run", () => {
    const { keymap, focus } = bench()
    const pressed = keymap.press("ctrl+x", focus(inPrompt, ["session.list"]))
    expect(pressed).toEqual({ kind: "pending", next: [{ stroke: "n", command: "session.new", more: false }] })
    keymap.forget()
    expect(keymap.press("ctrl+x", focus(inPrompt, ["session.list", "session.new"]))).toEqual({ kind: "pass" })
  })
})

test("other bindings hold from now on", () => {
  const { keymap, focus } = bench()
  keymap.press("ctrl+x", focus(inPrompt))
  keymap.replace([binding("session.new", "global", "f5")])
  expect(keymap.press("n", focus(inPrompt))).toEqual({ kind: "pass" })
  expect(keymap.press("f5", focus(inPrompt))).toEqual(ran("session.new"))
})
