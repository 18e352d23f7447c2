import { describe, expect, test } from "bun:test"
import type { DurableEvent, LogEntry, TurnEnd } from "@cairn/schema/event"
import type { AssistantMessage } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import { assistantMessage, created, message, updated, userMessage } from "../../test/store/events.ts"
import { traceOf } from "./session-trace.ts"
import type { TraceSpan } from "@cairn/schema/trace"

const id = "ses_1"
const base = (type: Part["type"], partID: string, messageID = "msg_2") => ({
  id: partID,
  sessionID: id,
  messageID,
  type,
})

/** A log of events with the time of each. */
const log = (...events: readonly (readonly [number, DurableEvent])[]): LogEntry[] =>
  events.map(([time, event], index) => ({ seq: index + 1, id: `evt_${index}`, sessionID: id, time, event }))

const started = (time: number): [number, DurableEvent] => [
  time,
  { type: "session.turn.started", properties: { sessionID: id, runID: `run_${time}`, time } },
]
const ended = (time: number, reason: TurnEnd = "done", runID = "run_0"): [number, DurableEvent] => [
  time,
  { type: "session.turn.ended", properties: { sessionID: id, runID, time, reason } },
]
const part = (time: number, value: object): [number, DurableEvent] => [
  time,
  { type: "message.part.updated", properties: { sessionID: id, part: value as Part, time } },
]
const answer = (time: number, change: Partial<AssistantMessage> = {}, messageID = "msg_2"): [number, DurableEvent] => [
  time,
  message({ ...assistantMessage(id, messageID), time: { created: time }, ...change }),
]
const tokens = { input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } }
const text = (time: number, start: number, end?: number, partID = "prt_t", messageID = "msg_2") =>
  part(time, { ...base("text", partID, messageID), text: "words", time: { start, ...(end !== undefined && { end }) } })
const tool = (time: number, state: object, partID = "prt_c", callID = "call_1") =>
  part(time, { ...base("tool", partID), tool: "bash", callID, state: { input: {}, ...state } })
const finish = (time: number, messageID = "msg_2") =>
  part(time, { ...base("step-finish", `prt_f${time}`, messageID), reason: "stop", cost: 0.5, tokens })
const retry = (time: number, next?: number) =>
  part(time, {
    ...base("retry", `prt_r${time}`),
    attempt: 1,
    error: { name: "APIError", data: { message: "Overloaded", statusCode: 529, isRetryable: true } },
    time: { created: time, ...(next !== undefined && { next }) },
  })

/** Kind, name, start and end of every span, indented; an open one ends in `…`, an error stands behind `!`. */
function drawn(spans: readonly TraceSpan[], depth = 0): string[] {
  return spans.flatMap((span) => {
    const times = `${span.start}-${span.end ?? `…${span.open} ${span.last}`}`
    const extra = [
      span.firstToken === undefined ? "" : ` first ${span.firstToken}`,
      span.outcome === undefined ? "" : ` ${span.outcome}`,
      span.error ? ` ! ${span.error.kind}` : "",
    ]
    return [
      `${"  ".repeat(depth)}${span.kind} ${span.name} ${times}${extra.join("")}`,
      ...drawn(span.children, depth + 1),
    ]
  })
}
const traced = (...events: readonly (readonly [number, DurableEvent])[]) => drawn(traceOf(id, log(...events)).turns)

describe("a turn", () => {
  test("with a tool, an ask in it, and an answer", () => {
    const trace = traceOf(
      id,
      log(
        [0, created(id)],
        started(10),
        answer(11),
        tool(20, { status: "pending", raw: "" }),
        tool(25, { status: "running", time: { start: 25 } }),
        [30, asked("per_1", "msg_2", "call_1")],
        [40, replied("per_1", "once")],
        tool(60, { status: "completed", output: "", title: "", metadata: {}, time: { start: 25, end: 60 } }),
        finish(61),
        answer(61, { time: { created: 11, completed: 61 }, cost: 0.5, tokens }),
        answer(62, {}, "msg_3"),
        text(70, 70, undefined, "prt_u", "msg_3"),
        text(80, 70, 80, "prt_u", "msg_3"),
        finish(90, "msg_3"),
        answer(90, { time: { created: 62, completed: 90 }, cost: 0.5, tokens }, "msg_3"),
        ended(91),
      ),
    )
    expect(drawn(trace.turns)).toEqual([
      "turn build 10-91 done",
      "  step build 11-61 stop",
      "    model demo/tour 11-25 first 20 stop",
      "    tool bash 25-60 completed",
      "      ask bash 30-40 once",
      "  step build 62-90 stop",
      "    model demo/tour 62-90 first 70 stop",
    ])
    expect(trace.turns[0]).toMatchObject({ cost: 1, tokens: { input: 200, output: 40 } })
    expect(trace.turns[0]?.children[0]).toMatchObject({ id: "msg_2", cost: 0.5, tokens })
    expect(trace.turns[0]?.children[0]?.children[1]).toMatchObject({ id: "call_1" })
  })

  test("tells of a retry: what failed, how long it waited, what came then", () => {
    expect(
      traced(started(0), answer(0), retry(10, 50), text(70, 70, 80), finish(90), answer(90, done(0, 90)), ended(91)),
    ).toEqual([
      "turn build 0-91 done",
      "  step build 0-90 stop",
      "    model demo/tour 0-10 ! APIError 529",
      "    retry attempt 2 10-50",
      "    model demo/tour 50-90 first 70 stop",
    ])
  })

  test("tells of one whose next try is a message of its own, as one step", () => {
    expect(
      traced(
        started(0),
        answer(0),
        text(5, 5, 10),
        retry(10, 50),
        answer(10, { ...done(0, 10), finish: "error" }),
        answer(52, {}, "msg_3"),
        text(60, 60, 70, "prt_u", "msg_3"),
        finish(70, "msg_3"),
        answer(70, done(52, 70), "msg_3"),
        ended(71),
      ),
    ).toEqual([
      "turn build 0-71 done",
      "  step build 0-70 stop",
      "    model demo/tour 0-10 first 5 ! APIError 529",
      "    retry attempt 2 10-52",
      "    model demo/tour 52-70 first 60 stop",
    ])
  })

  test("ends no earlier than its calls, though the retry was written a moment after", () => {
    const trace = traced(started(0), answer(0), retry(10), answer(11, { ...done(0, 9), finish: "error" }), ended(20))
    expect(trace.slice(0, 3)).toEqual([
      "turn build 0-20 done",
      "  step build 0-10",
      "    model demo/tour 0-10 ! APIError 529",
    ])
  })

  test("does not know from an older log how long a retry waited", () => {
    expect(traced(started(0), answer(0), retry(10), finish(90), answer(90, done(0, 90)), ended(91))).toEqual([
      "turn build 0-91 done",
      "  step build 0-90 stop",
      "    model demo/tour 0-10 ! APIError 529",
      "    retry attempt 2 10-90",
      "    model demo/tour 90-90 stop",
    ])
  })

  const aborted = { name: "MessageAbortedError" as const, data: { message: "The turn was interrupted." } }
  test.each([
    ["while it waits for the next try", 30, ["    retry attempt 2 10-30"]],
    ["in the next try", 70, ["    retry attempt 2 10-50", "    model demo/tour 50-70 ! MessageAbortedError"]],
  ])("that is interrupted %s", (_, at, last) => {
    expect(
      traced(
        started(0),
        answer(0),
        retry(10, 50),
        answer(at, { ...done(0, at), error: aborted }),
        ended(at, "aborted"),
      ),
    ).toEqual([
      `turn build 0-${at} aborted`,
      `  step build 0-${at} ! MessageAbortedError`,
      "    model demo/tour 0-10 ! APIError 529",
      ...last,
    ])
  })

  test("whose model gave a call that never ran", () => {
    const cut = { status: "error", error: "cut off", kind: "interrupted", time: { start: 90, end: 90 } }
    expect(
      traced(
        started(0),
        answer(0),
        tool(20, { status: "pending", raw: "" }),
        tool(90, cut),
        finish(90),
        answer(90, done(0, 90)),
        ended(91),
      ),
    ).toEqual([
      "turn build 0-91 done",
      "  step build 0-90 stop",
      "    model demo/tour 0-20 first 20 stop",
      "    tool bash 90-90 ! interrupted",
    ])
  })

  test("ends before it begins nowhere, though the clock was set back", () => {
    expect(traced(started(100), answer(101), finish(50), answer(50, done(101, 50)), ended(51))).toEqual([
      "turn build 100-100 done",
      "  step build 101-101 stop",
      "    model demo/tour 101-101 stop",
    ])
  })
})

describe("beside steps there are", () => {
  const prompt: [number, DurableEvent] = [1, message(userMessage(id, "msg_1"))]
  const compaction = part(20, { ...base("compaction", "prt_k", "msg_4"), auto: true })
  const request: [number, DurableEvent] = [20, message(userMessage(id, "msg_4"))]

  test("compactions, with the steps that sum up", () => {
    const summary = { summary: true, parentID: "msg_4", agent: "compaction" }
    expect(
      traced(
        started(0),
        prompt,
        answer(2),
        retry(10),
        answer(10, { ...done(2, 10), finish: "error" }),
        request,
        compaction,
        answer(21, summary, "msg_5"),
        finish(40, "msg_5"),
        answer(40, { ...summary, ...done(21, 40) }, "msg_5"),
        answer(41, {}, "msg_6"),
        finish(50, "msg_6"),
        answer(50, done(41, 50), "msg_6"),
        ended(51),
      ),
    ).toEqual([
      "turn build 0-51 done",
      "  step build 2-10",
      "    model demo/tour 2-10 ! APIError 529",
      "  compaction automatic 20-40",
      "    step compaction 21-40 stop",
      "      model demo/tour 21-40 stop",
      "  step build 41-50 stop",
      "    model demo/tour 41-50 stop",
    ])
  })

  test("moments: a title of the model's, and results that were cleared", () => {
    const cleared = (partID: string) =>
      tool(
        30,
        { status: "completed", output: "", title: "", metadata: {}, time: { start: 1, end: 2, compacted: 30 } },
        partID,
      )
    expect(
      traced(
        [0, created(id, { title: "first words" })],
        started(0),
        [0, updated(id, { title: "first words of the prompt" })],
        answer(2),
        [12, updated(id, { title: "A title" })],
        [13, updated(id, { title: "A title", cost: 1 })],
        answer(20, done(2, 20)),
        cleared("prt_8"),
        cleared("prt_9"),
        ended(51),
        [60, updated(id, { title: "By hand" })],
      ),
    ).toEqual([
      "turn build 0-51 done",
      "  step build 2-20",
      "    model demo/tour 2-20",
      "  title A title 12-12",
      "  prune 2 30-30",
    ])
  })

  test("the cost of a title, also of one that nobody took", () => {
    const spent: DurableEvent = {
      type: "session.spent",
      properties: {
        sessionID: id,
        spent: { time: 11, agent: "title", providerID: "demo", modelID: "tour", tokens, cost: 0.25 },
      },
    }
    const turn = (...events: readonly (readonly [number, DurableEvent])[]) =>
      traceOf(id, log([0, created(id, { title: "words" })], started(0), answer(2), ...events, ended(51))).turns[0]!
    const titled = turn([11, spent], [12, updated(id, { title: "A title" })])
    expect(titled).toMatchObject({ tokens, cost: 0.25 })
    expect(titled.children[1]).toMatchObject({ kind: "title", name: "A title", start: 11, end: 11, cost: 0.25, tokens })
    expect(drawn([turn([11, spent])]).at(-1)).toBe("  title  11-11")
  })

  test("asks that belong to no running call: they are the turn's", () => {
    expect(
      traced(
        started(0),
        answer(0),
        tool(5, { status: "running", time: { start: 5 } }),
        tool(6, { status: "error", error: "no", kind: "denied", time: { start: 5, end: 6 } }),
        [7, asked("per_1", "msg_2", "call_1", "doom_loop")],
        [9, replied("per_1", "reject")],
        [10, question("que_1")],
        [20, { type: "question.rejected", properties: { sessionID: id, requestID: "que_1" } }],
        [21, question("que_2")],
        [22, { type: "question.replied", properties: { sessionID: id, requestID: "que_2", answers: [["a"]] } }],
        answer(23, done(0, 23)),
        ended(30, "loop_guard"),
      ),
    ).toEqual([
      "turn build 0-30 loop_guard",
      "  step build 0-23",
      "    model demo/tour 0-5 first 5",
      "    tool bash 5-6 ! denied",
      "  ask doom_loop 7-9 reject",
      "  ask question 10-20 rejected",
      "  ask question 21-22 answered",
    ])
  })
})

describe("what has no end in the log is open", () => {
  const under: (readonly [number, DurableEvent])[] = [
    started(0),
    answer(0),
    text(5, 5),
    tool(8, { status: "running", time: { start: 8 } }),
    [9, asked("per_1", "msg_2", "call_1")],
  ]
  const open = (how: string) => [
    `  step build 0-…${how}`,
    `    model demo/tour 0-…${how} first 5`,
    `    tool bash 8-…${how}`,
    `      ask bash 9-…${how}`,
  ]

  test("while it runs, up to the last that was heard of it", () => {
    const delta = { sessionID: id, messageID: "msg_2", partID: "prt_t", field: "text", delta: "x", offset: 5 }
    expect(traced(...under, [42, { type: "message.part.delta", properties: delta }])).toEqual([
      "turn build 0-…running 42",
      ...open("running 42"),
    ])
  })

  test("when its process died: what the next start closed is not taken for an end", () => {
    const restarted = [
      [9_000, replied("per_1", "reject")] as const,
      text(9_001, 5, 9_000),
      tool(9_001, { status: "error", error: "by a restart", kind: "interrupted", time: { start: 8, end: 9_000 } }),
      answer(9_002, { ...done(0, 9_000), error: { name: "MessageAbortedError", data: { message: "stopped" } } }),
      [9_002, ended(9_000, "interrupted_by_restart")[1]] as const,
    ]
    expect(traced(...under, ...restarted)).toEqual([
      "turn build 0-…cut_off 9 interrupted_by_restart",
      ...open("cut_off 9"),
    ])
  })

  test("when another turn began although this one has no end", () => {
    expect(traced(...under, started(50), ended(60))).toEqual([
      "turn build 0-…cut_off 9",
      ...open("cut_off 9"),
      "turn  50-60 done",
    ])
  })

  test("a finished step of an open turn is not", () => {
    expect(traced(started(0), answer(0), finish(9), answer(9, done(0, 9)))).toEqual([
      "turn build 0-…running 9",
      "  step build 0-9 stop",
      "    model demo/tour 0-9 stop",
    ])
  })
})

test("a session without turns has none, and a long error is cut", () => {
  expect(traced([0, created(id)], [1, updated(id)])).toEqual([])
  const error = { name: "UnknownError" as const, data: { message: "x".repeat(1_000) } }
  const failed: DurableEvent = {
    type: "session.turn.ended",
    properties: { sessionID: id, runID: "run_0", time: 2, reason: "error", error },
  }
  const { turns } = traceOf(id, log(started(0), [2, failed]))
  expect(turns[0]?.error).toEqual({ kind: "UnknownError", message: `${"x".repeat(300)}…` })
})

function done(begun: number, completed: number): Partial<AssistantMessage> {
  return { time: { created: begun, completed } }
}

function asked(requestID: string, messageID: string, callID: string, permission = "bash"): DurableEvent {
  const request = { id: requestID, sessionID: id, permission, patterns: [], metadata: {}, always: [] }
  return { type: "permission.asked", properties: { ...request, tool: { messageID, callID } } }
}

function replied(requestID: string, reply: "once" | "reject"): DurableEvent {
  return { type: "permission.replied", properties: { sessionID: id, requestID, reply } }
}

function question(requestID: string): DurableEvent {
  return { type: "question.asked", properties: { id: requestID, sessionID: id, questions: [] } }
}
