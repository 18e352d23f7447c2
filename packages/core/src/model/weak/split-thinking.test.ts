import { expect, test } from "bun:test"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import fc from "fast-check"
import { collect, cutAt, textStream } from "../../../test/support/stream-parts.ts"
import { createThinkingScanner } from "./scan-thinking.ts"
import { splitThinking } from "./split-thinking.ts"

type Part = LanguageModelV4StreamPart

async function split(deltas: readonly string[], more: readonly Part[] = []) {
  const parts = await collect(splitThinking(textStream(deltas, more)))
  const join = (type: "text-delta" | "reasoning-delta") =>
    parts.flatMap((part) => (part.type === type ? [part.delta] : [])).join("")
  return { reasoning: join("reasoning-delta"), text: join("text-delta"), kinds: parts.map((part) => part.type) }
}

const cases: [name: string, text: string, reasoning: string, rest: string][] = [
  ["a tag", "<think>\nHm, 2 < 3.\n</think>\n\nFive.", "Hm, 2 < 3.", "Five."],
  ["white space before the tag", "\n <think>a</think>b", "a", "b"],
  ["the long tag", "<thinking>a</think> b</thinking>c", "a</think> b", "c"],
  ["no opening tag", "Hm.\nTwo lines.\n</think>\n\nFive.", "Hm.\nTwo lines.", "Five."],
  ["nothing thought", "<think>\n\n</think>\n\nFive.", "", "Five."],
  ["nothing thought, and not opened", "</think>\nFive.", "", "Five."],
  ["no closing tag", "<think>for ever\n and ever", "for ever\n and ever", ""],
  ["a tag later", "Five. <think>no</think>", "", "Five. <think>no</think>"],
  ["the closing tag within a line", "Use </think> to end.\n", "", "Use </think> to end.\n"],
  ["the closing tag right behind the thought", "Hm.\nIt is 5.</think>Five.", "Hm.\nIt is 5.", "Five."],
  ["behind a word, and the long tag", "so it is five</thinking>\n\nFive.", "so it is five", "Five."],
  ["behind a Chinese sentence", "想一想。</think>五", "想一想。", "五"],
  ["a mention first, then the end", "I close with </think> then.</think>Five.", "I close with </think> then.", "Five."],
  ["the closing tag in quotes", 'Write "</think>" or (</think>).', "", 'Write "</think>" or (</think>).'],
  ["the closing tag in code in a line", "Write `x</think>` there.", "", "Write `x</think>` there."],
  ["a pair named in a text", "The form is <think></think>.", "", "The form is <think></think>."],
  ["the closing tag in code", "```\n</think>\n```\n", "", "```\n</think>\n```\n"],
  ["a second thought stays text", "<think>a</think>b<think>c</think>", "a", "b<think>c</think>"],
  ["no tag at all", " Plain\n", "", " Plain\n"],
  ["nothing", "", "", ""],
]
test.each(cases)("%s", async (_, text, reasoning, rest) => {
  for (const deltas of [[text], [...text]]) {
    expect(await split(deltas)).toMatchObject({ reasoning, text: rest })
  }
})

test("parts open and close in order, and thinking that is all there is leaves no text", async () => {
  const reasoning = ["reasoning-start", "reasoning-delta", "reasoning-end"]
  const text = ["text-start", "text-delta", "text-end"]
  expect((await split(["<think>a</think>b"])).kinds).toEqual(["stream-start", ...reasoning, ...text, "finish"] as never)
  expect((await split(["<think>a"])).kinds).toEqual(["stream-start", ...reasoning, "finish"] as never)
  expect((await split([])).kinds).toEqual(["stream-start", "text-start", "text-end", "finish"])
})

test("opened thinking flows as it comes; an answer without a tag waits for what it is", () => {
  const opened = createThinkingScanner(true)
  expect(opened.push("<think>one two three ")).toEqual([{ type: "reasoning", text: "one two" }])
  expect(opened.push("four five six")).toEqual([{ type: "reasoning", text: " three four f" }])
  const held = createThinkingScanner(true)
  expect(held.push("Five.")).toEqual([])
  expect(held.end()).toEqual([{ type: "text", text: "Five." }])
  expect(held.push(" Six.")).toEqual([{ type: "text", text: " Six." }])
  const server = createThinkingScanner(false)
  expect(server.push("Five.")).toEqual([{ type: "text", text: "Five." }])
  const bounded = createThinkingScanner(true)
  expect(bounded.push("x".repeat(100_001))).toHaveLength(1)
  expect(bounded.push("\n</think>")).toEqual([{ type: "text", text: "\n</think>" }])
})

test("a native call ends the waiting, so that text stays before it", async () => {
  async function* source(): AsyncGenerator<Part> {
    yield { type: "text-start", id: "t" }
    yield { type: "text-delta", id: "t", delta: "Let me look." }
    yield { type: "tool-call", toolCallId: "c", toolName: "read", input: "{}" }
    yield { type: "text-end", id: "t" }
  }
  const kinds = (await collect(splitThinking(source()))).map((part) => part.type)
  expect(kinds).toEqual(["text-start", "text-delta", "tool-call", "text-end"])
})

test("reasoning that the server took apart itself is not looked for again", async () => {
  async function* source(): AsyncGenerator<Part> {
    yield { type: "reasoning-start", id: "r" }
    yield { type: "reasoning-end", id: "r" }
    yield* textStream(["a\n</think>\nb"])
  }
  const parts = await collect(splitThinking(source()))
  expect(parts.find((part) => part.type === "text-delta")).toMatchObject({ delta: "a\n</think>\nb" })
})

test("a stream that breaks gives what was held back, then the break", async () => {
  const broken = new Error("socket closed")
  async function* source(): AsyncGenerator<Part> {
    yield { type: "text-start", id: "t" }
    yield { type: "text-delta", id: "t", delta: "half an ans" }
    throw broken
  }
  const seen: Part[] = []
  const run = async () => {
    for await (const part of splitThinking(source())) seen.push(part)
  }
  expect(await run().catch((error: unknown) => error)).toBe(broken)
  expect(seen).toContainEqual({ type: "text-delta", id: "t", delta: "half an ans" })
})

test("however it is cut, the result is the same, and text that never thinks passes byte for byte", async () => {
  const piece = fc.constantFrom("<think>", "</think>", "</thinking>", "\n", " ", "`", "```\n", "<", "a", "think>", "ü")
  const text = fc.array(piece, { maxLength: 14 }).map((all) => all.join(""))
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), async (all, cuts) => {
      const [whole, cut] = [await split([all]), await split(cutAt(all, cuts))]
      expect({ ...cut, kinds: [] }).toEqual({ ...whole, kinds: [] })
      if (!/think(ing)?>/.test(all)) expect(cut.text).toBe(all)
    }),
    { numRuns: 500 },
  )
})
