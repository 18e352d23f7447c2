import { afterEach, expect, test } from "bun:test"
import { testRender } from "@opentui/solid"
import type { TextareaRenderable } from "@opentui/core"
import { originalNames } from "./original-names.ts"
import { textareaKeys } from "./textarea-keys.ts"

let end = () => {}
afterEach(() => end())

async function textarea(keybinds?: Record<string, string>) {
  let area: TextareaRenderable | undefined
  const { renderer, mockInput, renderOnce } = await testRender(
    () => (
      <textarea ref={(made: TextareaRenderable) => (area = made)} focused keyBindings={textareaKeys(keybinds).keys} />
    ),
    { width: 40, height: 5, kittyKeyboard: true },
  )
  end = () => renderer.destroy()
  await renderOnce()
  return { area: area!, mockInput }
}

test("every name is the original's", () => {
  const known = [...originalNames].filter((name) => name.startsWith("input_")).length
  expect(known).toBe(37)
  expect(textareaKeys({ input_undo: "ctrl+nonsense" }).warnings).toEqual([
    'keybinds.input_undo: "nonsense" is no key; the default stays',
  ])
  expect(textareaKeys({ input_undo: "<leader>u" }).warnings[0]).toContain("one key at a time")
  expect(textareaKeys().warnings).toEqual([])
})

test("the emacs keys of a shell edit", async () => {
  const { area, mockInput } = await textarea()
  await mockInput.typeText("one two")
  mockInput.pressKey("w", { ctrl: true })
  expect(area.plainText).toBe("one ")
  mockInput.pressKey("a", { ctrl: true })
  await mockInput.typeText("x")
  expect(area.plainText).toBe("xone ")
  mockInput.pressKey("k", { ctrl: true })
  expect(area.plainText).toBe("x")
  mockInput.pressKey("-", { ctrl: true })
  expect(area.plainText).toBe("xone ")
})

test("the user's keys replace ours, and the textarea has none of its own", async () => {
  const { area, mockInput } = await textarea({ input_delete_word_backward: "ctrl+y", input_undo: "none" })
  await mockInput.typeText("one two")
  mockInput.pressKey("w", { ctrl: true })
  expect(area.plainText).toBe("one two")
  mockInput.pressKey("y", { ctrl: true })
  expect(area.plainText).toBe("one ")
  mockInput.pressKey("-", { ctrl: true })
  expect(area.plainText).toBe("one ")
  mockInput.pressEnter()
  expect(area.plainText).toBe("one ")
})
