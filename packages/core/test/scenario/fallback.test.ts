import { describe, expect, test } from "bun:test"
import { type Clock, systemClock } from "@cairn/kernel/clock"
import type { AssistantMessage } from "@cairn/schema/message"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import type { CapturedRequest, WireProtocol } from "@cairn/testkit/request"
import { offeredTools, requestedModel, toolResults, userTexts } from "@cairn/testkit/request"
import {
  type Reply,
  cutStream,
  reasoning,
  status,
  streamError,
  text,
  toolCall,
  usage,
  waitFor,
} from "@cairn/testkit/scenario"
import { type Bench, type BenchOptions, bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const busy = status(529, { headers: { "retry-after-ms": "1" } })
const limited = status(429, { headers: { "retry-after": "3600" } })
const asksForSummary = (request: CapturedRequest) => userTexts(request).at(-1)?.includes("## Relevant files") === true
const providers: Record<WireProtocol, string> = {
  chat: "chat",
  anthropic: "claude",
  responses: "gpt",
  google: "gemini",
}
const to = (...names: string[]) => ({ model_fallback: names })

/** Replies by who is asked: the protocol tells one provider from another. A list is used up; its last reply stays. */
function by(replies: Partial<Record<WireProtocol, Reply | readonly Reply[] | ((request: CapturedRequest) => Reply)>>) {
  const counts = new Map<WireProtocol, number>()
  return (request: CapturedRequest): Reply => {
    const own = replies[request.protocol]
    if (own === undefined) throw new Error(`${request.protocol} must not be asked`)
    if (typeof own === "function") return own(request)
    if (!Array.isArray(own)) return own as Reply
    const count = counts.get(request.protocol) ?? 0
    counts.set(request.protocol, count + 1)
    return (own as Reply[])[Math.min(count, own.length - 1)]!
  }
}

const answers = (made: Bench, sessionID: string): AssistantMessage[] =>
  made.engine.messages(sessionID).flatMap(({ info }) => (info.role === "assistant" ? [info] : []))
const asked = (made: Bench): WireProtocol[] => made.server.requests.map((request) => request.protocol)

/** A clock that a test can put forward without ending anybody's wait. */
function movable(): Clock & { forward(ms: number): void } {
  let shift = 0
  return {
    now: () => systemClock.now() + shift,
    monotonic: () => systemClock.monotonic() + shift,
    timer: (ms, fire) => systemClock.timer(ms, fire),
    forward: (ms) => void (shift += ms),
  }
}

const pairs: [WireProtocol, WireProtocol][] = [
  ["chat", "anthropic"],
  ["anthropic", "responses"],
  ["responses", "google"],
  ["google", "chat"],
]

describe.each(pairs)("%s fails for good in the middle of the work, %s takes over:", (first, second) => {
  const call = (n: number) => toolCall("bash", { command: `echo result ${n}` })
  const start = (options: BenchOptions = {}) =>
    bench(
      by({
        [first]: [
          [
            reasoning("Thoughts of the first.", { signature: "c2lnbmF0dXJl" }),
            call(1),
            usage({ input: 10, output: 1 }),
          ],
          busy,
        ],
        [second]: [
          [call(2), usage({ input: 1_000, output: 100 })],
          [text("Done."), usage({ input: 2_000, output: 200 })],
          [text("Still here."), usage({ input: 1, output: 1 })],
        ],
      }),
      {
        protocol: first,
        models: { dear: { cost: { input: 100, output: 200 } } },
        config: to(`${providers[second]}/dear`),
        ...options,
      },
    )

  test("with the whole history, and what was signed for the first one left out", async () => {
    await using made = await start()
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ reason: "done", text: "Done." })
    expect(asked(made)).toEqual([first, ...Array<WireProtocol>(5).fill(first), second, second])
    const [taken, then] = made.server.requests.slice(-2)
    expect(requestedModel(taken!)).toBe("dear")
    const results = (request: CapturedRequest) =>
      toolResults(request).map(({ output }) => /result \d/.exec(output)?.[0])
    expect(results(taken!)).toEqual(["result 1"])
    expect(results(then!)).toEqual(["result 1", "result 2"])
    expect(taken!.text).not.toContain("c2lnbmF0dXJl")
    expect(taken!.text).not.toContain("Thoughts of the first.")
    expectPrefixes(made.server.requests.slice(0, 6).map((request) => request.body))
    expectPrefixes(made.server.requests.slice(6).map((request) => request.body))
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("every message says who wrote it, in place of whom and why, and what it cost", async () => {
    await using made = await start()
    const outcome = await made.prompt("go")
    const [one, failed, two, three] = answers(made, outcome.sessionID)
    const names = [one, failed, two, three].map((info) => `${info!.providerID}/${info!.modelID}`)
    const stand = `${providers[second]}/dear`
    expect(names).toEqual(["test/scripted", "test/scripted", stand, stand])
    for (const info of [one, failed]) expect(info!.fallback).toBeUndefined()
    for (const info of [two, three])
      expect(info!.fallback).toMatchObject({
        providerID: "test",
        modelID: "scripted",
        message: expect.stringContaining("HTTP 529"),
      })
    expect(two!.fallback!.until).toBeGreaterThan(two!.time.created)
    expect(failed).toMatchObject({ finish: "error", cost: 0 })
    expect(failed!.error).toBeUndefined()
    const parts = made.engine.messages(outcome.sessionID).find(({ info }) => info.id === failed!.id)!.parts
    expect(parts.filter((part) => part.type === "retry")).toHaveLength(5)
    // Dollars for a million: 1 and 2 of the first, 100 and 200 of the one that stands in.
    expect(one!.cost).toBeCloseTo(0.000012, 9)
    expect(two!.cost).toBeCloseTo(0.12, 9)
    expect(three!.cost).toBeCloseTo(0.24, 9)
    expect(outcome.cost).toBeCloseTo(0.360012, 9)
    expect(made.engine.session(outcome.sessionID)!.cost).toBeCloseTo(0.360012, 9)
  })

  test("and goes on in the next turn, while the session still wants the first one", async () => {
    await using made = await start()
    const { sessionID } = await made.prompt("go")
    const before = made.server.requests.length
    expect(await made.prompt("and?", { sessionID })).toMatchObject({ text: "Still here." })
    expect(asked(made).slice(before)).toEqual([second])
    expect(answers(made, sessionID).at(-1)!.fallback).toBeDefined()
    expect(made.engine.session(sessionID)!.model).toMatchObject({ providerID: "test", id: "scripted" })
    const users = made.engine.messages(sessionID).flatMap(({ info }) => (info.role === "user" ? [info.model] : []))
    for (const model of users) expect(model).toMatchObject({ providerID: "test", modelID: "scripted" })
    expect(problemsOf(made, sessionID)).toEqual([])
  })
})

describe("a rate limit", () => {
  test.each([61, 3_600])("with a wait of %d s is not waited for where another model can go on", async (seconds) => {
    const wait = status(429, { headers: { "retry-after": String(seconds) } })
    await using made = await bench(by({ chat: wait, anthropic: text("Here.") }), { config: to("claude/scripted") })
    const outcome = await made.prompt("hi")
    expect(outcome).toMatchObject({ reason: "done", text: "Here." })
    expect(asked(made)).toEqual(["chat", "anthropic"])
    const { until } = answers(made, outcome.sessionID).at(-1)!.fallback!
    expect(until - Date.now()).toBeGreaterThan((seconds - 60) * 1_000)
  })

  test("that passes within a minute is waited for", async () => {
    const clock = new TestClock()
    const minute = status(429, { headers: { "retry-after": "60" } })
    await using made = await bench([minute, text("Here.")], { config: to("claude/scripted"), clock })
    const waits = gate()
    made.engine.subscribe((event) => {
      if (event.type === "session.status" && event.properties.status.type === "retry") waits.open()
    })
    const running = made.prompt("hi")
    await waits.opened
    await clock.advance(60_000)
    expect(await running).toMatchObject({ reason: "done", text: "Here." })
    expect(asked(made)).toEqual(["chat", "chat"])
  })

  test("holds for every session of the engine, until the provider's time has come", async () => {
    const clock = movable()
    await using made = await bench(by({ chat: [limited, text("Back.")], anthropic: text("Here.") }), {
      config: to("claude/scripted"),
      clock,
    })
    await made.prompt("one")
    clock.forward(3_500_000)
    const { sessionID } = await made.prompt("two")
    clock.forward(101_000)
    expect(await made.prompt("three", { sessionID })).toMatchObject({ text: "Back." })
    expect(asked(made)).toEqual(["chat", "anthropic", "anthropic", "chat"])
    const [stood, back] = answers(made, sessionID)
    expect(stood!.fallback).toBeDefined()
    expect(back!.fallback).toBeUndefined()
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("that ends while another model works gives the work back at the next step", async () => {
    const clock = movable()
    await using made = await bench(
      by({ chat: [limited, text("I finish it.")], anthropic: toolCall("bash", { command: "echo hi" }) }),
      { config: to("claude/scripted"), clock },
    )
    made.engine.subscribe((event) => {
      if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
      if (event.properties.part.state.status === "completed") clock.forward(3_600_000)
    })
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ reason: "done", text: "I finish it." })
    expect(asked(made)).toEqual(["chat", "anthropic", "chat"])
    expect(toolResults(made.server.requests[2]!)).toHaveLength(1)
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })
})

describe("what was done counts as done:", () => {
  test("a call of a stream that broke off is not made again by the model that takes over", async () => {
    const cut = gate()
    await using made = await bench(
      by({
        anthropic: [
          [toolCall("bash", { command: "echo x >> ran.txt" }), text("half a sentence"), waitFor(cut), cutStream()],
          limited,
        ],
        chat: (request) => text(`I see ${toolResults(request).length} result.`),
      }),
      { protocol: "anthropic", config: to("chat/scripted") },
    )
    made.engine.subscribe((event) => {
      if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
      if (event.properties.part.state.status === "completed") cut.open()
    })
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ reason: "done", text: "I see 1 result." })
    expect(await made.workspace.read("ran.txt")).toBe("x\n")
    expect(made.server.requests.at(-1)!.text).not.toContain("half a sentence")
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  }, 15_000)

  test("a call that the user rejected ends the turn, whoever could take over", async () => {
    const cut = gate()
    await using made = await bench(
      by({
        anthropic: [
          [
            toolCall("bash", { command: "echo x" }),
            text("and"),
            waitFor(cut),
            // An error in the stream that asks for an hour: no second try.
            streamError("try again in 60m", "rate_limit_error"),
          ],
        ],
      }),
      { protocol: "anthropic", config: { ...to("chat/scripted"), permission: { bash: "ask" } } },
    )
    made.engine.subscribe((event) => {
      if (event.type === "permission.asked")
        queueMicrotask(() => made.engine.replyPermission(event.properties.id, { reply: "reject" }))
      if (event.type === "permission.replied") cut.open()
    })
    const outcome = await made.prompt("go", { asks: "wait" })
    expect(outcome.reason).toBe("rejected")
    expect(made.server.requests).toHaveLength(1)
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })
})

describe("a model is passed over that", () => {
  const image = {
    type: "file" as const,
    mime: "image/png",
    filename: "dot.png",
    url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  }
  const sees = { attachment: true, modalities: { input: ["text", "image"] } }

  test("takes no image where the conversation has one", async () => {
    await using made = await bench(by({ chat: limited, responses: text("A dot.") }), {
      model: sees,
      models: { blind: { attachment: false, modalities: { input: ["text"] } } },
      config: to("claude/blind", "gpt/scripted"),
    })
    expect(await made.prompt("what is it?", { files: [image] })).toMatchObject({ text: "A dot." })
    expect(made.server.requests.at(-1)!.text).toContain(image.url.split(",")[1]!)
    // Of a conversation without one it can take over.
    await using plain = await bench(by({ chat: limited, anthropic: text("Words.") }), {
      model: sees,
      models: { blind: { attachment: false, modalities: { input: ["text"] } } },
      config: to("claude/blind", "gpt/scripted"),
    })
    expect(await plain.prompt("what is it?")).toMatchObject({ text: "Words." })
  })

  test("has too little room for what was said, rather than to compact it", async () => {
    let asks = 0
    await using made = await bench(
      by({
        chat: () => (++asks === 1 ? [toolCall("bash", { command: "echo 1" }), usage({ input: 5_500 })] : limited),
        responses: text("Plenty."),
      }),
      { models: { small: { limit: { context: 6_000, output: 1_000 } } }, config: to("claude/small", "gpt/scripted") },
    )
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ text: "Plenty." })
    expect(made.server.requests.some(asksForSummary)).toBe(false)
  })

  test("cannot call tools, which is said beforehand", async () => {
    await using made = await bench(by({ chat: limited, responses: text("Here.") }), {
      models: { mute: { tool_call: false } },
      config: to("claude/mute", "gpt/scripted"),
    })
    const checked = made.engine.checkFallback({ providerID: "test", modelID: "scripted" }, "build")
    expect(checked.ok && checked.value.join()).toContain("claude/mute will not take over, since it cannot call tools")
    expect(await made.prompt("hi")).toMatchObject({ text: "Here." })
  })
})

test("who takes over works in its own way: the prompt and tools of a small model, the edits that it was trained on", async () => {
  await using made = await bench(by({ anthropic: limited, chat: text("Small."), responses: text("Patched.") }), {
    protocol: "anthropic",
    models: { tiny: { profile: "small" }, "gpt-5.1-codex": {} },
    config: { agent: { plan: { model_fallback: ["gpt/gpt-5.1-codex"] } }, ...to("chat/tiny") },
  })
  await made.prompt("hi")
  const [whole, small] = made.server.requests
  expect(offeredTools(whole!)).toContain("todowrite")
  expect(offeredTools(small!)).not.toContain("todowrite")
  expect(small!.text.length).toBeLessThan(whole!.text.length)
  // The agent's own list counts, not the config's.
  await made.prompt("hi", { agent: "plan" })
  expect(asked(made)).toEqual(["anthropic", "chat", "responses"])
  expect(offeredTools(made.server.requests[2]!)).toContain("apply_patch")
  expect(offeredTools(made.server.requests[2]!)).not.toContain("edit")
})

describe("no other model is asked when", () => {
  test.each([
    ["the key is refused", status(401, { body: '{"error":{"message":"invalid api key"}}' }), "auth", "Check the key"],
    ["the account is empty", status(402), "fatal", "Check its billing page"],
    ["the request is refused", status(400, { body: '{"error":{"message":"bad tool"}}' }), "fatal", "bad tool"],
  ] as const)("%s: the user is told what to do", async (_, reply, kind, advice) => {
    await using made = await bench(by({ chat: reply }), { config: to("claude/scripted") })
    const outcome = await made.prompt("hi")
    expect(outcome).toMatchObject({ reason: "error", errorClass: kind })
    expect(JSON.stringify(outcome.error)).toContain(advice)
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("the conversation is too long: it is compacted", async () => {
    let refused = false
    const tooLong = status(400, { body: '{"error":{"message":"too long","code":"context_length_exceeded"}}' })
    await using made = await bench(
      by({
        chat(request) {
          if (asksForSummary(request)) return text("notes")
          if (toolResults(request).length === 0 && !refused) return toolCall("bash", { command: "seq 1 3000" })
          if (refused) return text("Done.")
          refused = true
          return tooLong
        },
      }),
      { config: to("claude/scripted") },
    )
    expect(await made.prompt("go")).toMatchObject({ reason: "done", text: "Done." })
  })
})

test("when all fail the error names each, with its own reason", async () => {
  await using made = await bench(
    by({ chat: limited, anthropic: status(401), responses: [busy, busy, busy, busy, busy] }),
    {
      models: { small: { limit: { context: 1_000, output: 250 } } },
      config: to("claude/scripted", "gemini/small", "gpt/scripted"),
    },
  )
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "error", errorClass: "rate_limit", error: { name: "APIError" } })
  const { message } = (outcome.error as { data: { message: string } }).data
  expect(message).toMatch(/- test\/scripted: .*HTTP 429/)
  expect(message).toMatch(/- claude\/scripted: .*HTTP 401.*Check the key/)
  expect(message).toMatch(/- gemini\/small: not tried, since the conversation of \d+ tokens is too long for it/)
  expect(message).toMatch(/- gpt\/scripted: .*HTTP 529/)
  expect(asked(made)).toEqual(["chat", "anthropic", ...Array<WireProtocol>(5).fill("responses")])
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
  // All rest: the chosen one is asked all the same, since somebody wants to know.
  const again = await made.prompt("and now?", { sessionID: outcome.sessionID })
  expect(again).toMatchObject({ reason: "error" })
  expect(asked(made).slice(7)).toEqual(["chat"])
  expect(JSON.stringify(again.error)).toMatch(/claude\/scripted: left alone for \d+ s more/)
})

test("a summary that one model fails to write is written by the next", async () => {
  let steps = 0
  await using made = await bench(
    by({
      chat: (request) =>
        asksForSummary(request)
          ? limited
          : [toolCall("bash", { command: "seq 1 900" }), usage({ input: 15_500, output: 50 })],
      anthropic: (request) => (asksForSummary(request) ? text("notes of the second") : text(`Done ${++steps}.`)),
    }),
    { model: { limit: { context: 16_000, output: 4_000 } }, config: to("claude/scripted") },
  )
  const errors: unknown[] = []
  made.engine.subscribe((event) => event.type === "session.error" && errors.push(event))
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "done", text: "Done 1." })
  const summaries = answers(made, outcome.sessionID).filter((info) => info.summary)
  expect(summaries.map((info) => [info.providerID, info.fallback !== undefined, info.error])).toEqual([
    ["test", false, undefined],
    ["claude", true, undefined],
  ])
  expect(errors).toEqual([])
  expect(made.server.requests.at(-1)!.text).toContain("notes of the second")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a compaction that the user asks for falls over, too", async () => {
  await using made = await bench(
    by({
      chat: (request) => (asksForSummary(request) ? limited : text("Long answer. ".repeat(2_000))),
      anthropic: text("The notes."),
    }),
    { config: { ...to("claude/scripted"), compaction: { preserve_recent_tokens: 0 } } },
  )
  const { sessionID } = await made.prompt("first words")
  expect(await made.engine.compact(sessionID)).toMatchObject({ ok: true, value: { reason: "done" } })
  expect(asked(made)).toEqual(["chat", "chat", "anthropic"])
  expect(problemsOf(made, sessionID)).toEqual([])
})

describe("before a model takes over", () => {
  test("the budget is looked at: one of money says nothing about a model without a price", async () => {
    await using made = await bench(by({ chat: limited }), {
      models: { free: { cost: undefined } },
      config: { ...to("claude/free"), budget: { run: { money: 1 } } },
    })
    const outcome = await made.prompt("hi")
    expect(outcome).toMatchObject({ reason: "budget" })
    expect(JSON.stringify(outcome.error)).toContain("price of this model is not known")
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("a prompt that came meanwhile enters, and the failed try is no step of the agent", async () => {
    let steered: Promise<unknown> | undefined
    await using made = await bench(
      by({
        chat: [toolCall("bash", { command: "echo 1" }), limited],
        anthropic: [toolCall("bash", { command: "echo 2" }), text("Both.")],
      }),
      { config: { ...to("claude/scripted"), agent: { build: { steps: 2 } } } },
    )
    const session = await made.engine.createSession({})
    made.engine.subscribe((event) => {
      if (event.type !== "message.part.updated" || event.properties.part.type !== "retry") return
      steered = made.engine.prompt({
        sessionID: session.id,
        parts: [{ type: "text", text: "and mind the gap" }],
        model: { providerID: "test", modelID: "scripted" },
      })
    })
    const outcome = await made.prompt("go", { sessionID: session.id })
    expect(outcome).toMatchObject({ reason: "done", text: "Both." })
    expect(await steered).toMatchObject({ ok: true, value: { text: "Both." } })
    expect(userTexts(made.server.requests[2]!).at(-1)).toContain("and mind the gap")
    expect(problemsOf(made, session.id)).toEqual([])
  })

  test("failed tries alone use up no steps", async () => {
    await using made = await bench(
      by({ chat: limited, anthropic: [toolCall("bash", { command: "echo 1" }), text("That is all.")] }),
      { config: { ...to("claude/scripted"), agent: { build: { steps: 1 } } } },
    )
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ reason: "step_limit", text: "That is all." })
    // Notes of ours are in the name of the chosen model: clients read from them what a session wants.
    const users = made.engine.messages(outcome.sessionID).flatMap(({ info }) => (info.role === "user" ? [info] : []))
    expect(users.map(({ model }) => model.providerID)).toEqual(["test", "test"])
    const choices = made.server.requests.map((request) =>
      JSON.stringify((request.body as { tool_choice?: unknown }).tool_choice),
    )
    expect(choices).toEqual(['"auto"', '{"type":"auto"}', '{"type":"none"}'])
  })
})

test("the title of a session is asked of a model that does not rest", async () => {
  const isTitle = (request: CapturedRequest) => offeredTools(request).length === 0
  const titled = gate()
  let second = false
  await using made = await bench(
    by({
      chat: limited,
      anthropic(request) {
        if (isTitle(request)) titled.open()
        return isTitle(request) || !second ? text("Here.") : [waitFor(titled), text("Here.")]
      },
    }),
    { config: { ...to("claude/scripted"), title: "model" } },
  )
  await made.prompt("one")
  second = true
  const before = made.server.requests.length
  expect(await made.prompt("two")).toMatchObject({ reason: "done" })
  const later = made.server.requests.slice(before)
  expect(later.map(({ protocol }) => protocol)).toEqual(["anthropic", "anthropic"])
  expect(later.filter(isTitle)).toHaveLength(1)
})

describe("a name in model_fallback", () => {
  const sends = async (made: Bench) => {
    const { id: sessionID } = await made.engine.createSession({})
    const model = { providerID: "test", modelID: "scripted" }
    return await made.engine.prompt({ sessionID, parts: [{ type: "text", text: "hi" }], model, asks: "deny" })
  }

  test.each([
    ["claude/scriptd", "Did you mean claude/scripted"],
    ["scripted", "A model is written provider/model."],
  ])("that means nothing (%s) is to be mended first", async (name, hint) => {
    await using made = await bench(by({}), { config: to(name) })
    const refused = await sends(made)
    expect(refused).toMatchObject({ ok: false, error: { kind: "model" } })
    expect(!refused.ok && refused.error.message).toStartWith(`model_fallback: There is no model "${name}".`)
    expect(!refused.ok && refused.error.message).toContain(hint)
    expect(made.engine.checkFallback({ providerID: "test", modelID: "scripted" }, "build")).toEqual(refused as never)
  })

  test("without a key here is left out, and said", async () => {
    await using made = await bench(by({ chat: limited, responses: text("Here.") }), {
      config: to("anthropic/claude-sonnet-4-5", "test/scripted", "gpt/scripted"),
    })
    const checked = made.engine.checkFallback({ providerID: "test", modelID: "scripted" }, "build")
    expect(checked.ok && checked.value).toHaveLength(1)
    expect(checked.ok && checked.value[0]).toMatch(
      /^model_fallback: anthropic\/claude-sonnet-4-5 will not take over\. .*ANTHROPIC_API_KEY/,
    )
    expect(await sends(made)).toMatchObject({ ok: true, value: { text: "Here." } })
  })

  test("of an agent is said with the agent's name", async () => {
    await using made = await bench(by({}), { config: { agent: { build: { model_fallback: ["no/such"] } } } })
    const refused = await sends(made)
    expect(!refused.ok && refused.error.message).toStartWith('agent.build.model_fallback: There is no model "no/such".')
  })
})
