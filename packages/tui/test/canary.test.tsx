import { afterEach, expect, test } from "bun:test"
import { testRender } from "@opentui/solid"
import { createSignal } from "solid-js"

let end = () => {}
afterEach(() => end())

// When the preload is missing, this one fails and every other test of a view passes without looking at anything.
test("a signal changes, and so does the frame", async () => {
  const [word, setWord] = createSignal("before")
  const { renderer, renderOnce, captureCharFrame } = await testRender(() => <text>{word()}</text>, {
    width: 20,
    height: 2,
  })
  end = () => renderer.destroy()
  await renderOnce()
  expect(captureCharFrame()).toContain("before")
  setWord("after")
  await renderOnce()
  expect(captureCharFrame()).toContain("after")
})
