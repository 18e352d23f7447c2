import { describe, expect, test } from "bun:test"
import { createStreamEnd } from "./stream-end.ts"

const frame = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
const chat = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  frame({ choices: [{ index: 0, delta, finish_reason }], ...more })
const call = chat({ tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: "{}" } }] })
const google = (text: string, more: object = {}) => frame({ candidates: [{ content: { parts: [{ text }] }, ...more }] })
const error = frame({ error: { message: "too late" } })

/** What passes of a stream that comes in pieces of a size, and how often something was ignored. */
function through(key: string, stream: string, size = 1_000_000): { passed: string; ignored: number } {
  let ignored = 0
  const end = createStreamEnd(key, () => ignored++)!
  const bytes = Buffer.from(stream)
  const out: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) out.push(end.take(bytes.subarray(at, at + size)))
  out.push(end.rest())
  return { passed: Buffer.concat(out).toString(), ignored }
}

describe.each([1, 7, 1_000_000])("in pieces of %d bytes", (size) => {
  test.each<[string, string]>([
    ["compat", chat({ content: 'Größe "finish_reason": 😀' }) + chat({}, "stop") + frame("[DONE]")],
    ["compat", `: ping\r\n\r\n${chat({ content: "a" }).replaceAll("\n", "\r\n")}${chat({}, "")}${call}`],
    [
      "anthropic",
      frame({ type: "ping" }) + frame({ type: "x", text: "message_stop" }) + frame({ type: "message_stop" }),
    ],
    ["openai", frame({ type: "response.created" }) + frame({ type: "response.completed", response: {} })],
    ["google", google("a") + google("b", { finishReason: "STOP" })],
    ["compat", "data: {broken\n\n" + chat({ content: "no blank line behind it" }).trimEnd()],
  ])("a whole answer of %s stays what it is", (key, stream) => {
    expect(through(key, stream, size)).toEqual({ passed: stream, ignored: 0 })
  })

  test("of chat completions the usage counts behind the finish reason, and nothing else", () => {
    const usage = { usage: { prompt_tokens: 1 }, note: "é" }
    const answer = chat({ content: "Fine." }, "stop")
    const late = call + chat({ content: " Late." }) + chat({}, "tool_calls") + error + "data: {broken\n\n"
    const counted = frame({ choices: [], ...usage })
    expect(through("compat", answer + late + counted + frame("[DONE]") + late, size)).toEqual({
      passed: answer + counted + frame("[DONE]"),
      ignored: 1,
    })
    expect(through("compat", answer + chat({ content: "x" }, "stop", usage), size).passed).toBe(answer + counted)
  })

  test("of Anthropic and Responses nothing counts behind the end", () => {
    const late = frame({ type: "content_block_delta" }) + error + frame("noise")
    for (const [key, type] of [
      ["anthropic", "message_stop"],
      ["openai", "response.completed"],
      ["openai", "response.incomplete"],
      ["openai", "response.failed"],
    ] as const)
      expect(through(key, frame({ type }) + late, size)).toEqual({ passed: frame({ type }), ignored: 1 })
  })

  test("of Google the usage counts, and pieces that give the reason again", () => {
    const first = google("a", { finishReason: "STOP" })
    const usage = frame({ usageMetadata: { promptTokenCount: 1 } })
    expect(through("google", first + google("late") + error + usage + first, size)).toEqual({
      passed: first + usage + frame({ candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }] }),
      ignored: 1,
    })
  })
})

test("it says when the content is there", () => {
  const end = createStreamEnd("compat", () => {})!
  end.take(Buffer.from(chat({ content: "a" })))
  expect(end.closed).toBe(false)
  end.take(Buffer.from(chat({}, "stop")))
  expect(end.closed).toBe(true)
})

test("a protocol without a rule is left alone", () => {
  expect(createStreamEnd("demo", () => {})).toBeUndefined()
})
