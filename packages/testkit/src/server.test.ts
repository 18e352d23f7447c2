import { describe, expect, test } from "bun:test"
import { TaskGroup } from "@cairn/kernel/task"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogleGenerativeAI } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { TestClock } from "./clock.ts"
import { gate } from "./gate.ts"
import { offeredTools, requestedModel, systemText, toolResults, userTexts, type WireProtocol } from "./request.ts"
import {
  chunked,
  cutStream,
  delay,
  emptyBody,
  endStream,
  finish,
  hang,
  headers,
  html,
  noUsage,
  ping,
  raw,
  reasoning,
  redactedReasoning,
  status,
  streamError,
  text,
  toolCall,
  usage,
  waitFor,
} from "./scenario.ts"
import { startModelServer, type ModelServer } from "./server.ts"

type Part = LanguageModelV4StreamPart
const question: LanguageModelV4CallOptions = { prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] }

const clients: Record<WireProtocol, (server: ModelServer) => LanguageModelV4> = {
  chat: (server) =>
    createOpenAICompatible({ name: "scripted", baseURL: server.baseURL("chat"), apiKey: "k", includeUsage: true })("m"),
  anthropic: (server) => createAnthropic({ baseURL: server.baseURL("anthropic"), apiKey: "k" })("claude-test"),
  responses: (server) => createOpenAI({ baseURL: server.baseURL("responses"), apiKey: "k" }).responses("gpt-test"),
  google: (server) => createGoogleGenerativeAI({ baseURL: server.baseURL("google"), apiKey: "k" })("gemini-test"),
}

async function parts(model: LanguageModelV4, options = question): Promise<Part[]> {
  const { stream } = await model.doStream(options)
  const all: Part[] = []
  for await (const part of stream as unknown as AsyncIterable<Part>) all.push(part)
  return all
}
const joined = (all: Part[], type: "text-delta" | "reasoning-delta") =>
  all.map((part) => (part.type === type ? part.delta : "")).join("")
const calls = (all: Part[]) =>
  all.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
  )
const finished = (all: Part[]) => {
  const last = all.at(-1)
  if (last?.type !== "finish") throw new Error(`the stream ended with ${last?.type}`)
  return last
}

describe.each(["chat", "anthropic", "responses", "google"] as const)("the real %s client", (protocol) => {
  const client = clients[protocol]

  test("reads text in the scripted number of pieces", async () => {
    await using server = await startModelServer([[text("Hello, wörld", { chunks: 4 })]])
    const all = await parts(client(server))
    expect(all.filter((part) => part.type === "text-delta")).toHaveLength(4)
    expect(joined(all, "text-delta")).toBe("Hello, wörld")
    expect(finished(all).finishReason.unified).toBe("stop")
    expect(server.unexpected).toEqual([])
  })

  test("reads reasoning before text", async () => {
    await using server = await startModelServer([[reasoning("Think.", { signature: "sig" }), text("Done.")]])
    const all = await parts(client(server))
    expect(joined(all, "reasoning-delta")).toBe("Think.")
    expect(joined(all, "text-delta")).toBe("Done.")
    const order = all.map((part) => part.type)
    expect(order.indexOf("reasoning-end")).toBeLessThan(order.indexOf("text-delta"))
  })

  test("reads parallel calls with their arguments", async () => {
    await using server = await startModelServer([
      [
        text("I look."),
        toolCall("read", { filePath: "a b.ts" }),
        toolCall("bash", { command: "ls" }, { id: "own" }),
        toolCall("list"),
      ],
    ])
    const all = await parts(client(server))
    expect(calls(all).map(({ name, input }) => [name, JSON.parse(input)])).toEqual([
      ["read", { filePath: "a b.ts" }],
      ["bash", { command: "ls" }],
      ["list", {}],
    ])
    expect(calls(all)[1]?.id).toBe("own")
    expect(new Set(calls(all).map((call) => call.id)).size).toBe(3)
    expect(finished(all).finishReason.unified).toBe("tool-calls")
  })

  test("passes malformed arguments on as they stand", async () => {
    await using server = await startModelServer([[toolCall("edit", '{"filePath": "a", ')]])
    const all = await parts(client(server))
    if (protocol === "google") expect(finished(all).finishReason.raw).toBe("MALFORMED_FUNCTION_CALL")
    else expect(calls(all)[0]?.input).toBe('{"filePath": "a", ')
  })

  test("counts tokens", async () => {
    await using server = await startModelServer([
      [usage({ input: 40, cacheRead: 1000, cacheWrite: 0, output: 7, reasoning: 5 }), text("x")],
    ])
    const spent = finished(await parts(client(server))).usage
    expect(spent.inputTokens).toMatchObject({ total: 1040, noCache: 40, cacheRead: 1000 })
    expect(spent.outputTokens).toMatchObject({ total: 12, text: 7, reasoning: 5 })
  })

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["something_new", "other"],
  ])("finish %s is %s", async (scripted, unified) => {
    await using server = await startModelServer([[text("x"), finish(scripted)]])
    expect(finished(await parts(client(server))).finishReason.unified).toBe(unified as "stop")
  })

  test("survives chunks of 7 bytes that cut emoji apart", async () => {
    const words = "🏔️ cairn — 標石 👩‍👩‍👧 naïve"
    await using server = await startModelServer([
      [chunked(7), text(words, { chunks: 5 }), toolCall("write", { content: words })],
    ])
    const all = await parts(client(server))
    expect(joined(all, "text-delta")).toBe(words)
    expect(JSON.parse(calls(all)[0]?.input ?? "")).toEqual({ content: words })
  })

  test("sees what was sent before the socket was cut, then an error", async () => {
    let read = gate()
    await using server = await startModelServer(() => [text("begun", { chunks: 1 }), waitFor(read), cutStream()])
    for (let round = 0; round < 5; round++) {
      read = gate()
      const { stream } = await client(server).doStream(question)
      const seen: Part[] = []
      const consume = async () => {
        for await (const part of stream as unknown as AsyncIterable<Part>) {
          seen.push(part)
          if (part.type === "text-delta") read.open()
        }
      }
      await expect(consume()).rejects.toThrow()
      expect(joined(seen, "text-delta")).toBe("begun")
      expect(await server.requests[round]?.ended).toBe("closed")
    }
    expect(server.requests).toHaveLength(5)
  })

  test("has a moment to read before the cut also without a gate", async () => {
    await using server = await startModelServer([[text("begun"), cutStream()]])
    const seen: Part[] = []
    const { stream } = await client(server).doStream(question)
    const consume = async () => {
      for await (const part of stream as unknown as AsyncIterable<Part>) seen.push(part)
    }
    await expect(consume()).rejects.toThrow()
    expect(joined(seen, "text-delta")).toBe("begun")
  })

  test("reports an error inside the stream", async () => {
    await using server = await startModelServer([[text("a"), streamError("too busy")]])
    const all = await parts(client(server))
    expect(JSON.stringify(all.filter((part) => part.type === "error"))).toContain("too busy")
  })

  test("gets status, headers and the provider's error body", async () => {
    await using server = await startModelServer([
      status(429, { headers: { "retry-after": "7" } }),
      status(503, { body: "upstream is away" }),
    ])
    const model = client(server)
    await expect(model.doStream(question)).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { "retry-after": "7" },
      message: "scripted status 429",
    })
    await expect(model.doStream(question)).rejects.toMatchObject({ statusCode: 503, responseBody: "upstream is away" })
  })

  test("an unfinished call and a clean end without a finish", async () => {
    await using server = await startModelServer([[toolCall("write", '{"content": "ha', { open: true }), endStream()]])
    const all = await parts(client(server))
    expect(all.some((part) => part.type === "tool-input-delta")).toBe(protocol !== "google")
    expect(all.some((part) => part.type === "finish" && part.finishReason.unified === "stop")).toBe(false)
    expect(await server.requests[0]?.ended).toBe("sent")
  })

  test("a web page and an empty body give no content", async () => {
    await using server = await startModelServer([html(), emptyBody()])
    for (let round = 0; round < 2; round++) {
      const all = await parts(client(server)).catch((error: unknown) => [{ type: "error", error } as Part])
      expect(joined(all, "text-delta")).toBe("")
      expect(all.some((part) => part.type === "finish" && part.finishReason.unified === "stop")).toBe(false)
    }
  })

  test("the client that leaves a hanging stream is noticed", async () => {
    await using server = await startModelServer([[text("a"), hang()]])
    await using client_ = new TaskGroup()
    const { stream } = await client(server).doStream({ ...question, abortSignal: client_.signal })
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== "text-delta") continue
    client_.cancel()
    await server.requests[0]?.aborted
    expect(await server.requests[0]?.ended).toBe("aborted")
  })

  test("the client that leaves before the headers is noticed", async () => {
    await using server = await startModelServer([hang({ headers: false })])
    await using client_ = new TaskGroup()
    const call = client(server).doStream({ ...question, abortSignal: client_.signal })
    const request = await server.received(0)
    client_.cancel()
    await expect(call).rejects.toThrow()
    await request.aborted
  })

  test("a gate holds the stream where the scenario says", async () => {
    const door = gate()
    await using server = await startModelServer([
      [text("one", { chunks: 1 }), waitFor(door), text("two", { chunks: 1 })],
    ])
    const { stream } = await client(server).doStream(question)
    const deltas: string[] = []
    let openAtFirst: boolean | undefined
    for await (const part of stream as unknown as AsyncIterable<Part>) {
      if (part.type !== "text-delta") continue
      openAtFirst ??= door.isOpen
      deltas.push(part.delta)
      door.open()
    }
    expect(openAtFirst).toBe(false)
    expect(deltas).toEqual(["one", "two"])
  })

  test("disposing the server ends what hangs", async () => {
    const server = await startModelServer([[text("a"), waitFor(gate())]])
    const { stream } = await client(server).doStream(question)
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== "text-delta") continue
    await server[Symbol.asyncDispose]()
    const rest = async () => {
      while (!(await reader.read()).done) continue
    }
    await expect(rest()).rejects.toThrow()
    expect(await server.requests[0]?.ended).toBe("closed")
    await expect(fetch(server.url)).rejects.toThrow()
  })
})

describe("anthropic", () => {
  test("sends the signature with the block, redacted thinking as its own", async () => {
    await using server = await startModelServer([
      [reasoning("Hm.", { signature: "c2ln" }), redactedReasoning("ZGF0YQ=="), toolCall("read", { filePath: "x" })],
    ])
    const all = await parts(clients.anthropic(server))
    const metadata = JSON.stringify(all.flatMap((part) => ("providerMetadata" in part ? [part.providerMetadata] : [])))
    expect(metadata).toContain('"signature":"c2ln"')
    expect(metadata).toContain('"redactedData":"ZGF0YQ=="')
  })

  test("a call is complete while the stream still flows", async () => {
    const door = gate()
    await using server = await startModelServer([[toolCall("bash", { command: "true" }), waitFor(door), text("after")]])
    const { stream } = await clients.anthropic(server).doStream(question)
    const order: string[] = []
    for await (const part of stream as unknown as AsyncIterable<Part>) {
      order.push(part.type)
      if (part.type === "tool-call") door.open()
    }
    expect(order.indexOf("tool-call")).toBeLessThan(order.indexOf("text-delta"))
  })

  test("cache writes are counted apart", async () => {
    await using server = await startModelServer([[usage({ input: 1, cacheRead: 2, cacheWrite: 3 }), text("x")]])
    const spent = finished(await parts(clients.anthropic(server))).usage
    expect(spent.inputTokens).toMatchObject({ total: 6, noCache: 1, cacheRead: 2, cacheWrite: 3 })
  })
})

describe("responses", () => {
  test("encrypted reasoning goes with the item, ids of items and calls are apart", async () => {
    await using server = await startModelServer([
      [
        reasoning("Hm.", { signature: "enc" }),
        redactedReasoning("more"),
        text("x"),
        toolCall("read", {}, { id: "c9" }),
      ],
    ])
    const all = await parts(clients.responses(server))
    const metadata = JSON.stringify(all.flatMap((part) => ("providerMetadata" in part ? [part.providerMetadata] : [])))
    expect(metadata).toContain('"reasoningEncryptedContent":"enc"')
    expect(metadata).toContain('"reasoningEncryptedContent":"more"')
    expect(metadata).toContain('"itemId":"fc_0_3"')
    expect(calls(all)[0]?.id).toBe("c9")
  })

  test("numbers its events and gives the whole output at the end", async () => {
    await using server = await startModelServer([[text("a"), text("b"), toolCall("x")]])
    const response = await fetch(`${server.url}/v1/responses`, { method: "POST", body: "{}" })
    const events = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)) as Record<string, any>)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const last = events.at(-1)
    expect(last?.type).toBe("response.completed")
    expect(last?.response.output.map((item: { type: string }) => item.type)).toEqual(["message", "function_call"])
    expect(last?.response.output[0].content[0].text).toBe("ab")
  })
})

describe("google", () => {
  test("a thought's signature stands on the part after it, else on the last", async () => {
    await using server = await startModelServer([
      [
        reasoning("Hm.", { signature: "sig1" }),
        toolCall("read", { filePath: "x" }, { id: "c1" }),
        reasoning("So.", { signature: "sig2" }),
      ],
    ])
    const all = await parts(clients.google(server))
    const call = all.find((part) => part.type === "tool-call")
    expect(call).toMatchObject({ toolCallId: "c1", providerMetadata: { google: { thoughtSignature: "sig1" } } })
    expect(JSON.stringify(all)).toContain("sig2")
  })
})

describe("chat", () => {
  test("usage only when it was asked for, none when the provider gives none", async () => {
    await using server = await startModelServer([[text("x")], [noUsage(), text("x")]])
    const quiet = createOpenAICompatible({ name: "scripted", baseURL: server.baseURL("chat"), apiKey: "k" })("m")
    expect(finished(await parts(quiet)).usage.inputTokens.total).toBeUndefined()
    expect(finished(await parts(clients.chat(server))).usage.inputTokens.total).toBeUndefined()
  })

  test("a broken frame is an error part, a ping is nothing", async () => {
    await using server = await startModelServer([[ping(), raw("data: {broken\n\n"), text("x")]])
    const all = await parts(clients.chat(server))
    expect(all.filter((part) => part.type === "error")).toHaveLength(1)
    expect(joined(all, "text-delta")).toBe("x")
  })
})

describe("the server", () => {
  test("records requests without keys", async () => {
    await using server = await startModelServer([[text("x")], [text("y")]])
    await parts(clients.chat(server))
    await parts(clients.anthropic(server))
    const [chat, anthropic] = server.requests
    expect(chat).toMatchObject({
      index: 0,
      protocol: "chat",
      method: "POST",
      path: "/v1/chat/completions",
      authorized: true,
    })
    expect(chat?.headers.authorization).toBe("[redacted]")
    expect(chat?.usesKey("k")).toBe(true)
    expect(chat?.usesKey("other")).toBe(false)
    expect(JSON.parse(chat?.text ?? "")).toEqual(chat?.body)
    expect(anthropic?.headers["x-api-key"]).toBe("[redacted]")
    expect(anthropic?.usesKey("k")).toBe(true)
    expect(anthropic && requestedModel(anthropic)).toBe("claude-test")
  })

  test.each(["chat", "anthropic", "responses", "google"] as const)(
    "a function answers by what the %s request holds",
    async (protocol) => {
      await using server = await startModelServer((request, index) => {
        const result = toolResults(request).at(-1)
        return result ? text(`${index}: ${result.callID} said ${result.output}`) : toolCall("read", {}, { id: "c1" })
      })
      const model = clients[protocol](server)
      const system: LanguageModelV4CallOptions = {
        prompt: [{ role: "system", content: "Be brief." }, ...question.prompt],
        tools: [{ type: "function", name: "read", inputSchema: { type: "object", properties: {} } }],
      }
      expect(calls(await parts(model, system))).toEqual([{ id: "c1", name: "read", input: "{}" }])
      const second = await parts(model, {
        ...system,
        prompt: [
          ...system.prompt,
          { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }] },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "ok" } },
            ],
          },
        ],
      })
      expect(joined(second, "text-delta")).toBe("1: c1 said ok")
      const request = await server.received(1)
      expect(userTexts(request)).toEqual(["hi"])
      expect(systemText(request)).toBe("Be brief.")
      expect(offeredTools(request)).toEqual(["read"])
    },
  )

  test("requests beyond the script, unknown paths and a throwing scenario are refused and recorded", async () => {
    await using server = await startModelServer([
      () => {
        throw new Error("no such branch")
      },
    ])
    const post = (path: string) => fetch(server.url + path, { method: "POST", body: "{}" })
    expect((await post("/v1/chat/completions")).status).toBe(500)
    const beyond = await post("/v1/chat/completions")
    expect(beyond.status).toBe(500)
    expect(await beyond.text()).toContain("the scenario has 1 replies, this is request 2")
    expect((await post("/v1/other")).status).toBe(404)
    expect(server.unexpected.map((miss) => miss.reason)).toEqual([
      "no such branch",
      "the scenario has 1 replies, this is request 2",
      "no protocol answers this path",
    ])
    expect(server.requests).toHaveLength(2)
  })

  test("a failing reply does not disturb the others", async () => {
    const door = gate()
    await using server = await startModelServer((_, index) => {
      if (index === 1) throw new Error("bad")
      return [text("a"), waitFor(door), text("b")]
    })
    const first = parts(clients.chat(server))
    await server.received(0)
    expect((await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: "{}" })).status).toBe(500)
    door.open()
    expect(joined(await first, "text-delta")).toBe("ab")
  })

  test("delays run on the given clock, after headers that were sent before", async () => {
    const clock = new TestClock()
    await using server = await startModelServer([[headers(), delay(60_000), text("late", { chunks: 1 })]], { clock })
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: "{}" })
    expect(response.status).toBe(200)
    await clock.timers()
    await clock.advance(60_000)
    expect(await response.text()).toContain("late")
    expect(clock.pending).toBe(0)
  })

  test("the same scenario gives the same bytes", async () => {
    const answer = async () => {
      await using server = await startModelServer([[reasoning("r"), text("t"), toolCall("x", { a: 1 })]])
      const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body: "{}" })
      return await response.text()
    }
    expect(await answer()).toBe(await answer())
  })

  test("twenty thousand deltas arrive whole", async () => {
    const words = "word ".repeat(4_000)
    await using server = await startModelServer([[text(words, { chunks: 20_000 })]])
    const all = await parts(clients.chat(server))
    expect(all.filter((part) => part.type === "text-delta")).toHaveLength(20_000)
    expect(joined(all, "text-delta")).toBe(words)
  })
})
