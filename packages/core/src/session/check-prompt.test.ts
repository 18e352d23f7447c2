import { expect, test } from "bun:test"
import type { PromptPart } from "@cairn/schema/prompt"
import { checkPrompt, largestFile } from "./check-prompt.ts"

const ref = { providerID: "p", modelID: "m" }
const known = { context: 1_000, output: 100, known: true }
const text = (value: string): PromptPart => ({ type: "text", text: value })
const file = (bytes: number): PromptPart => ({
  type: "file",
  mime: "image/png",
  filename: "a.png",
  url: `data:image/png;base64,${"A".repeat(Math.ceil((bytes * 4) / 3))}`,
})
const check = (parts: PromptPart[], limits = known, system?: string) =>
  checkPrompt({ parts, ...(system !== undefined && { system }) }, { ref, limits })

test("what says nothing is refused, a file alone is a prompt", () => {
  for (const parts of [[], [text("")], [text(" \n\t"), text("")]]) {
    expect(check(parts)).toEqual({ kind: "usage", message: "The prompt is empty. Say what is to be done." })
  }
  expect(check([file(10)])).toBeUndefined()
  expect(check([text("  "), { type: "agent", name: "explore" }])).toBeUndefined()
})

test("a file that no provider takes is refused by its size", () => {
  expect(check([text("hi"), file(largestFile + 1_000)])).toMatchObject({
    kind: "file",
    message: expect.stringContaining("a.png is larger than 20 MB"),
  })
  expect(check([text("hi"), file(largestFile - 1_000)])).toBeUndefined()
})

test("more text than the model can take is refused with both figures and a way out", () => {
  expect(check([text("x".repeat(4_000))])).toBeUndefined()
  const refused = check([text("x".repeat(3_000)), text("y".repeat(1_001))])
  expect(refused?.kind).toBe("usage")
  expect(refused?.message).toContain("about 1001 tokens, and p/m takes 1000")
  expect(refused?.message).toContain("Put the text into a file")
  expect(check([text("x".repeat(3_000))], known, "s".repeat(2_000))).toMatchObject({ kind: "usage" })
  expect(check([text("x".repeat(2_500))], { ...known, input: 500 } as never)).toMatchObject({ kind: "usage" })
  expect(check([text("x".repeat(10_000_000))])?.message).toContain("about 2.5M tokens")
})

test("where nobody told the limit, only what fits no model is refused", () => {
  const guessed = { ...known, known: false }
  expect(check([text("x".repeat(1_000_000))], guessed)).toBeUndefined()
  expect(check([text("x".repeat(10_000_000))], guessed)).toMatchObject({ kind: "usage" })
})
