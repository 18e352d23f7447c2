import { expect, test } from "bun:test"
import { type LanguageModelV4StreamPart, TypeValidationError } from "@ai-sdk/provider"
import { createKnownOnly } from "./strange-events.ts"

const strange = (value: unknown): LanguageModelV4StreamPart => ({
  type: "error",
  error: new TypeValidationError({ value, cause: new Error("invalid") }),
})
const said: LanguageModelV4StreamPart = { type: "text-delta", id: "1", delta: "Hi." }
const finish = (unified: "stop" | "error" | "other"): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason: { unified, raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
})
function seen(...parts: LanguageModelV4StreamPart[]) {
  const passed: unknown[] = []
  const known = createKnownOnly((error) => passed.push(error))
  return { parts: parts.flatMap((part) => known(part) ?? []), passed }
}

test("an event of an unknown kind is passed over, and told", () => {
  const { parts, passed } = seen(said, strange({ type: "hologram", x: [1] }), said, finish("stop"))
  expect(parts).toEqual([said, said, finish("stop")])
  expect(passed).toHaveLength(1)
})

test("an answer that failed for its sake alone is whole, when there is something in it", () => {
  expect(seen(said, finish("stop"), strange({ x: 1 }), finish("error")).parts).toEqual([
    said,
    finish("stop"),
    finish("other"),
  ])
  const empty = strange({ x: 1 })
  expect(seen(empty, finish("error")).parts).toEqual([empty])
  expect(seen(finish("error")).parts).toEqual([finish("error")])
})

test.each<[string, unknown]>([
  ["an error", { error: "overloaded" }],
  ["an error by its type", { type: "stream_error", x: 1 }],
  ["a failure", { type: "response.failed" }],
  ["a call", { choices: [{ delta: { tool_calls: "x" } }] }],
  ["a call of Google's", { candidates: [{ content: { parts: [{ functionCall: 1 }] } }] }],
  ["no object", [1]],
  ["nothing", null],
])("what speaks of %s is not passed over", (_, value) => {
  const part = strange(value)
  expect(seen(said, part, finish("stop")).parts).toEqual([said, part, finish("stop")])
})

test("other errors are what they are", () => {
  const broken: LanguageModelV4StreamPart = { type: "error", error: new Error("JSON") }
  const odd: LanguageModelV4StreamPart = { type: "error", error: "text" }
  expect(seen(broken, odd).parts).toEqual([broken, odd])
})

test.each<[string, unknown]>([
  ["an event whose kind names a tool", { type: "tool_hologram", call: 1, error: null }],
  ["a block", { type: "content_block_start", index: 1, content_block: { type: "tool_hologram", function: "x" } }],
  ["a piece of a block", { type: "content_block_delta", index: 1, delta: { type: "hologram_delta", call: 1 } }],
  ["a frame without content", { weird: 1, tool: "x" }],
])("%s of an unknown kind is passed over whatever it speaks of", (_, value) => {
  expect(seen(said, strange(value), finish("stop")).parts).toEqual([said, finish("stop")])
})

test.each<[string, unknown]>([
  ["block of a call", { type: "content_block_start", content_block: { type: "tool_use", id: 1 } }],
  ["piece of a call", { type: "content_block_delta", delta: { type: "input_json_delta" }, tool: 1 }],
  ["word of an error", { code: 500, message: "busy" }],
])("a broken %s is not passed over", (_, value) => {
  const part = strange(value)
  expect(seen(said, part, finish("stop")).parts).toEqual([said, part, finish("stop")])
})
