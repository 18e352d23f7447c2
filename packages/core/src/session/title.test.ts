import { expect, test } from "bun:test"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { type Log, createLog, silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { ModelRequest } from "../model/call.ts"
import type { Tokens } from "@cairn/schema/model"
import { askTitle, cleanTitle } from "./title.ts"

async function* stream(...parts: LanguageModelV4StreamPart[]) {
  yield* parts
}
const ask = (
  parts: () => AsyncIterable<LanguageModelV4StreamPart>,
  log: Log = silentLog,
  requests: ModelRequest[] = [],
) => {
  const group = new TaskGroup()
  const call = (request: ModelRequest) => {
    requests.push(request)
    return parts()
  }
  const counted: number[] = []
  const input = { system: "Name it", text: "fix the parser", log, counted: (of: Tokens) => void counted.push(of.input) }
  return { group, counted, title: askTitle(call, input, group.signal) }
}
const delta = (text: string): LanguageModelV4StreamPart => ({ type: "text-delta", id: "1", delta: text })

test("the title is the first line of the answer, without decoration", async () => {
  const requests: ModelRequest[] = []
  const { title } = ask(() => stream(delta('\n "Fix the '), delta('parser"\nmore')), silentLog, requests)
  expect(await title).toBe("Fix the parser")
  expect(requests[0]).toMatchObject({ system: ["Name it"], tools: [], toolChoice: { type: "none" } })
})

test("thoughts in the text are not a title", () => {
  expect(cleanTitle("<think>hm\nwell</think>\n# Parser fix")).toBe("Parser fix")
  expect(cleanTitle("<think>never closed")).toBeUndefined()
  expect(cleanTitle("x".repeat(200))).toHaveLength(80)
})

test("what it took is told, though the title is of no use", async () => {
  const usage = {
    inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const finishReason = { unified: "stop" as const, raw: undefined }
  const { title, counted } = ask(() => stream(delta(" "), { type: "finish", finishReason, usage }))
  expect([await title, counted]).toEqual([undefined, [7]])
})

test("an error gives no title and one line in the log", async () => {
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line) }, { now: () => 0 })
  const { title } = ask(() => stream(delta("half"), { type: "error", error: new Error("no") }), log)
  expect(await title).toBeUndefined()
  expect(lines).toHaveLength(1)
})

test("an interruption gives no title and no noise, though the provider hangs", async () => {
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line) }, { now: () => 0 })
  const hang = (): AsyncIterable<LanguageModelV4StreamPart> => ({
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
  })
  const { title, group } = ask(hang, log)
  group.cancel()
  expect(await title).toBeUndefined()
  expect(lines).toEqual([])
})
