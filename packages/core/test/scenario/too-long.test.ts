import { describe, expect, test } from "bun:test"
import type { CapturedRequest, WireProtocol } from "@cairn/testkit/request"
import { requestedModel, toolResults, userTexts } from "@cairn/testkit/request"
import { type Reply, status, text, toolCall } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

const refusal = status(400, {
  body: '{"error":{"type":"invalid_request_error","message":"prompt is too long: 90000 tokens > 64000 maximum","code":"context_length_exceeded"}}',
})
const limit = { context: 64_000, output: 4_000 }

/** A provider that counts five tokens where we count one, as for other scripts, and refuses what is too long by its count. */
const counting =
  (most: number, answer: (request: CapturedRequest) => Reply) =>
  (request: CapturedRequest): Reply => {
    if (userTexts(request).join("").length > most) return refusal
    return asksForSummary(request) ? text("## Goal\nRead the text.") : answer(request)
  }
const asksForSummary = (request: CapturedRequest) => userTexts(request).at(-1)?.includes("Whoever reads them") === true

const long = (words: string) => `${words}\n${"å".repeat(60_000)}`

describe.each<WireProtocol>(["chat", "anthropic", "responses", "google"])(
  "over %s, a prompt that the model cannot take",
  (protocol) => {
    const open = (answer: (request: CapturedRequest) => Reply) =>
      bench(counting(40_000, answer), { protocol, model: { limit } })

    test("is said, and the session goes on with the next one", async () => {
      await using made = await open(() => text("Fine."))
      const first = await made.prompt(long("Read this"))
      expect(first).toMatchObject({ reason: "error", errorClass: "overflow", error: { name: "ContextOverflowError" } })
      const { sessionID } = first
      expect(await made.prompt("Only say hi", { sessionID })).toMatchObject({ reason: "done", text: "Fine." })
      expect(await made.prompt("And again", { sessionID })).toMatchObject({ reason: "done", text: "Fine." })
      const last = made.server.requests.at(-1)!
      expect(last.text).toContain("Read this")
      expect(problemsOf(made, sessionID)).toEqual([])
    })

    test("after others that it could take leaves those in the conversation", async () => {
      await using made = await open(() => text("Fine."))
      const { sessionID } = await made.prompt("Remember the number 4711")
      await made.prompt(long("Read this"), { sessionID })
      expect(await made.prompt("Which number?", { sessionID })).toMatchObject({ reason: "done", text: "Fine." })
      expect(made.server.requests.at(-1)!.text).toContain("4711")
      expect(problemsOf(made, sessionID)).toEqual([])
    })
  },
)

test("a prompt that one model took is no obstacle to a smaller one", async () => {
  const small = counting(40_000, () => text("Small."))
  await using made = await bench(
    (request) => (requestedModel(request) === "scripted" ? text("Large.") : small(request)),
    {
      protocol: "anthropic",
      model: { limit },
    },
  )
  const { sessionID } = await made.prompt(long("Read this"))
  expect(await made.prompt("And you?", { sessionID, model: "blind" })).toMatchObject({ reason: "done" })
  expect(await made.prompt("Go on", { sessionID, model: "blind" })).toMatchObject({ reason: "done", text: "Small." })
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("results of calls that are too long are summed up, and the prompt stays", async () => {
  let steps = 0
  const results = (request: CapturedRequest) =>
    toolResults(request)
      .map(({ output }) => output)
      .join("")
  const answer = (request: CapturedRequest): Reply => {
    if (asksForSummary(request)) return text("## Goal\nCounted.")
    if (results(request).length > 30_000) return refusal
    return steps++ < 3 ? toolCall("bash", { command: `seq 1 3000; echo ${steps}` }) : text("Counted.")
  }
  await using made = await bench(answer, { model: { limit } })
  const outcome = await made.prompt("Count, and remember heliotrope")
  expect(outcome).toMatchObject({ reason: "done", text: "Counted." })
  expect(made.server.requests.at(-1)!.text).toContain("heliotrope")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})
