import { expect, test } from "bun:test"
import type { BusEvent } from "@cairn/schema/event"
import { toolResults } from "@cairn/testkit/request"
import { chunked, cutStream, finish, hang, reasoning, status, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { gate } from "@cairn/testkit/gate"
import type { PermissionReply } from "@cairn/schema/permission"
import { type Bench, bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const soon = { "retry-after-ms": "1" }

test("a rate limit is waited out as the provider says, and clients see when the next try is", async () => {
  await using made = await bench([status(429, { headers: soon }), status(529, { headers: soon }), text("Here.")])
  const seen: BusEvent[] = []
  made.engine.subscribe((event) => seen.push(event))
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "done", text: "Here." })
  const retries = seen.flatMap((event) =>
    event.type === "session.status" && event.properties.status.type === "retry" ? [event.properties.status] : [],
  )
  expect(retries.map((retry) => retry.attempt)).toEqual([1, 2])
  const parts = made.engine.messages(outcome.sessionID).at(-1)!.parts
  expect(parts.filter((part) => part.type === "retry")).toHaveLength(2)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a refused key ends at once and says what to do", async () => {
  await using made = await bench([status(401, { body: '{"error":{"message":"invalid key sk-abcdefghijkl"}}' })])
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "error", errorClass: "auth", error: { name: "ProviderAuthError" } })
  expect(JSON.stringify(made.log(outcome.sessionID))).not.toContain("sk-abcdefghijkl")
  expect(made.server.requests).toHaveLength(1)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a stream that dies keeps what it finished, runs nothing twice and goes on", async () => {
  const cut = gate()
  await using made = await bench(
    [
      [text("First."), toolCall("bash", { command: "echo x >> ran.txt" }), text("and then"), waitFor(cut), cutStream()],
      (request) => [text(`Then ${toolResults(request).length} result.`)],
    ],
    { protocol: "anthropic" },
  )
  made.engine.subscribe((event) => {
    if (
      event.type === "message.part.updated" &&
      event.properties.part.type === "tool" &&
      event.properties.part.state.status === "completed"
    )
      cut.open()
  })
  const started = made.engine.subscribe(
    (event) => event.type === "session.status" && event.properties.status.type === "retry" && started(),
  )
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "done", text: "Then 1 result." })
  expect(await made.workspace.read("ran.txt")).toBe("x\n")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
  expectPrefixes(made.server.requests.map((request) => request.body))
}, 15_000)

test("malformed arguments and unknown tools are answered, and the model goes on", async () => {
  await using made = await bench(
    [
      [toolCall("read", '{"filePath": '), toolCall("Read", { file_path: "a.txt" }), toolCall("no such tool", {})],
      [text("Sorry."), finish("stop")],
    ],
    { files: { "a.txt": "content of a" } },
  )
  const outcome = await made.prompt("hi")
  expect(outcome.reason).toBe("done")
  const results = toolResults(made.server.requests[1]!)
  expect(results).toHaveLength(3)
  expect(results[1]!.output).toContain("content of a")
  expect(results[2]!.output).toContain("read")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("an empty answer is asked again once, then said", async () => {
  await using again = await bench([[finish("stop")], text("Now.")])
  expect(await again.prompt("hi")).toMatchObject({ reason: "done", text: "Now." })
  await using never = await bench([[finish("stop")], [finish("stop")]])
  const outcome = await never.prompt("hi")
  expect(outcome).toMatchObject({ reason: "error", error: { name: "APIError" } })
  expect(problemsOf(never, outcome.sessionID)).toEqual([])
})

test.each([
  ["thoughts alone", [reasoning("I could say that", { signature: "c2ln" })]],
  ["white space", [text(" \n")]],
])("%s are no answer: asked again once, then said", async (_, silent) => {
  await using again = await bench([silent, text("Now.")], { protocol: "anthropic" })
  expect(await again.prompt("hi")).toMatchObject({ reason: "done", text: "Now." })
  await using never = await bench([silent, silent], { protocol: "anthropic" })
  const outcome = await never.prompt("hi")
  expect(outcome).toMatchObject({ reason: "error", errorClass: "fatal" })
  expect(JSON.stringify(outcome.error)).toContain("gave no answer twice")
  // What it thought stays in the record.
  expect(JSON.stringify(never.engine.messages(outcome.sessionID))).toContain(
    silent[0]!.type === "text" ? "msg_" : "I could",
  )
  expect(problemsOf(never, outcome.sessionID)).toEqual([])
})

test("thoughts before a call are part of the work", async () => {
  await using made = await bench(
    [[reasoning("I look.", { signature: "c2ln" }), toolCall("bash", { command: "echo hi" })], text("Done.")],
    { protocol: "anthropic" },
  )
  expect(await made.prompt("hi")).toMatchObject({ reason: "done", text: "Done." })
  expect(made.server.requests).toHaveLength(2)
})

test("a call that the output limit cut off is an error to the model, a cut answer is an error to the user", async () => {
  await using made = await bench([
    [toolCall("write", '{"filePath":"a', { open: true }), finish("length")],
    [text("half"), finish("length")],
  ])
  const outcome = await made.prompt("hi")
  expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("break off")
  expect(outcome).toMatchObject({ reason: "error", error: { name: "MessageOutputLengthError" }, text: "half" })
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a content filter ends the turn with its class", async () => {
  await using made = await bench([[text("I"), finish("content-filter")]])
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "error", errorClass: "content_filter" })
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a provider that says stop with calls pending still gets their results", async () => {
  await using made = await bench([[toolCall("bash", { command: "echo hi" }), finish("stop")], text("Done.")])
  expect(await made.prompt("hi")).toMatchObject({ reason: "done", text: "Done." })
  expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("hi")
})

test("7-byte chunks change nothing", async () => {
  await using made = await bench([
    [chunked(7), reasoning("grübeln 🤔"), text("schöne Grüße 🎉"), toolCall("bash", { command: "echo '🎉'" })],
    [chunked(7), text("Ende 🏁")],
  ])
  const outcome = await made.prompt("hi")
  expect(outcome.text).toBe("Ende 🏁")
  expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("🎉")
  const texts = made.engine
    .messages(outcome.sessionID)
    .flatMap((message) => message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
  expect(texts).toContain("schöne Grüße 🎉")
})

test("the same call with the same result three times ends the turn when nobody lets it go on", async () => {
  const same = toolCall("bash", { command: "echo same" })
  await using made = await bench([same, same, same, text("never")])
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "loop_guard", denied: 0 })
  expect(made.server.requests).toHaveLength(3)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("the step limit of an agent ends the turn with one last answer without tools", async () => {
  const call = (n: number) => toolCall("bash", { command: `echo ${n}` })
  await using made = await bench([call(1), call(2), text("That is what I have.")], {
    config: { agent: { build: { steps: 2 } } },
  })
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "step_limit", text: "That is what I have." })
  expect(JSON.stringify(made.server.requests[2]!.body)).toContain("step-limit")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a call that the output limit cut before its end is answered, and the model goes on", async () => {
  await using made = await bench(
    [[text("Writing."), toolCall("write", '{"filePath":"a', { open: true }), finish("length")], [text("Shorter now.")]],
    { protocol: "responses" },
  )
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "done", text: "Shorter now." })
  expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("cut off before its arguments were complete")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("empty answers count only in a row", async () => {
  const call = (n: number) => toolCall("bash", { command: `echo ${n}` })
  await using made = await bench([[finish("stop")], call(1), [finish("stop")], text("Now.")])
  expect(await made.prompt("hi")).toMatchObject({ reason: "done", text: "Now." })
})

test("the last step is announced once, also when the request has to be made smaller for it", async () => {
  const refused = status(400, {
    body: '{"error":{"message":"maximum context length is 16000 tokens","code":"context_length_exceeded"}}',
  })
  await using made = await bench(
    [toolCall("bash", { command: "seq 1 2000" }), refused, text("## Goal\nCount."), text("That is all.")],
    { config: { agent: { build: { steps: 1 } } } },
  )
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "step_limit", text: "That is all." })
  expect(made.server.requests.at(-1)!.text.split("step-limit")).toHaveLength(2)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

/** Answers every ask with one reply, and counts them. */
function answering(made: Bench, reply: PermissionReply): { asked: number } {
  const count = { asked: 0 }
  made.engine.subscribe((event) => {
    if (event.type !== "permission.asked") return
    count.asked++
    queueMicrotask(() => made.engine.replyPermission(event.properties.id, reply))
  })
  return count
}

test("a loop that somebody lets go on is counted anew", async () => {
  const same = toolCall("bash", { command: "echo same" })
  await using made = await bench([same, same, same, same, text("Done.")])
  const asks = answering(made, { reply: "once" })
  expect(await made.prompt("hi", { asks: "wait" })).toMatchObject({ reason: "done", text: "Done." })
  expect(asks.asked).toBe(1)
  expect(made.server.requests[3]!.text).toContain("loop-guard")
})

test("a rejected call of a stream that breaks ends the turn: the model is not asked again", async () => {
  const cut = gate()
  await using made = await bench(
    [[toolCall("bash", { command: "echo x" }), text("and then"), waitFor(cut), cutStream()], [text("never")]],
    { protocol: "anthropic", config: { permission: { bash: "ask" } } },
  )
  made.engine.subscribe((event) => {
    if (event.type === "permission.replied") cut.open()
  })
  answering(made, { reply: "reject" })
  const outcome = await made.prompt("hi", { asks: "wait" })
  expect(outcome.reason).toBe("rejected")
  expect(made.server.requests).toHaveLength(1)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

/** Opens at the first piece of text that clients see. */
function firstDelta(made: Bench): ReturnType<typeof gate> {
  const seen = gate()
  made.engine.subscribe((event) => {
    if (event.type === "message.part.delta") seen.open()
  })
  return seen
}

test("text that broke off is no part of what the next try answers to, but stays in the record", async () => {
  const cut = gate()
  await using made = await bench([[text("half of"), waitFor(cut), cutStream()], [text("Whole.")]])
  void firstDelta(made).opened.then(cut.open)
  const outcome = await made.prompt("hi")
  expect(outcome).toMatchObject({ reason: "done", text: "Whole." })
  expect(made.server.requests[1]!.text).not.toContain("half of")
  expect(JSON.stringify(made.engine.messages(outcome.sessionID))).toContain("half of")
})

test("an interruption keeps every character that came, and what clients saw of a part does not change later", async () => {
  await using made = await bench([[text("half of"), hang()]])
  const session = await made.engine.createSession({})
  const opened: BusEvent[] = []
  made.engine.subscribe((event) => {
    if (event.type === "message.part.updated" && event.properties.part.type === "text") opened.push(event)
  })
  const seen = firstDelta(made)
  const running = made.prompt("hi", { sessionID: session.id })
  await seen.opened
  await made.engine.abort(session.id)
  expect(await running).toMatchObject({ reason: "aborted", text: "half of" })
  const answer = opened.find((event) => JSON.stringify(event).includes('"text":""'))
  expect(answer).toBeDefined()
})
