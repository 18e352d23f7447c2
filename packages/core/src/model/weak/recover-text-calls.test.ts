import { expect, test } from "bun:test"
import type { LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import fc from "fast-check"
import { collect, cutAt, textStream } from "../../../test/support/stream-parts.ts"
import { offersOf } from "./call.ts"
import { recoverTextCalls } from "./recover-text-calls.ts"
import { createRepeats } from "./repeats.ts"
import { createTextScanner } from "./scan-text.ts"

type Part = LanguageModelV4StreamPart
const tools = [{ name: "read" }, { name: "bash" }]
const call = (path: string) => `<tool_call>{"name":"read","arguments":{"filePath":"${path}"}}</tool_call>`
const recover = async (deltas: readonly string[], more: readonly Part[] = []) =>
  await collect(recoverTextCalls(textStream(deltas, more), tools, nothing))
const nothing = () => false
const kinds = (parts: readonly Part[]) => parts.map((part) => part.type)
const textOf = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")

test("calls come as native ones do, behind the text before them, each with an id of its own", async () => {
  const parts = await recover([`Look:\n${call("a")}\n${call("b")}\n\n`])
  const input = ["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call"]
  const text = ["text-start", "text-delta", "text-end"]
  expect(kinds(parts)).toEqual(["stream-start", ...text, ...input, ...input, "finish"] as Part["type"][])
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []))
  expect(calls.map((each) => each.input)).toEqual(['{"filePath":"a"}', '{"filePath":"b"}'])
  const ids = parts.flatMap((part) => (part.type === "tool-input-start" ? [part.id] : []))
  expect(ids).toEqual(calls.map((each) => each.toolCallId))
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/)
  expect(textOf(parts)).toBe("Look:\n")
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls", raw: "stop" } })
})

test("a finish that says more than stop stays as it is", async () => {
  const source = async function* (): AsyncGenerator<Part> {
    for await (const part of textStream([call("a")])) {
      yield part.type === "finish" ? { ...part, finishReason: { unified: "length", raw: "max" } } : part
    }
  }
  expect((await collect(recoverTextCalls(source(), tools, nothing))).at(-1)).toMatchObject({
    finishReason: { unified: "length" },
  })
})

test("native calls, reasoning and metadata pass", async () => {
  const native: Part[] = [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: call("no") },
    { type: "reasoning-end", id: "r" },
    { type: "tool-call", toolCallId: "n", toolName: "read", input: "{}" },
  ]
  const parts = await recover(["Hi."], native)
  expect(parts.filter((part) => native.includes(part))).toEqual(native)
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "stop" } })

  const signed: Part[] = [
    { type: "text-start", id: "t", providerMetadata: { p: { start: 1 } } },
    { type: "text-delta", id: "t", delta: "a", providerMetadata: { p: { signature: "s" } } },
    { type: "text-end", id: "t", providerMetadata: { p: { end: 1 } } },
  ]
  async function* source() {
    yield* signed
  }
  expect(await collect(recoverTextCalls(source(), tools, nothing))).toEqual(signed)
})

test("without tools nothing is a call", async () => {
  const parts = await collect(recoverTextCalls(textStream([call("a")]), [], nothing))
  expect(textOf(parts)).toBe(call("a"))
})

test("text that can no longer be a call is given at once", () => {
  const scanner = createTextScanner(offersOf(["read"]), nothing)
  const given = (text: string) =>
    scanner.push(text).map((piece) => (piece.type === "text" ? piece.text : `(${piece.call.name})`))
  expect(given("Hello ")).toEqual(["Hello "])
  expect(given("a <to")).toEqual(["a <to"])
  expect(given("p>\n<")).toEqual(["p>\n"])
  expect(given("to")).toEqual([])
  expect(given("p> b")).toEqual(["<top> b"])
  expect(given("\n{")).toEqual(["\n"])
  expect(given('"na')).toEqual([])
  expect(given('me": "x')).toEqual([])
  expect(given('", ').join("")).toBe('{"name": "x", ')
  expect(given("\n<tool_")).toEqual(["\n"])
  expect(given('call>{"name":"read","arguments":{}}</tool_call>')).toEqual([])
  expect(given("\n").join("")).toBe("")
  expect(given(".").join("")).toBe('<tool_call>{"name":"read","arguments":{}}</tool_call>\n.')
  expect(scanner.end()).toEqual([])
})

test("a stream that breaks runs no half call, and nothing of it is lost", async () => {
  const half = 'Now.\n<tool_call>{"name":"read","arguments":{"filePath":"a'
  const broken = new Error("socket closed")
  const seen: Part[] = []
  const source = async function* (): AsyncGenerator<Part> {
    yield { type: "text-start", id: "t" }
    yield { type: "text-delta", id: "t", delta: half }
    throw broken
  }
  const run = async () => {
    for await (const part of recoverTextCalls(source(), tools, nothing)) seen.push(part)
  }
  expect(await run().catch((error: unknown) => error)).toBe(broken)
  expect(textOf(seen)).toBe(half)
  expect(kinds(seen)).not.toContain("tool-call")

  const reported = async function* (): AsyncGenerator<Part> {
    yield { type: "text-start", id: "t" }
    yield { type: "text-delta", id: "t", delta: half }
    yield { type: "error", error: broken }
  }
  const parts = await collect(recoverTextCalls(reported(), tools, nothing))
  expect(textOf(parts)).toBe(half)
  expect(kinds(parts).slice(-2)).toEqual(["text-end", "error"])
})

test("a call without an end is bounded", () => {
  const scanner = createTextScanner(offersOf(["read"]), nothing)
  const start = '<tool_call>{"name":"read","arguments":{"filePath":"'
  expect(scanner.push(start)).toEqual([])
  const long = "x".repeat(2_000_001)
  expect(scanner.push(long)).toEqual([{ type: "text", text: start + long }])
  expect(scanner.push(call("a"))).toEqual([{ type: "text", text: call("a") }])
  expect(scanner.end()).toEqual([])
})

const pieces = fc.constantFrom(
  ...["<", "<tool_call>", "</tool_call>", "<function=", "[", "[TOOL_CALLS]", "{", '{"name":', '"other"', "```", "`"],
  ...[
    "json\n",
    "\n",
    " ",
    "<｜tool▁calls▁begin｜>",
    "<|python_tag|>",
    "<|channel|>",
    "to=",
    "(",
    "=",
    "'",
    "}",
    "]",
    ",",
  ],
)
const prose = fc
  .array(fc.oneof({ weight: 2, arbitrary: pieces }, fc.string({ maxLength: 8 })), { maxLength: 30 })
  .map((parts) => parts.join(""))

test("text without calls passes byte for byte, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(prose, fc.array(fc.nat({ max: 200 }), { maxLength: 10 }), async (start, cuts) => {
      const text = `${start}\nThat is all.` // so that a call of an unknown tool, should one be made up, is none
      const parts = await recover(cutAt(text, cuts))
      expect(textOf(parts)).toBe(text)
      expect(kinds(parts)).not.toContain("tool-call")
    }),
    { numRuns: 500 },
  )
})

test("what breaks off and names no tool is text", async () => {
  for (const text of [
    "[TOOL_CALLS]a{",
    "[TOOL_CALLS]other{",
    '<tool_call>{"name":"other","arguments":{"a":',
    "<function=other>",
  ]) {
    const parts = await recover([text])
    expect(textOf(parts)).toBe(text)
    expect(kinds(parts)).not.toContain("tool-call")
  }
})

test("a call that ends any prose is found, and none that prose follows, however it is cut", async () => {
  const words = fc.oneof(fc.stringMatching(/^\s{0,3}$/), fc.stringMatching(/^[\w .,:\n]{0,40}$/))
  await fc.assert(
    fc.asyncProperty(words, words, fc.array(fc.nat({ max: 200 }), { maxLength: 10 }), async (before, after, cuts) => {
      const text = `${before}\n${call("x")}\n${after}`
      const parts = await recover(cutAt(text, cuts))
      const ends = after.trim() === ""
      expect(parts.filter((part) => part.type === "tool-call")).toHaveLength(ends ? 1 : 0)
      if (ends) expect(textOf(parts).trim()).toBe(before.trim())
      else expect(textOf(parts)).toBe(text)
    }),
    { numRuns: 200 },
  )
})

test("a text that comes after it makes a call none, thoughts and native calls do not", async () => {
  const after = async (...more: Part[]) => kinds(await recover([call("a")], more))
  const text = (delta: string): Part[] => [
    { type: "text-start", id: "later" },
    { type: "text-delta", id: "later", delta },
    { type: "text-end", id: "later" },
  ]
  const native: Part = { type: "tool-call", toolCallId: "n", toolName: "read", input: "{}" }
  expect(await after(...text("is what I would send."))).not.toContain("tool-call")
  expect(await after(...text("\n"))).toContain("tool-call")
  expect(await after(native, ...text("Both."))).toContain("tool-input-start")
  const calls = (await after(...text(call("b")))).filter((kind) => kind === "tool-call")
  expect(calls).toHaveLength(1)
})

test("what the model was given is not a call when it repeats it", async () => {
  const given: LanguageModelV4Message[] = [
    { role: "user", content: [{ type: "text", text: `What does ${call("user")} do?` }] },
    { role: "assistant", content: [{ type: "text", text: call("own") }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "read",
          output: {
            type: "text",
            value: '1\t<tool_call>\n2\t{"name": "read",\n3\t "arguments": {}}\n4\t</tool_call>\n',
          },
        },
        {
          type: "tool-result",
          toolCallId: "d",
          toolName: "read",
          output: { type: "content", value: [{ type: "text", text: '{"name":"bash","arguments":{"command":"x"}}' }] },
        },
      ],
    },
  ]
  const called = async (text: string) =>
    kinds(await collect(recoverTextCalls(textStream([text]), tools, createRepeats(given)))).includes("tool-call")
  expect(await called(call("user"))).toBe(false)
  expect(await called(`It says:\n${call("user")}\n`)).toBe(false)
  expect(await called('<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>')).toBe(false)
  expect(await called('```json\n{"name": "bash", "arguments": {"command": "x"}}\n```\n')).toBe(false)
  expect(await called(call("own"))).toBe(true)
  expect(await called(call("other"))).toBe(true)
})
