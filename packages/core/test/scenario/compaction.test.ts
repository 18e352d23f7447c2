import { expect, test } from "bun:test"
import type { CapturedRequest } from "@cairn/testkit/request"
import { toolResults, userTexts } from "@cairn/testkit/request"
import { hang, status, streamError, text, toolCall, usage, type Reply } from "@cairn/testkit/scenario"
import { type Bench, bench, problemsOf } from "./harness.ts"

const tooLong = () =>
  status(400, {
    body: '{"error":{"message":"This model\'s maximum context length is 16000 tokens","code":"context_length_exceeded"}}',
  })
/** The request asks for a summary: its last message is the task of the compaction agent. */
const asksForSummary = (request: CapturedRequest) => userTexts(request).at(-1)?.includes("## Relevant files") === true
const small = { limit: { context: 16_000, output: 4_000 } }
const filler = (lines: number) => `seq 1 ${lines} | sed 's/^/line of filler number /'`

const compactions = (made: Bench, sessionID: string) =>
  made.engine.messages(sessionID).filter(({ info }) => info.role === "assistant" && info.summary === true)

test("a session that crosses the limit five times still knows the first instruction, and works to its end", async () => {
  let summaries = 0
  let steps = 0
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request))
        return [text(`## Goal\nsummary ${++summaries}`), usage({ input: 9_000, output: 100 })]
      if (summaries >= 5) return [text("Done at last.")]
      return [
        toolCall("bash", { command: `${filler(250)}; echo ${++steps}` }),
        usage({ input: request.text.length / 4, output: 50 }),
      ]
    },
    { model: small },
  )
  const outcome = await made.prompt("Remember the word heliotrope, and keep working.")
  expect(outcome).toMatchObject({ reason: "done", text: "Done at last." })
  expect(compactions(made, outcome.sessionID)).toHaveLength(5)
  const last = made.server.requests.at(-1)!
  expect(last.text).toContain("heliotrope")
  expect(last.text).toContain("summary 5")
  expect(last.text).not.toContain("summary 4")
  for (const request of made.server.requests) expect(request.text.length / 4).toBeLessThan(16_000)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
}, 30_000)

test("the summary is asked for with the prompt as it was: same tools, same messages, one more", async () => {
  let summaries = 0
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return text(`notes ${++summaries}`)
      return summaries > 0
        ? text("Done.")
        : [toolCall("bash", { command: filler(900) }), usage({ input: 9_000, output: 9_000 })]
    },
    { model: small },
  )
  const outcome = await made.prompt("go")
  expect(outcome.reason).toBe("done")
  const [before, summary] = made.server.requests.map(
    (request) => request.body as { messages: unknown[]; tools: unknown; tool_choice?: unknown },
  )
  expect(summary!.tools).toEqual(before!.tools)
  expect(summary!.tool_choice).toBe("none")
  expect(summary!.messages.slice(0, before!.messages.length)).toEqual(before!.messages)
})

test("a summary that does not shrink is an error that is shown, and the session can go on", async () => {
  const long = "word ".repeat(12_000)
  let first = true
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return text(long)
      if (!first) return text("Never.")
      first = false
      return [toolCall("bash", { command: filler(300) }), usage({ input: 14_000, output: 100 })]
    },
    { model: small },
  )
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "error", error: { name: "ContextOverflowError" }, text: "" })
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("an overflow error in mid-stream compacts and goes on", async () => {
  let refused = false
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return text("notes")
      const results = toolResults(request).length
      if (results < 3 && !refused) return toolCall("bash", { command: `${filler(200)}; echo ${results}` })
      if (refused) return text("Finished.")
      refused = true
      return [
        text("I was about to"),
        streamError("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
      ]
    },
    { protocol: "anthropic" },
  )
  const outcome = await made.prompt("Do it with care.")
  expect(outcome).toMatchObject({ reason: "done", text: "Finished." })
  expect(compactions(made, outcome.sessionID)).toHaveLength(1)
  expect(made.server.requests.at(-1)!.text).toContain("Do it with care.")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("an overflow on a short history is sent once more, then it is an error", async () => {
  await using made = await bench([tooLong(), text("It was only busy.")])
  expect(await made.prompt("hi")).toMatchObject({ reason: "done", text: "It was only busy." })
  await using never = await bench([tooLong(), tooLong()])
  const outcome = await never.prompt("hi")
  expect(outcome).toMatchObject({ reason: "error", errorClass: "overflow" })
  expect(never.server.requests).toHaveLength(2)
  expect(problemsOf(never, outcome.sessionID)).toEqual([])
})

test("an overflow on the third request of a short history compacts what there is", async () => {
  let refused = false
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return text("notes")
      const results = toolResults(request).length
      if (refused) return text("Done.")
      if (results < 2) return toolCall("bash", { command: `${filler(400)}; echo ${results}` })
      refused = true
      return tooLong()
    },
    { config: { compaction: { preserve_recent_tokens: 2_000 } } },
  )
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "done", text: "Done." })
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a prompt that is larger than the tail's budget stays whole beside the summary", async () => {
  const words = `${"please ".repeat(3_000)} and mind the gap`
  let summaries = 0
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return [text("notes"), (summaries++, usage({ input: 10, output: 10 }))]
      if (userTexts(request).some((each) => each.includes("mind the gap"))) return text("Minded.")
      return [text("First answer. ".repeat(800)), usage({ input: 8_000, output: 3_500 })]
    },
    { model: small },
  )
  const { sessionID } = await made.prompt("start")
  const outcome = await made.prompt(words, { sessionID })
  expect(outcome).toMatchObject({ reason: "done", text: "Minded." })
  expect(summaries).toBe(1)
  expect(made.server.requests.at(-1)!.text).toContain("please please")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a model whose output limit equals its context still works", async () => {
  await using made = await bench([[toolCall("bash", { command: "echo hi" })], [text("Done.")]], {
    model: { limit: { context: 8_000, output: 8_000 } },
  })
  const outcome = await made.prompt("go")
  expect(outcome.reason).toBe("done")
  const { max_tokens } = made.server.requests[0]!.body as { max_tokens: number }
  expect(max_tokens).toBe(2_000)
})

test("old tool results are cleared before anything is summed up", async () => {
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return text("never asked for")
      const results = toolResults(request).length
      const asked = userTexts(request).length
      if (results < asked * 2)
        return [
          toolCall("bash", { command: `${filler(600)}; echo ${results}` }),
          usage({ input: request.text.length / 4, output: 10 }),
        ]
      return [text(`Answer ${asked}.`), usage({ input: request.text.length / 4, output: 10 })]
    },
    { model: { limit: { context: 32_000, output: 4_000 } } },
  )
  let sessionID: string | undefined
  for (const n of [1, 2, 3, 4, 5])
    ({ sessionID } = await made.prompt(`question ${n}`, sessionID === undefined ? {} : { sessionID }))
  expect(compactions(made, sessionID!)).toHaveLength(0)
  expect(made.server.requests.at(-1)!.text).toContain("[Old tool result content cleared]")
  const parts = made.engine.messages(sessionID!).flatMap((message) => message.parts)
  const cleared = parts.filter(
    (part) => part.type === "tool" && part.state.status === "completed" && part.state.time.compacted !== undefined,
  )
  expect(cleared.length).toBeGreaterThan(0)
  // The originals stay in the log.
  expect(JSON.stringify(cleared[0])).toContain("line of filler number 1")
  expect(problemsOf(made, sessionID!)).toEqual([])
})

test("compaction.auto: false is obeyed", async () => {
  await using made = await bench(
    [[toolCall("bash", { command: "echo hi" }), usage({ input: 15_900, output: 10 })], tooLong()],
    {
      model: small,
      config: { compaction: { auto: false } },
    },
  )
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "error", error: { name: "ContextOverflowError" } })
  expect(made.server.requests.some(asksForSummary)).toBe(false)
})

test("a user may compact, and the session goes on from the summary", async () => {
  await using made = await bench([[text("Long answer. ".repeat(2_000))], [text("The notes.")], [text("Still here.")]], {
    config: { compaction: { preserve_recent_tokens: 0 } },
  })
  const { sessionID } = await made.prompt("first words")
  expect(await made.engine.compact(sessionID)).toMatchObject({ ok: true, value: { reason: "done", text: "" } })
  expect(await made.prompt("and now", { sessionID })).toMatchObject({ text: "Still here." })
  const last = made.server.requests.at(-1)!
  expect(last.text).toContain("The notes.")
  expect(last.text).toContain("first words")
  expect(last.text).not.toContain("Long answer. Long answer.")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a compaction that is interrupted leaves the conversation as it was", async () => {
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return [text("half of a sum"), hang()]
      return text(`Answer to ${userTexts(request).length}. `.repeat(500))
    },
    { config: { compaction: { preserve_recent_tokens: 0 } } },
  )
  const { sessionID } = await made.prompt("first")
  const stop = made.engine.subscribe((event) => {
    if (event.type === "message.part.delta" && event.properties.delta.includes("half"))
      void made.engine.abort(sessionID)
  })
  expect(await made.engine.compact(sessionID)).toMatchObject({ ok: true, value: { reason: "aborted" } })
  stop()
  expect(await made.prompt("second", { sessionID })).toMatchObject({ reason: "done" })
  const last = made.server.requests.at(-1)!
  expect(last.text).toContain("Answer to 1.")
  expect(last.text).not.toContain("half of a sum")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a prompt that arrives during a compaction is answered by the turn", async () => {
  let said: Promise<unknown> | undefined
  let summaries = 0
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) {
        summaries++
        said = made.engine.prompt({
          sessionID: session.id,
          parts: [{ type: "text", text: "mind the steps" }],
          model: { providerID: "test", modelID: "scripted" },
        })
        return text("notes")
      }
      return summaries > 0
        ? text("Minding.")
        : [toolCall("bash", { command: filler(500) }), usage({ input: 15_000, output: 100 })]
    },
    { model: small },
  )
  const session = await made.engine.createSession({})
  await made.prompt("go", { sessionID: session.id })
  expect(await said).toMatchObject({ ok: true, value: { text: "Minding." } })
  expect(userTexts(made.server.requests.at(-1)!).join("\n").split("mind the steps")).toHaveLength(2)
  expect(problemsOf(made, session.id)).toEqual([])
})

test("a summary that is longer than what it sums up changes nothing, and is an error", async () => {
  await using made = await bench([[text("Short.")], [text("Long summary. ".repeat(500))], [text("Still here.")]], {
    config: { compaction: { preserve_recent_tokens: 0 } },
  })
  const { sessionID } = await made.prompt("first")
  const outcome = await made.engine.compact(sessionID)
  expect(outcome).toMatchObject({ ok: true, value: { reason: "error", error: { name: "ContextOverflowError" } } })
  await made.prompt("second", { sessionID })
  const last = made.server.requests.at(-1)!
  expect(last.text).toContain("Short.")
  expect(last.text).not.toContain("Long summary.")
})

test("a compaction in the middle of the work tells the model to go on, one that a person asked for does not", async () => {
  let summaries = 0
  await using made = await bench(
    (request): Reply => {
      if (asksForSummary(request)) return [text(`## Goal\nsummary ${++summaries}`), usage({ input: 9_000, output: 10 })]
      if (summaries > 0) return [text("Done.")]
      return [toolCall("bash", { command: filler(300) }), usage({ input: 15_000, output: 50 })]
    },
    { model: small },
  )
  const { sessionID } = await made.prompt("work")
  const asked = made.server.requests.at(-1)!.text.split('name=\\"continue\\"').length - 1
  expect(asked).toBe(1)
  await made.engine.compact(sessionID)
  await made.prompt("more", { sessionID })
  expect(made.server.requests.at(-1)!.text.split('name=\\"continue\\"').length - 1).toBeLessThanOrEqual(1)
})
