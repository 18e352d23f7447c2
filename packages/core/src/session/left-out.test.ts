import { expect, test } from "bun:test"
import type { PromptPart } from "@cairn/schema/prompt"
import { leftOutOf } from "./left-out.ts"

const file = (mime: string, url: string): PromptPart => ({ type: "file", mime, filename: "a.bin", url })
const large = `data:image/png;base64,iVBORw0KGgoA${"A".repeat(5 * 1024 * 1024)}`
const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const target = { providerID: "p", modelID: "m", accepts: (mime: string) => mime === "image/png" }

test("what the model takes, text, and what is not read yet give no note", () => {
  const parts: PromptPart[] = [
    { type: "text", text: "[The file x is a joke]" },
    file("image/png", png),
    file("text/plain", "data:text/plain,[The file x]"),
    file("image/png", "file:///tmp/none.png"),
  ]
  expect(leftOutOf(parts, target)).toEqual([])
})

test("everything else is said, with the reason", () => {
  const blind = { ...target, accepts: () => false }
  expect(leftOutOf([file("image/png", png)], blind)).toEqual([
    "The file a.bin (image/png) was left out: this model does not take such files; the model is told",
  ])
  expect(leftOutOf([file("image/png", "data:image/png;base64,")], target)).toEqual([
    "The file a.bin is empty; the model is told",
  ])
  expect(leftOutOf([file("image/png", "data:image/png;base64,AAAA")], target)).toEqual([
    expect.stringContaining("no picture or document that can be read"),
  ])
  expect(leftOutOf([file("image/png", large)], target)).toEqual([expect.stringContaining("larger than the 5 MB")])
  expect(leftOutOf([file("image/tiff", "data:image/tiff;base64,SUkqAA==")], target)).toEqual([
    expect.stringContaining("does not take such files"),
  ])
})
