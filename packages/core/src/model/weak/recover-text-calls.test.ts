import { expect, test } from "bun:test"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import fc from "fast-check"
import { collect, cutAt, textStream } from "../../../test/support/stream-parts.ts"
import { offersOf } from "./call.ts"
import { recoverTextCalls } from "./recover-text-calls.ts"
import { createTextScanner } from "./scan-text.ts"

type Part = LanguageModelV4StreamPart
const tools = [{ name: "read" }, { name: "bash" }]
const call = (path: string) => `<tool_call>{"name":"read","arguments":{"filePath":"${path}"}}</tool_call>`
const recover = async (deltas: readonly string[], more: readonly Part[] = []) =>
  await collect(recoverTextCalls(textStream(deltas, more), tools))
const kinds = (parts: readonly Part[]) => parts.map((part) => part.type)
const textOf = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")

test("a call comes as a native one does, between the texts around it, each with an id of its own", async () => {
  const parts = await recover([`Look:\n${call("a")}\n${call("b")}\nDone.`])
  const input = ["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call"]
  const text = ["text-start", "text-delta", "text-end"]
  expect(kinds(parts)).toEqual(["stream-start", ...text, ...input, ...input, ...text, "finish"] as Part["type"][])
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []))
  expect(calls.map((each) => each.input)).toEqual(['{"filePath":"a"}', '{"filePath":"b"}'])
  const ids = parts.flatMap((part) => (part.type === "tool-input-start" ? [part.id] : []))
  expect(ids).toEqual(calls.map((each) => each.toolCallId))
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/)
  const texts = parts.flatMap((part) => (part.type === "text-start" ? [part.id] : []))
  expect(new Set(texts).size).toBe(2)
  expect(textOf(parts)).toBe("Look:\n\nDone.")
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls", raw: "stop" } })
})

test("a finish that says more than stop stays as it is", async () => {
  const source = async function* (): AsyncGenerator<Part> {
    for await (const part of textStream([call("a")])) {
      yield part.type === "finish" ? { ...part, finishReason: { unified: "length", raw: "max" } } : part
    }
  }
  expect((await collect(recoverTextCalls(source(), tools))).at(-1)).toMatchObject({
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
  expect(await collect(recoverTextCalls(source(), tools))).toEqual(signed)
})

test("without tools nothing is a call", async () => {
  const parts = await collect(recoverTextCalls(textStream([call("a")]), []))
  expect(textOf(parts)).toBe(call("a"))
})

test("text that can no longer be a call is given at once", () => {
  const scanner = createTextScanner(offersOf(["read"]))
  const given = (text: string) =>
    scanner.push(text).map((piece) => (piece.type === "text" ? piece.text : `(${piece.call.name})`))
  expect(given("Hello ")).toEqual(["Hello "])
  expect(given("a <")).toEqual(["a "])
  expect(given("to")).toEqual([])
  expect(given("p> b")).toEqual(["<top> b"])
  expect(given("\n{")).toEqual(["\n"])
  expect(given('"na')).toEqual([])
  expect(given('me": "x')).toEqual([])
  expect(given('", ').join("")).toBe('{"name": "x", ')
  expect(given("\n<tool_")).toEqual(["\n"])
  expect(given('call>{"name":"read","arguments":{}}</tool_call>')).toEqual([])
  expect(given(".").join("")).toBe("(read).")
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
    for await (const part of recoverTextCalls(source(), tools)) seen.push(part)
  }
  expect(await run().catch((error: unknown) => error)).toBe(broken)
  expect(textOf(seen)).toBe(half)
  expect(kinds(seen)).not.toContain("tool-call")

  const reported = async function* (): AsyncGenerator<Part> {
    yield { type: "text-start", id: "t" }
    yield { type: "text-delta", id: "t", delta: half }
    yield { type: "error", error: broken }
  }
  const parts = await collect(recoverTextCalls(reported(), tools))
  expect(textOf(parts)).toBe(half)
  expect(kinds(parts).slice(-2)).toEqual(["text-end", "error"])
})

test("a call without an end is bounded", () => {
  const scanner = createTextScanner(offersOf(["read"]))
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

test("a call between any prose is found, unless the prose makes it code, however it is cut", async () => {
  const words = fc.stringMatching(/^[\w .,:\n]{0,40}$/)
  await fc.assert(
    fc.asyncProperty(words, words, fc.array(fc.nat({ max: 200 }), { maxLength: 10 }), async (before, after, cuts) => {
      const parts = await recover(cutAt(`${before}\n${call("x")}\n${after}`, cuts))
      expect(parts.filter((part) => part.type === "tool-call")).toHaveLength(1)
      expect(textOf(parts).replace(/\s/g, "")).toBe((before + after).replace(/\s/g, ""))
    }),
    { numRuns: 200 },
  )
})
