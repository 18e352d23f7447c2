import { expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { offeredTools, userTexts } from "@cairn/testkit/request"
import { hang, status, text, toolCall, usage, waitFor, type Reply } from "@cairn/testkit/scenario"
import type { TraceSpan } from "@cairn/schema/trace"
import { traceOf } from "../../src/trace/session-trace.ts"
import { type Bench, bench } from "./harness.ts"

/** Kind and name of every span, indented, with how it ended. */
function drawn(spans: readonly TraceSpan[], depth = 0): string[] {
  return spans.flatMap((span) => {
    const end = [span.outcome, span.error && `! ${span.error.kind}`, span.open].filter(Boolean).join(" ")
    return [`${"  ".repeat(depth)}${span.kind} ${span.name} ${end}`.trimEnd(), ...drawn(span.children, depth + 1)]
  })
}

async function traced(made: Bench, sessionID: string): Promise<readonly TraceSpan[]> {
  const { turns } = (await made.engine.trace(sessionID))!
  expect(turns.flatMap(problems)).toEqual([])
  return turns
}

/** What cannot be in a tree of spans, whatever happened. */
function problems(span: TraceSpan): string[] {
  const found: string[] = []
  const say = (problem: string) => void found.push(`${span.kind} ${span.name}: ${problem}`)
  if ((span.end === undefined) !== (span.open !== undefined)) say("is neither open nor ended")
  if ((span.last === undefined) !== (span.open === undefined)) say("open, and nothing is known of it")
  if (span.end !== undefined && span.end < span.start) say("ends before it begins")
  if (span.firstToken !== undefined && span.firstToken < span.start) say("gave something before it began")
  for (const child of span.children) {
    if (child.start < span.start) say(`begins after its ${child.kind}`)
    if (span.end !== undefined && (child.end === undefined || child.end > span.end))
      say(`ends before its ${child.kind}`)
  }
  return [...found, ...span.children.flatMap(problems)]
}

/** Replies to the next ask. */
function answering(made: Bench, reply: "once" | "reject"): void {
  made.engine.subscribe((event) => {
    if (event.type === "permission.asked") made.engine.replyPermission(event.properties.id, { reply })
  })
}

test("a turn with tools, an ask and a retry", async () => {
  await using made = await bench(
    [
      [text("I look."), toolCall("read", { filePath: "a.txt" }), toolCall("bash", { command: "exit 3" })],
      status(529, { headers: { "retry-after-ms": "1" } }),
      [toolCall("edit", { filePath: "a.txt", oldString: "one", newString: "two" }), usage({ input: 500, output: 10 })],
      [text("Done.")],
    ],
    { files: { "a.txt": "one\n" }, config: { permission: { edit: "ask" } } },
  )
  answering(made, "once")
  const { sessionID } = await made.prompt("go", { asks: "wait" })
  const turns = await traced(made, sessionID)
  expect(drawn(turns)).toEqual([
    "turn build done",
    "  step build tool-calls",
    "    model test/scripted tool-calls",
    "    tool read completed",
    "    tool bash completed",
    "  step build tool-calls",
    "    model test/scripted ! APIError 529",
    "    retry attempt 2",
    "    model test/scripted tool-calls",
    "    tool edit completed",
    "      ask edit once",
    "  step build stop",
    "    model test/scripted stop",
  ])
  expect(turns[0]).toMatchObject({ tokens: { input: 700, output: 50 } })
  expect(turns[0]!.cost).toBeCloseTo((700 + 2 * 50) / 1e6, 12)
  const called = turns[0]!.children.flatMap((step) => step.children).filter(({ kind }) => kind === "model")
  expect(called.map((call) => call.firstToken !== undefined)).toEqual([true, false, true, true])
})

test("how long a retry waits is in the log: the next call begins after it", async () => {
  await using made = await bench([status(429, { headers: { "retry-after-ms": "40" } }), text("Here.")])
  const { sessionID } = await made.prompt("go")
  const [failed, wait, call] = (await traced(made, sessionID))[0]!.children[0]!.children
  expect(failed).toMatchObject({ kind: "model", end: wait!.start, error: { kind: "APIError 429" } })
  expect(wait).toMatchObject({ kind: "retry", end: wait!.start + 40 })
  expect(call).toMatchObject({ kind: "model", start: wait!.start + 40, outcome: "stop" })
})

test("an interrupted turn has no open span", async () => {
  await using made = await bench([[toolCall("bash", { command: "sleep 60" })]])
  const session = await made.engine.createSession({})
  const running = made.engine.subscribe((event) => {
    if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
    if (event.properties.part.state.status !== "running") return
    running()
    void made.engine.abort(session.id)
  })
  await made.prompt("go", { sessionID: session.id })
  expect(drawn(await traced(made, session.id))).toEqual([
    "turn build aborted ! MessageAbortedError",
    "  step build ! MessageAbortedError",
    "    model test/scripted ! MessageAbortedError",
    "    tool bash ! interrupted",
  ])
})

test("a running turn is open to where it is", async () => {
  const hold = gate()
  const asked = Promise.withResolvers<string>()
  await using made = await bench([
    [toolCall("bash", { command: "rm -rf ../elsewhere" })],
    [waitFor(hold), text("Fine.")],
  ])
  made.engine.subscribe((event) => {
    if (event.type === "permission.asked") asked.resolve(event.properties.id)
  })
  const session = await made.engine.createSession({})
  const turn = made.prompt("go", { sessionID: session.id, asks: "wait" })
  const id = await asked.promise
  expect(drawn(await traced(made, session.id))).toEqual([
    "turn build running",
    "  step build running",
    "    model test/scripted running",
    "    tool bash running",
    expect.stringMatching(/^      ask \w+ running$/),
  ])
  made.engine.replyPermission(id, { reply: "reject", message: "no" })
  await made.server.received(1)
  expect(drawn(await traced(made, session.id)).slice(0, 2)).toEqual(["turn build running", "  step build tool-calls"])
  hold.open()
  await turn
  expect((await traced(made, session.id))[0]).toMatchObject({ outcome: "done" })
})

test("a compaction in mid-turn, and the title that the model gave", async () => {
  let summaries = 0
  await using made = await bench(
    (request): Reply => {
      if (offeredTools(request).length === 0) return text("A title")
      if (userTexts(request).at(-1)?.includes("## Relevant files")) return text(`notes ${++summaries}`)
      if (summaries > 0) return text("Done.")
      return [toolCall("bash", { command: "seq 1 900 | sed 's/^/filler /'" }), usage({ input: 9_000, output: 9_000 })]
    },
    { model: { limit: { context: 16_000, output: 4_000 } }, config: { title: "model" } },
  )
  const { sessionID } = await made.prompt("go")
  const lines = drawn(await traced(made, sessionID))
  expect(lines.filter((line) => !line.includes("title "))).toEqual([
    "turn build done",
    "  step build tool-calls",
    "    model test/scripted tool-calls",
    "    tool bash completed",
    "  compaction automatic",
    "    step compaction stop",
    "      model test/scripted stop",
    "  step build stop",
    "    model test/scripted stop",
  ])
  expect(lines).toContain("  title A title")
})

test("every beginning of a log is a good tree, and so is none", async () => {
  await using made = await bench(
    [
      status(529, { headers: { "retry-after-ms": "1" } }),
      [text("I look."), toolCall("read", { filePath: "a.txt" }), toolCall("bash", { command: "true" })],
      [toolCall("bash", { command: "rm -rf ../elsewhere" })],
      status(400, { body: '{"error":{"message":"maximum context length is 10","code":"context_length_exceeded"}}' }),
      [text("Summed up.")],
      [text("Done.")],
      [hang()],
    ],
    { files: { "a.txt": "one\n" } },
  )
  const { sessionID } = await made.prompt("go ".repeat(2_000), { asks: "auto" })
  const second = made.prompt("more", { sessionID })
  await made.server.received(made.server.requests.length)
  await made.engine.abort(sessionID)
  await second
  const entries = made.log(sessionID)
  expect(entries.length).toBeGreaterThan(40)
  for (let length = 0; length <= entries.length; length++) {
    const { turns } = traceOf(sessionID, entries.slice(0, length))
    expect(turns.flatMap(problems)).toEqual([])
    expect(turns.some((turn) => turn.open)).toBe(length > 0 && entries.slice(0, length).filter(isTurn).length % 2 === 1)
  }
  expect(await made.engine.trace("ses_unknown")).toBeUndefined()
})

const isTurn = ({ event }: { event: { type: string } }) => event.type.startsWith("session.turn.")
