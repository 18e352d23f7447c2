import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import fc from "fast-check"
import type { Tool } from "../../tool/define.ts"
import { createBashTool } from "../../tool/bash/bash.ts"
import { createEditTool } from "../../tool/edit/edit.ts"
import { createGrepTool } from "../../tool/grep/grep.ts"
import { findTool, unknownToolMessage } from "../../tool/invalid/invalid.ts"
import { createReadTool } from "../../tool/read/read.ts"
import { createTools, parseArguments } from "../../tool/registry.ts"
import { createTodowriteTool } from "../../tool/todowrite/todowrite.ts"
import { createWriteTool } from "../../tool/write/write.ts"
import { applyQuirks } from "./apply-quirks.ts"
import { collect, cutAt, textStream } from "../../../test/support/stream-parts.ts"

type Expected =
  | { tool: string; arguments: Record<string, unknown> }
  | { tool: string; refused: string[] }
  | { unknown: string; says: string[] }

interface Fixture {
  name: string
  /** What the model wrote, or the native call that it made. */
  text?: string
  native?: { name: string; input: string }
  expect: Expected[]
  /** What is shown as text. */
  prose?: string
  reasoning?: string
}

// Only the schemas are used: nothing runs.
const nothing = {} as never
const tools: readonly Tool[] = createTools([
  createBashTool(nothing),
  createReadTool(nothing),
  createWriteTool(nothing),
  createEditTool(nothing),
  createGrepTool(nothing),
  createTodowriteTool(nothing),
])
const names = tools.map((tool) => tool.name)
const folder = join(import.meta.dir, "fixture")
const files = readdirSync(folder).sort()
const fixtures = files.map((file) => ({
  file,
  all: JSON.parse(readFileSync(join(folder, file), "utf8")) as Fixture[],
}))

/** What the session makes of a call. */
function outcome(name: string, input: string): unknown {
  const tool = findTool(name, tools)
  if (!tool) return { unknown: name, says: unknownToolMessage(name, names) }
  const parsed = parseArguments(tool, input)
  return parsed.ok ? { tool: tool.name, arguments: parsed.value } : { tool: tool.name, refused: parsed.error.message }
}

async function play(deltas: readonly string[], native?: Fixture["native"]) {
  const called: LanguageModelV4StreamPart[] = native
    ? [{ type: "tool-call", toolCallId: "c1", toolName: native.name, input: native.input }]
    : []
  const parts = await collect(applyQuirks(["text-tools", "think-tags"], textStream(deltas, called), tools, []))
  const join = (type: "text-delta" | "reasoning-delta") =>
    parts.flatMap((part) => (part.type === type ? [part.delta] : [])).join("")
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []))
  const finish = parts.findLast((part) => part.type === "finish")
  return {
    prose: join("text-delta"),
    reasoning: join("reasoning-delta"),
    calls: calls.map(({ toolName, input }) => outcome(toolName, input)),
    finish: finish?.type === "finish" ? finish.finishReason.unified : undefined,
  }
}

function wanted(expected: Expected): unknown {
  const each = (texts: string[]) => expect.stringContaining(texts[0] ?? "")
  if ("unknown" in expected) return { unknown: expected.unknown, says: each(expected.says) }
  return "refused" in expected ? { tool: expected.tool, refused: each(expected.refused) } : expected
}

for (const { file, all } of fixtures) {
  describe(file, () => {
    test.each(all.map((fixture) => [fixture.name, fixture] as const))("%s", async (_, fixture) => {
      const text = fixture.text ?? ""
      for (const deltas of [[text], [...text]]) {
        const found = await play(deltas, fixture.native)
        expect(found.calls).toEqual(fixture.expect.map(wanted))
        expect(found.prose).toBe(fixture.prose ?? "")
        expect(found.reasoning).toBe(fixture.reasoning ?? "")
        if (!fixture.native) expect(found.finish).toBe(fixture.expect.length > 0 ? "tool-calls" : "stop")
      }
    })
  })
}

test("there are enough of them, of every family", () => {
  expect(files).toEqual(
    ["deepseek", "gemini", "gpt-oss", "llama", "mistral", "prose", "qwen"].map((name) => `${name}.json`),
  )
  const malformed = fixtures.flatMap(({ all }) => all).filter((fixture) => fixture.expect.length > 0)
  expect(malformed.length).toBeGreaterThanOrEqual(40)
})

test("however the text is cut into deltas, the result is the same", async () => {
  const texts = fixtures.flatMap(({ all }) => all.flatMap(({ text }) => (text ? [text] : [])))
  const plain = new Map(await Promise.all(texts.map(async (text) => [text, await play([text])] as const)))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...texts), fc.array(fc.nat({ max: 400 }), { maxLength: 30 }), async (text, cuts) =>
      expect(await play(cutAt(text, cuts))).toEqual(plain.get(text)!),
    ),
    { numRuns: 300 },
  )
})
