import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { mergeDeltas } from "./merge-deltas.ts"
import { growingText } from "./stream-end.ts"

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const chat = (delta: object, more: object = {}) =>
  frame({ id: "c", choices: [{ index: 0, delta, finish_reason: null }], ...more })
const said = (content: string, more: object = {}) => chat({ content }, more)
const claude = (delta: object, index = 0) =>
  `event: content_block_delta\n${frame({ type: "content_block_delta", index, delta })}`
const { compat, anthropic } = growingText

describe("events that add text of the same kind are one", () => {
  test.each<[string, RegExp, string[], string]>([
    ["chat completions", compat, ["a", "b", " c"].map((text) => said(text)), said("ab c")],
    [
      "thoughts",
      compat,
      ["a", "b"].map((reasoning_content) => chat({ reasoning_content })),
      chat({ reasoning_content: "ab" }),
    ],
    [
      "arguments",
      compat,
      ['{"a', '":1}'].map((text) => chat({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      chat({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
    ],
    [
      "Claude's text",
      anthropic,
      ["a", "b"].map((text) => claude({ type: "text_delta", text })),
      claude({ type: "text_delta", text: "ab" }),
    ],
    [
      "Claude's arguments",
      anthropic,
      ['{"a', "\\n"].map((partial_json) => claude({ type: "input_json_delta", partial_json })),
      claude({ type: "input_json_delta", partial_json: '{"a\\n' }),
    ],
    [
      "quotes, backslashes and halves of characters",
      compat,
      ['"', "\\", '\\"', "\ud83d", "\ude00", ""].map((text) => said(text)),
      said('"\\\\"\ud83d\ude00'),
    ],
    [
      "within others",
      compat,
      [": ping\n\n", said("a"), said("b"), ": ping\n\n", said("c"), said("d"), "data: [DONE]\n\n"],
      `: ping\n\n${said("ab")}: ping\n\n${said("cd")}data: [DONE]\n\n`,
    ],
  ])("%s", (_, start, events, expected) => {
    const merged = mergeDeltas(events.join(""), start)
    expect(merged.replaceAll("\\ud83d\\ude00", "\ud83d\ude00")).toBe(expected)
  })
})

test.each<[string, string[]]>([
  ["the roles", [chat({ role: "assistant", content: "a" }), said("b")]],
  ["the kinds", [said("a"), chat({ reasoning_content: "b" })]],
  ["the times", [said("a", { created: 1 }), said("b", { created: 2 })]],
  ["the counts", [said("a", { usage: { completion_tokens: 1 } }), said("b", { usage: { completion_tokens: 2 } })]],
  ["the padding", [said("a", { obfuscation: "x" }), said("b", { obfuscation: "yz" })]],
  ["the answers", [said("a"), said("b").replace('"index":0', '"index":1')]],
  ["the calls", [0, 1].map((index) => chat({ tool_calls: [{ index, function: { arguments: "a" } }] }))],
  ["the line ends", [said("a"), said("b")].map((event) => event.replaceAll("\n", "\r\n"))],
  ["nothing, but one has no text", [said("a"), chat({ content: null })]],
  ["a field more", [said("a"), chat({ content: "b", refusal: null })]],
  ["that one is broken", [said("a"), `data: {"id":"c","choices":[{"index":0,"delta":{"content":"b\n\n`]],
])("events stay apart when %s differ", (_, events) => {
  expect(mergeDeltas(events.join(""), compat)).toBe(events.join(""))
})

const letter = fc.constantFrom(...'ab "\\{}:\n\t\u0000é', "😀", "\ud83d", "\ude00", '\\"', '"content":"')

test("whatever comes, every text arrives once, in its order, and other events stay what they are", () => {
  const event = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.constantFrom(0, 0, 0, 1),
          fc.array(letter, { maxLength: 4 }).map((some) => some.join("")),
        )
        .map(([created, text]) => said(text, { created })),
    },
    fc.constantFrom(": ping\n\n", chat({}), frame({ error: 'delta":{"content":"' }), said('"delta":{"content":"x"}')),
  )
  const meaning = (stream: string) => {
    const parts: unknown[] = []
    for (const each of stream.split("\n\n").slice(0, -1)) {
      const value = each.startsWith("data: ") ? JSON.parse(each.slice(6)) : each
      const delta = value.choices?.[0].delta
      const last = parts.at(-1) as { text?: string; created?: number } | undefined
      if (delta?.content === undefined) parts.push(value)
      else if (last?.text !== undefined && last.created === value.created) last.text += delta.content
      else parts.push({ text: delta.content, created: value.created })
    }
    return parts
  }
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const merged = mergeDeltas(events.join(""), compat)
      expect(meaning(merged)).toEqual(meaning(events.join("")))
      expect(mergeDeltas(merged, compat)).toBe(merged)
    }),
  )
})

test("a read of many events is merged in one pass over it", () => {
  const many = said("word ").repeat(20_000)
  expect(mergeDeltas(many, compat)).toBe(said("word ".repeat(20_000)))
})
