import { describe, expect, test } from "bun:test"
import type { MessageWithParts } from "@cairn/schema/message"
import { gate } from "@cairn/testkit/gate"
import type { CapturedRequest } from "@cairn/testkit/request"
import { toolResults, userTexts } from "@cairn/testkit/request"
import { type Reply, status, streamError, text, toolCall, usage, waitFor } from "@cairn/testkit/scenario"
import { buildContext } from "../../src/session/compaction.ts"
import { messageTokens } from "../../src/session/estimate.ts"
import { type Bench, bench, problemsOf } from "./harness.ts"

const overflow = () =>
  status(400, {
    body: '{"error":{"message":"too long","code":"context_length_exceeded","type":"invalid_request_error"}}',
  })
const asksForSummary = (request: CapturedRequest) => userTexts(request).at(-1)?.includes("## Relevant files") === true
const small = { limit: { context: 16_000, output: 4_000 } }
const filler = (lines: number) => `seq 1 ${lines} | sed 's/^/line of filler number /'`
const summariesOf = (made: Bench, sessionID: string): MessageWithParts[] =>
  made.engine.messages(sessionID).filter(({ info }) => info.role === "assistant" && info.summary === true)

test("a provider that calls everything too long gets three compactions, then the user is told", async () => {
  let summaries = 0
  let worked = false
  await using made = await bench((request): Reply => {
    // Each is shorter than the one before, so that each compaction shrinks the request.
    if (asksForSummary(request)) return text(`${"a note. ".repeat(600 >> summaries)} ${++summaries}`)
    if (worked) return overflow()
    worked = true
    return toolCall("bash", { command: filler(400) })
  })
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "error", errorClass: "overflow", error: { name: "ContextOverflowError" } })
  expect(summaries).toBe(3)
  expect(made.server.requests.filter((request) => !asksForSummary(request))).toHaveLength(5)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a step that fits begins the count of compactions anew", async () => {
  let summaries = 0
  let steps = 0
  await using made = await bench((request): Reply => {
    if (asksForSummary(request)) return text(`notes ${++summaries}`)
    if (summaries === 5) return text("Done.")
    return ++steps % 2 === 1 ? toolCall("bash", { command: `${filler(400)}; echo ${steps}` }) : overflow()
  })
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "done", text: "Done." })
  expect(summariesOf(made, outcome.sessionID)).toHaveLength(5)
})

test("what a try did before its overflow is in the request that is sent once more, and is not done again", async () => {
  const cut = gate()
  let broken = false
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return text("A summary that is far longer than all of it. ".repeat(500))
      if (broken) return text(`I see ${toolResults(request).length} result.`)
      broken = true
      return [
        toolCall("bash", { command: "echo x >> ran.txt; cat ran.txt" }),
        waitFor(cut),
        streamError("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
      ]
    },
    { protocol: "anthropic" },
  )
  made.engine.subscribe((event) => {
    if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
    if (event.properties.part.state.status === "completed") cut.open()
  })
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "done", text: "I see 1 result." })
  expect(await made.workspace.read("ran.txt")).toBe("x\n")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

describe("a summary", () => {
  /** A session of one exchange, compacted by request with a summary that changes the estimate by `gain` tokens. */
  async function compactedBy(gain: number) {
    const target = { providerID: "test", modelID: "scripted", accepts: () => false }
    const tokens = (stored: readonly MessageWithParts[]) =>
      messageTokens(buildContext(target, stored, 100_000).messages())
    await using made = await bench(
      (request): Reply => {
        if (!asksForSummary(request)) return text("An answer of some length. ".repeat(40))
        const stored = made.engine.messages(sessionID)
        const before = tokens(stored)
        const size = (length: number) => {
          const open = stored.at(-1)!
          const time = { created: 0, completed: 1 }
          const part = {
            id: "prt_x",
            sessionID,
            messageID: open.info.id,
            type: "text" as const,
            text: "s".repeat(length),
          }
          const summary = { info: { ...open.info, time }, parts: [part] } as MessageWithParts
          return tokens([...stored.slice(0, -1), summary])
        }
        let length = 1
        while (size(length) < before - gain) length++
        return text("s".repeat(length))
      },
      { config: { compaction: { preserve_recent_tokens: 0 } } },
    )
    const { id: sessionID } = await made.engine.createSession({})
    await made.prompt("say something", { sessionID })
    const compacted = await made.engine.compact(sessionID)
    if (!compacted.ok) throw new Error(compacted.error.message)
    expect(problemsOf(made, sessionID)).toEqual([])
    return { outcome: compacted.value, summary: summariesOf(made, sessionID).at(-1)!.info }
  }

  test("that makes the request one token shorter is taken", async () => {
    const { outcome, summary } = await compactedBy(1)
    expect(outcome).toMatchObject({ reason: "done" })
    expect(summary).not.toHaveProperty("error")
  })

  test("that leaves it as long as it was is kept for the record only, and the user is told kindly", async () => {
    const { outcome, summary } = await compactedBy(0)
    expect(outcome).toMatchObject({ reason: "error", error: { name: "ContextOverflowError" } })
    expect(JSON.stringify(outcome.error)).toContain("so the session stays as it is")
    expect(summary).toMatchObject({ error: { name: "ContextOverflowError" } })
  })
})

test("a short session has nothing to compact: no model is asked, nothing is changed, and that is said", async () => {
  await using made = await bench([text("Hello.")])
  const { sessionID } = await made.prompt("hi")
  const before = made.engine.messages(sessionID)
  const compacted = await made.engine.compact(sessionID)
  expect(compacted).toMatchObject({ ok: true, value: { reason: "done", text: "" } })
  expect(compacted.ok && compacted.value.note).toContain("nothing to compact yet")
  expect(compacted.ok && compacted.value.error).toBeFalsy()
  expect(made.engine.messages(sessionID)).toEqual(before)
  expect(made.server.requests).toHaveLength(1)
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("what was compacted already is not compacted again", async () => {
  await using made = await bench([[text("Long answer. ".repeat(2_000))], [text("The notes.")]], {
    config: { compaction: { preserve_recent_tokens: 0 } },
  })
  const { sessionID } = await made.prompt("first words")
  expect(await made.engine.compact(sessionID)).toMatchObject({ ok: true, value: { reason: "done" } })
  const again = await made.engine.compact(sessionID)
  expect(again.ok && again.value.note).toContain("nothing to compact yet")
  expect(made.server.requests).toHaveLength(2)
})

describe("instructions of a folder that left the conversation join it again at the next read there", () => {
  const files = { "pkg/AGENTS.md": "Use tabs in here.", "pkg/a.ts": "1", "pkg/b.ts": "2" }
  const read = (filePath: string) => toolCall("read", { filePath })
  const joined = (request: CapturedRequest) => request.text.split("Use tabs in here.").length - 1

  test("after a compaction", async () => {
    let summaries = 0
    let requests = 0
    await using made = await bench(
      (request): Reply => {
        if (asksForSummary(request)) return [text(`notes ${++summaries}`), usage({ input: 10, output: 10 })]
        if (++requests === 1) return read("pkg/a.ts")
        if (requests === 2) return [toolCall("bash", { command: filler(300) }), usage({ input: 15_500, output: 50 })]
        return requests === 3 ? read("pkg/b.ts") : text("Done.")
      },
      { model: small, files },
    )
    const outcome = await made.prompt("go")
    expect(outcome.reason).toBe("done")
    expect(summaries).toBe(1)
    const work = made.server.requests.filter((request) => !asksForSummary(request))
    expect(work.map(joined)).toEqual([0, 1, 0, 1])
  })

  test("after old results were cleared", async () => {
    let requests = 0
    const bulk = () => [toolCall("bash", { command: `${filler(600)}; echo ${requests}` }), usage({ input: 10 })]
    await using made = await bench(
      (request): Reply => {
        if (asksForSummary(request)) return text("never asked for")
        requests++
        if (requests === 1) return read("pkg/a.ts")
        // Two turns of bulk, so that the first one's results are old, then a prompt too long to go unpruned.
        if (requests === 4 || requests === 9) return [text("Seen."), usage({ input: 10 })]
        if (requests === 10) return [toolCall("bash", { command: "echo 10" }), usage({ input: 31_000, output: 10 })]
        return requests < 10 ? bulk() : requests === 11 ? read("pkg/b.ts") : text("Done.")
      },
      { model: { limit: { context: 32_000, output: 4_000 } }, files },
    )
    const { sessionID } = await made.prompt("one")
    await made.prompt("two", { sessionID })
    expect(await made.prompt("three", { sessionID })).toMatchObject({ reason: "done" })
    expect(summariesOf(made, sessionID)).toEqual([])
    const counts = made.server.requests.map(joined)
    expect(made.server.requests[10]!.text).toContain("[Old tool result content cleared]")
    expect(counts.slice(9)).toEqual([1, 0, 1])
  })
})

test("what an agent must keep in mind is still there after a compaction in the middle of its work, once", async () => {
  let summaries = 0
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return [text(`notes ${++summaries}`), usage({ input: 10, output: 10 })]
      if (summaries > 0) return text("The plan.")
      return [toolCall("read", { filePath: "long.txt" }), usage({ input: 15_500, output: 50 })]
    },
    { model: small, files: { "long.txt": "some words of a long text\n".repeat(700) } },
  )
  const reminders = (request: CapturedRequest) => request.text.split('name=\\"plan\\"').length - 1
  const { sessionID } = await made.prompt("make a plan", { agent: "plan" })
  expect(summaries).toBe(1)
  expect(reminders(made.server.requests[0]!)).toBe(1)
  expect(reminders(made.server.requests.at(-1)!)).toBe(1)
  expect(problemsOf(made, sessionID)).toEqual([])
})

describe("a first prompt that leaves less than usual for the answer", () => {
  const small = { limit: { context: 16_000, output: 4_000 } }
  const pad = (tokens: number) => "pad ".repeat(tokens)
  /** As strict as a provider: a request and its answer have to fit together. */
  const strict = (request: CapturedRequest): Reply => {
    const { max_tokens: most = 0 } = request.body as { max_tokens?: number }
    const tokens = Math.ceil(request.text.length / 4)
    if (tokens + most > 16_400)
      return status(400, { body: '{"error":{"message":"too long","code":"context_length_exceeded"}}' })
    return [text("Fine."), usage({ input: tokens, output: 2 })]
  }

  test("is answered with a shorter answer, and the session goes on", async () => {
    await using made = await bench(strict, { model: small })
    const { sessionID, ...first } = await made.prompt(pad(12_500))
    expect(first).toMatchObject({ reason: "done", text: "Fine." })
    const { max_tokens: most = 0 } = made.server.requests[0]!.body as { max_tokens?: number }
    expect(most).toBeGreaterThan(1_000)
    expect(most).toBeLessThan(3_000)
    expect(await made.prompt("short", { sessionID })).toMatchObject({ reason: "done", text: "Fine." })
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("when it leaves none, that is an error, and the next prompt is answered all the same", async () => {
    await using made = await bench(strict, { model: small })
    const { sessionID, ...first } = await made.prompt(pad(14_900))
    expect(first).toMatchObject({ reason: "error" })
    expect(await made.prompt("short", { sessionID })).toMatchObject({ reason: "done", text: "Fine." })
    expect(problemsOf(made, sessionID)).toEqual([])
  })
})
