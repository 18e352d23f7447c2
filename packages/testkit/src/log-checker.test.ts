import { describe, expect, test } from "bun:test"
import { LogEntry, type DurableEvent } from "@cairn/schema/event"
import type { AssistantMessage, UserMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part, TextPart, ToolPart, ToolState } from "@cairn/schema/part"
import { checkLog } from "./log-checker.ts"

const sessionID = "ses_1"
const user: UserMessage = {
  id: "msg_1",
  sessionID,
  role: "user",
  time: { created: 1 },
  agent: "build",
  model: { providerID: "p", modelID: "m" },
}
const assistant: AssistantMessage = {
  id: "msg_2",
  sessionID,
  role: "assistant",
  time: { created: 2 },
  parentID: "msg_1",
  modelID: "m",
  providerID: "p",
  mode: "build",
  agent: "build",
  path: { cwd: "/w", root: "/w" },
  cost: 0,
  tokens: noTokens(),
}
const whole: AssistantMessage = { ...assistant, time: { created: 2, completed: 9 }, finish: "stop" }
const base = (id: string) => ({ id, sessionID, messageID: "msg_2" })
const textPart = (text: string, end?: number, id = "prt_2"): TextPart => ({
  ...base(id),
  type: "text",
  text,
  time: { start: 3, ...(end === undefined ? {} : { end }) },
})
const tool = (state: ToolState, id = "prt_3"): ToolPart => ({
  ...base(id),
  type: "tool",
  callID: "c1",
  tool: "read",
  state,
})
const pending: ToolState = { status: "pending", input: {}, raw: "" }
const running: ToolState = { status: "running", input: {}, time: { start: 4 } }
const completed: ToolState = {
  status: "completed",
  input: {},
  output: "out",
  title: "read",
  metadata: {},
  time: { start: 4, end: 5 },
}
const failed: ToolState = {
  status: "error",
  input: {},
  error: "interrupted",
  kind: "interrupted",
  time: { start: 4, end: 5 },
}

const started = (runID = "run_1"): DurableEvent => ({
  type: "session.turn.started",
  properties: { sessionID, runID, time: 1 },
})
const ended = (runID = "run_1"): DurableEvent => ({
  type: "session.turn.ended",
  properties: { sessionID, runID, time: 9, reason: "done" },
})
const message = (info: UserMessage | AssistantMessage): DurableEvent => ({
  type: "message.updated",
  properties: { sessionID, info },
})
const part = (value: Part): DurableEvent => ({
  type: "message.part.updated",
  properties: { sessionID, part: value, time: 3 },
})
const delta = (offset: number, text: string, partID = "prt_2", field = "text"): DurableEvent => ({
  type: "message.part.delta",
  properties: { sessionID, messageID: "msg_2", partID, field, offset, delta: text },
})
const removed = (partID: string): DurableEvent => ({
  type: "message.part.removed",
  properties: { sessionID, messageID: "msg_2", partID },
})
const messageRemoved = (messageID: string): DurableEvent => ({
  type: "message.removed",
  properties: { sessionID, messageID },
})
const asked: DurableEvent = {
  type: "permission.asked",
  properties: { id: "per_1", sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: [] },
}
const replied: DurableEvent = {
  type: "permission.replied",
  properties: { sessionID, requestID: "per_1", reply: "once" },
}
const question: DurableEvent = { type: "question.asked", properties: { id: "que_1", sessionID, questions: [] } }
const answer: DurableEvent = { type: "question.replied", properties: { sessionID, requestID: "que_1", answers: [] } }
const item = {
  id: "inb_1",
  delivery: "steer" as const,
  agent: "build",
  model: { providerID: "p", modelID: "m" },
  parts: [],
  time: { created: 1 },
}
const added: DurableEvent = { type: "session.inbox.added", properties: { sessionID, item } }
const changed: DurableEvent = { type: "session.inbox.updated", properties: { sessionID, item } }
const delivered: DurableEvent = {
  type: "session.inbox.removed",
  properties: { sessionID, inboxID: "inb_1", reason: "delivered" },
}
const todo: DurableEvent = { type: "todo.updated", properties: { sessionID, todos: [] } }

const log = (...events: DurableEvent[]): LogEntry[] =>
  events.map((event, index) => ({ seq: index + 1, id: `evt_${index}`, sessionID, time: index, event }))
const opening = [started(), message(user), message(assistant)]
const closing = [message(whole), ended()]
const turn = (...events: DurableEvent[]): LogEntry[] => log(...opening, ...events, ...closing)

describe("good logs", () => {
  const good: Record<string, LogEntry[]> = {
    "nothing at all": [],
    "a whole turn": log(
      added,
      changed,
      started(),
      delivered,
      message(user),
      part({ ...base("prt_1"), messageID: "msg_1", type: "text", text: "hi" }),
      message(assistant),
      part(textPart("")),
      delta(0, "Hel"),
      delta(3, "lo"),
      part(textPart("Hello, you", 4)),
      part(tool(pending)),
      asked,
      question,
      replied,
      answer,
      part(tool(running)),
      part(tool(running)),
      part(tool(completed)),
      todo,
      ...closing,
    ),
    "a tool that fails before it runs": turn(part(tool(pending)), part(tool(failed))),
    "a tool result that is compacted later": turn(
      part(tool(running)),
      part(tool(completed)),
      part(tool({ ...completed, time: { ...completed.time, compacted: 8 } })),
    ),
    "deltas of a call's arguments": turn(
      part(tool(pending)),
      delta(0, '{"a"', "prt_3", "raw"),
      part(tool({ ...pending, raw: '{"a":1}' })),
      delta(7, " ", "prt_3", "raw"),
      part(tool(failed)),
    ),
    "a pending part that is taken back": turn(part(tool(pending)), removed("prt_3")),
    "an assistant message that is taken back": log(...opening, part(textPart("")), messageRemoved("msg_2"), ended()),
    "a prompt that nobody answers, between two turns": log(
      ...opening,
      ...closing,
      message({ ...user, id: "msg_3" }),
      part({ id: "prt_9", sessionID, messageID: "msg_3", type: "text", text: "by the way" }),
      started("run_2"),
      ended("run_2"),
    ),
    "two turns with an undo, a title and a prompt between them": log(
      ...opening,
      ...closing,
      messageRemoved("msg_2"),
      added,
      started("run_2"),
      delivered,
      ended("run_2"),
    ),
  }
  test.each(Object.keys(good))("%s", (name) => {
    const entries = good[name] ?? []
    for (const entry of entries) LogEntry.parse(entry)
    expect(checkLog(entries)).toEqual([])
  })

  test("sessions are judged apart", () => {
    const other = turn(part(tool(running)), part(tool(completed))).map((entry, index): LogEntry => {
      const event = JSON.parse(JSON.stringify(entry.event).replaceAll("ses_1", "ses_2")) as DurableEvent
      return { ...entry, seq: 100 + index, sessionID: "ses_2", event }
    })
    const both = [...turn(), ...other]
    expect(checkLog(both)).toEqual([])
    expect(checkLog(both.slice(0, -1))).toEqual(["end of ses_2: run run_1 has not ended"])
  })
})

describe("bad logs", () => {
  const otherSession = { ...user, sessionID: "ses_9" }
  const bad: [string, LogEntry[], string][] = [
    ["sequence stands still", turn().map((entry) => ({ ...entry, seq: 1 })), "the sequence does not increase after 1"],
    [
      "an entry of another session",
      log({ ...todo, properties: { sessionID: "ses_9", todos: [] } } as DurableEvent),
      "names another session",
    ],
    [
      "a message of another session",
      log(started(), message(otherSession), ended()),
      "the message names another session",
    ],
    ["a run without end", log(started()), "run run_1 has not ended"],
    ["an end without run", log(ended()), "run run_1 ends but none is open"],
    ["two ends", log(started(), ended(), ended()), "run run_1 ends but none is open"],
    ["another run's end", log(started(), ended("run_2")), "run run_2 ends inside run run_1"],
    ["nested runs", log(started(), started("run_2"), ended("run_2")), "run run_2 starts inside run run_1"],
    ["a run id used again", log(started(), ended(), started(), ended()), "run run_1 starts a second time"],
    ["a message after the end", log(...opening, ...closing, message(whole)), "after the turn had ended"],
    ["a part after the end", log(...opening, ...closing, part(textPart("x", 9))), "after the turn had ended"],
    [
      "a delta after the end",
      log(...opening, part(textPart("")), ...closing, delta(0, "x")),
      "after the turn had ended",
    ],
    ["an ask after the end", log(...opening, ...closing, asked), "after the turn had ended"],
    ["a todo after the end", log(...opening, ...closing, todo), "after the turn had ended"],
    ["a question after the end", log(...opening, ...closing, question), "after the turn had ended"],
    [
      "anything after deletion",
      log({ type: "session.deleted", properties: { sessionID, info: {} } } as DurableEvent, added),
      "after the session was deleted",
    ],
    ["a tool left pending", turn(part(tool(pending))), "tool part prt_3 is pending at the turn's end"],
    [
      "a tool left running",
      turn(part(tool(pending)), part(tool(running))),
      "tool part prt_3 is running at the turn's end",
    ],
    [
      "a tool settled twice",
      turn(part(tool(running)), part(tool(completed)), part(tool(completed))),
      "settles a second time",
    ],
    [
      "completed, then error",
      turn(part(tool(running)), part(tool(completed)), part(tool(failed))),
      "settles a second time",
    ],
    [
      "error, then running",
      turn(part(tool(failed)), part(tool(running)), part(tool(failed))),
      "goes back from error to running",
    ],
    [
      "running, then pending",
      turn(part(tool(running)), part(tool(pending)), part(tool(failed))),
      "goes back from running to pending",
    ],
    [
      "an output changed under cover of compaction",
      turn(
        part(tool(completed)),
        part(tool({ ...completed, output: "other", time: { ...completed.time, compacted: 8 } })),
      ),
      "changes after it has settled",
    ],
    [
      "a call that becomes another",
      turn(part(tool(running)), part({ ...tool(completed), callID: "c2" })),
      "becomes another call",
    ],
    ["a running tool removed", turn(part(tool(running)), removed("prt_3")), "running tool part prt_3 is removed"],
    [
      "a message with a running tool removed",
      log(...opening, part(tool(running)), messageRemoved("msg_2"), ended()),
      "running tool part prt_3 is removed",
    ],
    ["an assistant message left open", log(...opening, ended()), "assistant message msg_2 is not completed"],
    ["a text left open", turn(part(textPart(""))), "text part prt_2 is open at the turn's end"],
    [
      "a reasoning left open",
      turn(part({ ...base("prt_2"), type: "reasoning", text: "", time: { start: 1 } })),
      "reasoning part prt_2 is open",
    ],
    [
      "a text opened again",
      turn(part(textPart("a", 4)), part(textPart("a")), part(textPart("a", 5))),
      "is opened again",
    ],
    [
      "a gap in the deltas",
      turn(part(textPart("")), delta(0, "ab"), delta(3, "c"), part(textPart("abc", 4))),
      "starts at 3, expected 2",
    ],
    [
      "a delta repeated",
      turn(part(textPart("")), delta(0, "ab"), delta(0, "ab"), part(textPart("abab", 4))),
      "starts at 0, expected 2",
    ],
    [
      "a close that is not what streamed",
      turn(part(textPart("")), delta(0, "ab"), part(textPart("xb", 4))),
      "deltas are not a prefix of",
    ],
    [
      "a close that is shorter",
      turn(part(textPart("")), delta(0, "ab"), part(textPart("a", 4))),
      "deltas are not a prefix of",
    ],
    ["a delta for a closed part", turn(part(textPart("a", 4)), delta(1, "b")), "which is closed"],
    ["a delta for no part", turn(delta(0, "b")), "part prt_2, which does not exist"],
    [
      "a delta that names another message",
      turn(
        part({ ...textPart(""), messageID: "msg_1" }),
        delta(0, "a"),
        part({ ...textPart("a", 4), messageID: "msg_1" }),
      ),
      "names another message",
    ],
    ["a part of no message", log(started(), part(textPart("a", 4)), ended()), "message msg_2 does not exist"],
    [
      "a part of another session",
      turn(part({ ...textPart("a", 4), sessionID: "ses_9" })),
      "the part names another session",
    ],
    [
      "a part that moves",
      turn(part(textPart("a")), part({ ...textPart("a", 4), messageID: "msg_1" })),
      "moves to another message",
    ],
    [
      "a part that changes its kind",
      turn(part(textPart("a", 4)), part(tool(failed, "prt_2"))),
      "turns from text into tool",
    ],
    ["removal of no part", turn(removed("prt_7")), "part prt_7 is removed but does not exist"],
    ["removal of no message", turn(messageRemoved("msg_7")), "message msg_7 does not exist"],
    ["an answer to no message", log(started(), message(whole), ended()), "message msg_1 does not exist"],
    [
      "a message that changes its role",
      log(started(), message(user), message({ ...whole, id: "msg_1" }), ended()),
      "changes its role",
    ],
    [
      "messages out of order",
      log(started(), message({ ...user, id: "msg_5" }), message(user), ended()),
      "msg_1 is not greater than the one before it, msg_5",
    ],
    [
      "parts out of order",
      turn(part(textPart("a", 4, "prt_6")), part(textPart("b", 4, "prt_4"))),
      "prt_4 is not greater than the one before it, prt_6",
    ],
    ["an ask without answer", turn(asked), "permission per_1 is unanswered at the turn's end"],
    ["an ask answered twice", turn(asked, replied, replied), "permission per_1 is answered twice"],
    ["an ask made twice", turn(asked, asked, replied), "permission per_1 is asked twice"],
    ["an answer without ask", turn(replied), "permission per_1 was never asked"],
    ["a question without answer", turn(question), "question que_1 is unanswered at the turn's end"],
    ["a question answered twice", turn(question, answer, answer), "question que_1 is answered twice"],
    ["an inbox item added twice", log(added, added), "inbox item inb_1 is added twice"],
    ["an inbox item removed twice", log(added, delivered, delivered), "inbox item inb_1 was already removed"],
    ["an inbox item removed before it was added", log(delivered), "inbox item inb_1 was never added"],
    ["an inbox item changed after it left", log(added, delivered, changed), "inbox item inb_1 was already removed"],
  ]
  test.each(bad)("%s", (_, entries, problem) => {
    expect(checkLog(entries).join("\n")).toContain(problem)
  })

  test("every bad log has exactly the one fault it shows, where it can", () => {
    const single = bad.filter(([, entries]) => checkLog(entries).length === 1)
    expect(single.length).toBeGreaterThan(bad.length * 0.8)
  })

  test("a violation names the sequence number and the event", () => {
    expect(checkLog(turn(part(tool(running))))).toEqual([
      "seq 6 (session.turn.ended): tool part prt_3 is running at the turn's end",
    ])
  })
})
