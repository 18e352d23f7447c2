import { expect, test } from "bun:test"
import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Clock } from "@cairn/kernel/clock"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { ModelConfig, ProviderConfig } from "@cairn/schema/config-provider"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import {
  waitFor,
  chunked,
  cutStream,
  hang,
  headers,
  reasoning,
  type Scenario,
  status,
  streamError,
  text,
  toolCall,
  usage,
} from "@cairn/testkit/scenario"
import type { CapturedRequest } from "@cairn/testkit/request"
import { startModelServer } from "@cairn/testkit/server"
import { createNet } from "../net/net.ts"
import { callModel, type ModelRequest } from "./call.ts"
import { createCatalog } from "./catalog.ts"
import type { ResolvedModel } from "./define.ts"
import { classify } from "./errors.ts"
import { createModels } from "./registry.ts"
import { finishOf, tokensOf } from "./usage.ts"

const packages = { chat: "@ai-sdk/openai-compatible", anthropic: "@ai-sdk/anthropic" } as const
type Wire = keyof typeof packages
const quiet = new TaskGroup().signal

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  system: ["You are a test.", "Environment: none."],
  messages: [user("hello")],
  tools: [
    {
      name: "read",
      description: "reads",
      inputSchema: { type: "object", properties: { filePath: { type: "string" } } },
    },
  ],
  maxOutputTokens: 4_000,
  ...over,
})
const user = (value: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text: value }] })
const assistant = (
  ...content: Extract<LanguageModelV4Message, { role: "assistant" }>["content"]
): LanguageModelV4Message => ({
  role: "assistant",
  content,
})
const toolResult = (toolCallId: string, value: string): LanguageModelV4Message => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value } }],
})

function open(
  wire: Wire,
  baseURL: string,
  more: { model?: ModelConfig; options?: ProviderConfig["options"]; clock?: Clock } = {},
) {
  const clock = more.clock ?? systemClock
  const net = createNet({ env: {}, log: silentLog, clock })
  const config = {
    provider: {
      test: {
        npm: packages[wire],
        options: { apiKey: "key-1", baseURL, ...more.options },
        models: { m: more.model ?? {} },
      },
    },
  }
  const models = createModels({ catalog: createCatalog(), config, env: {}, net, clock, log: silentLog })
  const resolved = models.resolve("test/m")
  if (!resolved.ok) throw new Error(resolved.error.message)
  return { model: resolved.value, context: { signal: quiet, clock, net, log: silentLog } }
}

async function collect(parts: AsyncIterable<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const all: LanguageModelV4StreamPart[] = []
  for await (const part of parts) all.push(part)
  return all
}

async function run(wire: Wire, scenario: Scenario, wanted = request(), more: Parameters<typeof open>[2] = {}) {
  await using server = await startModelServer(scenario)
  const { model, context } = open(wire, server.baseURL(wire), more)
  const parts = await collect(callModel(model, wanted, context))
  return { parts, requests: [...server.requests], model }
}

const textOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")
const finishPart = (parts: readonly LanguageModelV4StreamPart[]) => parts.find((part) => part.type === "finish")
const errorOf = (parts: readonly LanguageModelV4StreamPart[]) => {
  const last = parts.findLast((part) => part.type === "error")
  return classify(last?.type === "error" ? last.error : undefined, { providerID: "test", keySource: "config" })
}
const bodyOf = (requests: readonly CapturedRequest[]) => requests[0]?.body as { messages: Record<string, unknown>[] }
const wires: Wire[] = ["chat", "anthropic"]

test.each(wires)(
  "%s: text, reasoning, parallel calls, usage and finish arrive, whatever the bytes are cut into",
  async (wire) => {
    const { parts, requests } = await run(wire, [
      [
        chunked(7),
        reasoning("thinking about ä€🙂", { signature: "sig" }),
        text("Hello — wörld 🙂"),
        toolCall("read", { filePath: "a" }),
        toolCall("read", { filePath: "b" }),
        usage({ input: 100, cacheRead: 50, output: 20 }),
      ],
    ])
    expect(textOf(parts)).toBe("Hello — wörld 🙂")
    expect(parts.flatMap((part) => (part.type === "tool-call" ? [JSON.parse(part.input)] : []))).toEqual([
      { filePath: "a" },
      { filePath: "b" },
    ])
    const finish = finishPart(parts)
    expect(finish?.type === "finish" && finishOf(finish.finishReason)).toBe("tool-calls")
    expect(tokensOf(finish?.type === "finish" ? finish.usage : undefined)).toMatchObject({
      input: 100,
      output: 20,
      cache: { read: 50 },
      total: 170,
    })
    expect(requests[0]?.usesKey("key-1")).toBe(true)
    expect(requests[0]?.body).toMatchObject({ model: "m", max_tokens: 4_000, stream: true })
  },
)

test("chat: usage is asked for, and no cache markers are sent", async () => {
  const { requests } = await run("chat", [text("x")])
  expect(requests[0]?.body).toMatchObject({ stream_options: { include_usage: true } })
  expect(requests[0]?.text).not.toContain("cache_control")
})

test("anthropic: cache markers stand on tools, the static system block and the last two user-side messages", async () => {
  const call = (id: string) => assistant({ type: "tool-call", toolCallId: id, toolName: "read", input: {} })
  const messages = [
    user("one"),
    call("c1"),
    toolResult("c1", "r1"),
    call("c2"),
    toolResult("c2", "r2"),
    user("steered"),
  ]
  const { requests } = await run("anthropic", [text("x")], request({ messages }))
  const body = requests[0]?.body as {
    tools: { cache_control?: unknown }[]
    system: { cache_control?: unknown }[]
    messages: { role: string; content: { cache_control?: unknown }[] }[]
  }
  expect(body.tools.map((tool) => tool.cache_control)).toEqual([{ type: "ephemeral" }])
  expect(body.system.map((block) => block.cache_control)).toEqual([{ type: "ephemeral" }, undefined])
  expect(
    body.messages.map(({ role, content }) => [role, ...content.map((part) => part.cache_control !== undefined)]),
  ).toEqual([
    ["user", false],
    ["assistant", false],
    ["user", true],
    ["assistant", false],
    ["user", false, true],
  ])
})

test("anthropic: the thinking budget stays within the output limit, and signatures come back", async () => {
  const model = { options: { thinking: { type: "enabled", budgetTokens: 3_000 } } }
  const { parts, requests } = await run(
    "anthropic",
    [[reasoning("why", { signature: "s1" }), text("x")]],
    request({ maxOutputTokens: 8_000 }),
    { model },
  )
  expect(requests[0]?.body).toMatchObject({ max_tokens: 8_000, thinking: { type: "enabled", budget_tokens: 3_000 } })
  expect(JSON.stringify(parts)).toContain('"signature":"s1"')
  const metadata = { anthropic: { signature: "s1" } }
  const messages = [
    user("a"),
    assistant({ type: "reasoning", text: "why", providerOptions: metadata }, { type: "text", text: "x" }),
    user("b"),
  ]
  const again = await run("anthropic", [text("y")], request({ messages, maxOutputTokens: 8_000 }), { model })
  expect(again.requests[0]?.text).toContain('{"type":"thinking","thinking":"why","signature":"s1"}')
})

test.each([
  ["reasoning_content", { interleaved: true }],
  ["reasoning_content", { interleaved: { field: "reasoning_content" } }],
  ["reasoning", { interleaved: { field: "reasoning_details" } }],
  ["reasoning_text", { interleaved: "reasoning_text" }],
] as const)("chat: reasoning goes back in %s for %p", async (field, model) => {
  const messages = [
    user("a"),
    assistant({ type: "reasoning", text: "why" }, { type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }),
    toolResult("c1", "r"),
    assistant({ type: "tool-call", toolCallId: "c2", toolName: "read", input: {} }),
    toolResult("c2", "r"),
  ]
  const { requests } = await run("chat", [text("x")], request({ messages }), { model })
  const sent = bodyOf(requests).messages.filter((message) => message["role"] === "assistant")
  expect(sent.map((message) => message[field])).toEqual(["why", ""])
})

test("chat: reasoning is not sent to a server that did not ask for it, nor an empty message in its place", async () => {
  const messages = [
    user("a"),
    assistant({ type: "reasoning", text: "secret" }),
    assistant({ type: "reasoning", text: "secret" }, { type: "text", text: "t" }),
    user("b"),
  ]
  const { requests } = await run("chat", [text("x")], request({ messages }))
  expect(requests[0]?.text).not.toContain("secret")
  expect(bodyOf(requests).messages.map((message) => message["role"])).toEqual([
    "system",
    "system",
    "user",
    "assistant",
    "user",
  ])
})

test("options: the model's own go with every call, the request's win, temperature only where it is taken", async () => {
  const model = { temperature: false, options: { reasoningEffort: "low", seed: 7 } }
  const wanted = request({ temperature: 0.5, topP: 0.9, providerOptions: { compat: { reasoningEffort: "high" } } })
  const { requests } = await run("chat", [text("x")], wanted, { model })
  expect(requests[0]?.body).toMatchObject({ reasoning_effort: "high", seed: 7, top_p: 0.9 })
  expect(requests[0]?.body).not.toHaveProperty("temperature")
})

test.each(wires)(
  "%s: a refused key, a rate limit and an overload become one error part that classifies",
  async (wire) => {
    const refused = await run(wire, [status(401)])
    expect(refused.parts.map((part) => part.type)).toEqual(["error"])
    expect(errorOf(refused.parts)).toMatchObject({ class: "auth", status: 401 })
    const limited = await run(wire, [status(429, { headers: { "retry-after": "7" } })])
    expect(errorOf(limited.parts)).toMatchObject({ class: "rate_limit", retryAfterMs: 7_000 })
    const busy = await run(wire, [status(503)])
    expect(errorOf(busy.parts)).toMatchObject({ class: "retryable", status: 503 })
  },
)

test.each(wires)("%s: an error in mid-stream keeps what came before it", async (wire) => {
  const { parts } = await run(wire, [[text("half"), streamError("Overloaded")]])
  expect(textOf(parts)).toBe("half")
  expect(errorOf(parts).class).toBe("retryable")
})

test.each(wires)("%s: a cut stream is an error to be tried again", async (wire) => {
  const { parts } = await run(wire, [[headers(), text("half"), cutStream()]])
  expect(errorOf(parts).class).toBe("retryable")
})

test("a web page instead of an answer says so", async () => {
  const page = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("<html></html>", { headers: { "content-type": "text/html" } }),
  })
  const { model, context } = open("chat", `${page.url.origin}/v1`)
  const failure = errorOf(await collect(callModel(model, request(), context)))
  await page.stop(true)
  expect(failure.class).toBe("fatal")
  expect(failure.message).toContain("baseURL")
})

test("a refused connection is known as one, so that it is tried three times only", async () => {
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
  const origin = gone.url.origin
  await gone.stop(true)
  const { model, context } = open("chat", `${origin}/v1`)
  expect(errorOf(await collect(callModel(model, request(), context)))).toMatchObject({
    class: "retryable",
    network: "refused",
  })
})

test.each(wires)("%s: interruption throws the reason and the server sees the client leave", async (wire) => {
  await using server = await startModelServer([[text("half"), hang()]])
  const { model, context } = open(wire, server.baseURL(wire))
  const group = new TaskGroup()
  const reason = new Error("enough")
  const parts = callModel(model, request(), { ...context, signal: group.signal })
  const failed = (async () => {
    for await (const part of parts) if (part.type === "text-delta") group.cancel(reason)
  })().catch((error: unknown) => error)
  expect(await failed).toBe(reason)
  await server.requests[0]?.aborted
})

test("leaving the loop early aborts the request", async () => {
  await using server = await startModelServer([[text("half"), hang()]])
  const { model, context } = open("chat", server.baseURL("chat"))
  for await (const part of callModel(model, request(), context)) if (part.type === "text-delta") break
  await server.requests[0]?.aborted
})

/** A model in this process that does what `stream` says and ignores every signal. */
function stubborn(doStream: LanguageModelV4["doStream"]): ResolvedModel {
  const { model } = open("chat", "http://127.0.0.1:9/v1")
  const language: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "stub",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("unused")),
    doStream,
  }
  return { ...model, baseURL: undefined, open: () => Promise.resolve(language) }
}

test.each([
  ["before", () => new Promise<never>(() => {})],
  ["within", () => Promise.resolve({ stream: new ReadableStream<LanguageModelV4StreamPart>() })],
] as const)("a provider that hangs %s the stream and ignores the signal does not hold us", async (_, doStream) => {
  const group = new TaskGroup()
  const { context } = open("chat", "http://127.0.0.1:9/v1")
  const failed = collect(callModel(stubborn(doStream), request(), { ...context, signal: group.signal })).catch(
    (error: unknown) => error,
  )
  const reason = new Error("enough")
  queueMicrotask(() => group.cancel(reason))
  expect(await failed).toBe(reason)
})

test("a stream that just ends is an error, one that throws synchronously too", async () => {
  const { context } = open("chat", "http://127.0.0.1:9/v1")
  const ends = stubborn(() =>
    Promise.resolve({ stream: new ReadableStream({ start: (controller) => controller.close() }) }),
  )
  expect(errorOf(await collect(callModel(ends, request(), context)))).toMatchObject({
    class: "retryable",
    code: "stream_cut",
  })
  const throws = stubborn(() => {
    throw new Error("boom")
  })
  expect(errorOf(await collect(callModel(throws, request(), context))).message).toContain("boom")
})

test.each([
  ["headers", hang({ headers: false }), 600_000, "timeout_first_byte"],
  ["body", hang(), 600_000, "timeout_first_byte"],
  ["next byte", undefined, 120_000, "timeout_silence"],
] as const)("the watchdog ends a call without %s", async (_, step, ms, code) => {
  const clock = new TestClock()
  await using server = await startModelServer([step ?? [text("half"), hang()]])
  const { model, context } = open("chat", server.baseURL("chat"), { clock })
  const begun = Promise.withResolvers<void>()
  const all: LanguageModelV4StreamPart[] = []
  const done = (async () => {
    for await (const part of callModel(model, request(), context)) {
      all.push(part)
      if (part.type === "text-delta" && textOf(all) === "half") begun.resolve()
    }
  })()
  if (step) await server.received(0)
  else await begun.promise
  await clock.timers()
  // The connect watchdog finds the port open and lets the call wait on.
  await clock.advance(step ? 20_000 : 0)
  while (!clock.due.some((due) => due <= ms)) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(ms)
  await done
  expect(errorOf(all)).toMatchObject({ class: "retryable", code })
  await server.requests[0]?.aborted
  expect(clock.pending).toBe(0)
})

test("no headers and a dead origin: the probe ends the call, and it is not tried again", async () => {
  const clock = new TestClock()
  const { model, context } = open("chat", "http://127.0.0.1:9/v1", { clock })
  const asked = Promise.withResolvers<void>()
  const net = {
    ...context.net,
    client: () => Object.assign(() => (asked.resolve(), new Promise<Response>(() => {})), { preconnect: () => {} }),
  }
  const parts = collect(callModel(model, request(), { ...context, net }))
  await asked.promise
  await clock.timers(2)
  await clock.advance(15_000)
  expect(errorOf(await parts)).toMatchObject({ class: "retryable", network: "probe" })
  expect(clock.pending).toBe(0)
})

test("false switches the watchdogs off", async () => {
  const clock = new TestClock()
  const seen = gate()
  await using server = await startModelServer([[text("x", { chunks: 1 }), waitFor(seen)]])
  const options = { connectTimeout: false, headerTimeout: false, chunkTimeout: false } as const
  const { model, context } = open("chat", server.baseURL("chat"), { clock, options })
  for await (const part of callModel(model, request(), context)) {
    // Once the answer has ended, how long the connection may stay open is no watchdog's matter.
    if (part.type === "text-delta") expect(clock.pending).toBe(0)
    if (part.type === "text-delta") seen.open()
  }
})
