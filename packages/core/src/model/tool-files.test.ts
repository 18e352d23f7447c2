import { expect, test } from "bun:test"
import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider"
import { filesAfterResults } from "./tool-files.ts"

const file = (name: string): LanguageModelV4FilePart => ({
  type: "file",
  mediaType: "image/png",
  filename: name,
  data: { type: "data", data: "AAAA" },
})
const result = (id: string, output: LanguageModelV4ToolResultPart["output"]): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "read",
  output,
})
const user: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: "go on" }] }

test("files stand in a user message after all results of the step, which keep their text", () => {
  const results: LanguageModelV4Message = {
    role: "tool",
    content: [
      result("1", { type: "content", value: [{ type: "text", text: "(attached: a)" }, file("a")] }),
      result("2", { type: "text", value: "plain" }),
      result("3", { type: "content", value: [{ type: "text", text: "(attached: b)" }, file("b")] }),
    ],
  }
  const moved = filesAfterResults([user, results, user])
  expect(moved).toHaveLength(4)
  expect([moved[0], moved[3]]).toEqual([user, user])
  expect(moved[1]).toEqual({
    role: "tool",
    content: [
      result("1", { type: "text", value: "(attached: a)" }),
      result("2", { type: "text", value: "plain" }),
      result("3", { type: "text", value: "(attached: b)" }),
    ],
  })
  expect(moved[2]).toEqual({
    role: "user",
    content: [{ type: "text", text: expect.stringContaining("files") }, file("a"), file("b")],
  })
})

test("what has no files is left as it is", () => {
  const messages: LanguageModelV4Message[] = [
    user,
    { role: "tool", content: [result("1", { type: "error-text", value: "no" })] },
    { role: "assistant", content: [{ type: "text", text: "ok" }] },
  ]
  expect(filesAfterResults(messages)).toEqual(messages)
})
