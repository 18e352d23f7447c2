import { describe, expect, test } from "bun:test"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { noSpan } from "@cairn/kernel/span"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import type { EndedSpan } from "../trace/otlp-json.ts"
import { createSpans } from "../trace/spans.ts"
import type { ModelRequest } from "./call.ts"
import { tracedCall } from "./call-span.ts"
import type { ResolvedModel } from "./define.ts"

const usage = {
  inputTokens: { total: 130, noCache: 100, cacheRead: 20, cacheWrite: 10 },
  outputTokens: { total: 25, text: 20, reasoning: 5 },
}
const finish: LanguageModelV4StreamPart = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } }
const word: LanguageModelV4StreamPart = { type: "text-delta", id: "1", delta: "SECRET" }

function calling(providerID: string, stream: AsyncIterable<LanguageModelV4StreamPart>) {
  const clock = new TestClock()
  const ended: EndedSpan[] = []
  const spans = createSpans(clock, (span) => ended.push(span))
  const model = { ref: { providerID, modelID: "m-1" } } as ResolvedModel
  const request: ModelRequest = {
    ...{ system: ["SECRET"], messages: [], tools: [], maxOutputTokens: 1_000, temperature: 0.5 },
  }
  const traced = tracedCall(spans, { sessionID: "ses_1", model, request, clock }, stream)
  return { clock, ended, spans, traced, request }
}

async function* parts(...given: LanguageModelV4StreamPart[]) {
  yield* given
}

async function readAll(stream: AsyncIterable<LanguageModelV4StreamPart>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  return types
}

test("without a trace the stream is the one that was given", () => {
  const stream = parts(finish)
  const model = { ref: { providerID: "p", modelID: "m" } } as ResolvedModel
  const request: ModelRequest = { system: [], messages: [], tools: [], maxOutputTokens: 1 }
  expect(tracedCall(noSpan, { sessionID: "s", model, request, clock: new TestClock() }, stream)).toBe(stream)
})

test("a call says what was asked of whom, how it ended and what it took, and no word of it", async () => {
  const start: LanguageModelV4StreamPart = { type: "text-start", id: "1" }
  const { ended, traced } = calling("google", parts({ type: "stream-start", warnings: [] }, start, word, finish))
  expect(await readAll(traced)).toEqual(["stream-start", "text-start", "text-delta", "finish"])
  expect(ended).toMatchObject([
    {
      name: "chat m-1",
      attributes: {
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "m-1",
        "gen_ai.request.max_tokens": 1_000,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 130,
        "gen_ai.usage.output_tokens": 25,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 20,
        "gen_ai.usage.cache_creation.input_tokens": 10,
      },
    },
  ])
  expect(ended[0]!.failure).toBeUndefined()
  expect(Bun.inspect(ended)).not.toContain("SECRET")
})

test("the time to the first word is measured from when the call began, in seconds", async () => {
  const hold = gate()
  async function* late() {
    await hold.opened
    yield word
    yield finish
  }
  const { clock, ended, traced } = calling("p", late())
  const reading = readAll(traced)
  await clock.advance(250)
  hold.open()
  await reading
  expect(ended[0]!.attributes["gen_ai.response.time_to_first_chunk"]).toBe(0.25)
})

describe("it fails", () => {
  test.each<[string, unknown]>([
    ["529", Object.assign(new Error("SECRET"), { statusCode: 529, code: "x" })],
    ["timeout_silence", Object.assign(new Error("SECRET"), { code: "timeout_silence" })],
    ["TypeError", Object.assign(new TypeError("SECRET"), { code: "a SECRET that is no code" })],
    ["error", "SECRET"],
    ["error", undefined],
  ])("as %s", async (kind, error) => {
    const { ended, traced } = calling("p", parts(word, { type: "error", error }))
    await readAll(traced)
    expect(ended).toMatchObject([{ failure: kind }])
    expect(Bun.inspect(ended)).not.toContain("SECRET")
  })

  test("as interrupted when the stream throws or nobody reads on", async () => {
    async function* broken() {
      yield word
      throw new Error("SECRET")
    }
    const first = calling("p", broken())
    expect(await readAll(first.traced).catch(() => "thrown")).toBe("thrown")
    expect(first.ended).toMatchObject([{ failure: "interrupted" }])
    const second = calling("p", parts(word, word, finish))
    for await (const _ of second.traced) break
    expect(second.ended).toMatchObject([{ failure: "interrupted" }])
  })
})

test("a call that is never read leaves no span behind", () => {
  const { ended, spans } = calling("p", parts(finish))
  spans.endAll()
  expect(ended).toEqual([])
})
