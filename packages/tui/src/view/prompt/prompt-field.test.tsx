import { expect, test } from "bun:test"
import type { TextareaRenderable } from "@opentui/core"
import { draw, widths } from "../../../test/draw.tsx"
import { type ChipContent, expanded } from "../../input/prompt-text.ts"
import { textareaKeys } from "../../input/textarea-keys.ts"
import { sanitizeSource } from "../../terminal/sanitize.ts"
import { PromptField } from "./prompt-field.ts"

const paste: ChipContent = { kind: "text", text: sanitizeSource("many\nlines") }

async function field() {
  let area: TextareaRenderable | undefined
  const screen = await draw(
    () => <textarea ref={(made: TextareaRenderable) => (area = made)} focused keyBindings={textareaKeys().keys} />,
    { width: 40, height: 5 },
  )
  return {
    screen,
    area: area!,
    field: new PromptField(
      area!,
      () => widths,
      () => undefined,
    ),
  }
}

test("text and cursor are counted in units, whatever the characters", async () => {
  const { screen, field: prompt } = await field()
  using _ = screen
  prompt.set({ text: "世界\n👨‍👩‍👧‍👦e\u0301!", chips: [] })
  expect(prompt.cursor).toBe("世界\n👨‍👩‍👧‍👦e\u0301!".length)
  prompt.cursor = 3
  await screen.mockInput.pasteBracketedText("ä")
  expect([prompt.text, prompt.cursor]).toEqual(["世界\nä👨‍👩‍👧‍👦e\u0301!", 4])
})

test("a chip moves with the text before it, and one backspace removes it", async () => {
  const { screen, field: prompt } = await field()
  using _ = screen
  prompt.insert("see 世 ")
  prompt.insertChip("[pasted 2 lines]", paste)
  await screen.mockInput.typeText("now")
  prompt.cursor = 0
  await screen.mockInput.typeText("x")
  expect(prompt.text).toBe("xsee 世 [pasted 2 lines] now")
  expect(prompt.prompt.chips).toEqual([{ from: 7, to: 23, content: paste }])
  expect(expanded(prompt.prompt).text).toBe("xsee 世 many\nlines now")
  prompt.cursor = 23
  expect(prompt.chipAtCursor?.content).toBe(paste)
  screen.mockInput.pressBackspace()
  expect([prompt.text, prompt.prompt.chips]).toEqual(["xsee 世  now", []])
})

test("what replaces a range is text, or a chip with a space behind it", async () => {
  const { screen, field: prompt } = await field()
  using _ = screen
  prompt.insert("look at @src and go")
  prompt.replace(8, 12, "@src/a.ts", { kind: "file", path: "/w/src/a.ts" })
  expect(prompt.text).toBe("look at @src/a.ts  and go")
  expect(prompt.prompt.chips.map(({ from, to }) => prompt.text.slice(from, to))).toEqual(["@src/a.ts"])
  expect(prompt.cursor).toBe(18)
  prompt.replace(0, 4, "See")
  expect([prompt.text, prompt.cursor]).toEqual(["See at @src/a.ts  and go", 3])
  expect(prompt.prompt.chips.map(({ from, to }) => prompt.text.slice(from, to))).toEqual(["@src/a.ts"])
})

test("another prompt takes its place, with its chips, and can be undone", async () => {
  const { screen, area, field: prompt } = await field()
  using _ = screen
  prompt.insert("first")
  prompt.set({ text: "a [x] b", chips: [{ from: 2, to: 5, content: paste }] })
  expect(prompt.prompt.chips).toEqual([{ from: 2, to: 5, content: paste }])
  expect(prompt.cursor).toBe(7)
  area.undo()
  expect(prompt.text).toBe("first")
})

test("it knows its first and last row as they are wrapped", async () => {
  const { screen, field: prompt } = await field()
  using _ = screen
  prompt.insert(`${"word ".repeat(12)}end`)
  await screen.frame()
  expect([prompt.isOnFirstRow, prompt.isOnLastRow]).toEqual([false, true])
  prompt.cursor = 3
  await screen.frame()
  expect([prompt.isOnFirstRow, prompt.isOnLastRow]).toEqual([true, false])
})
