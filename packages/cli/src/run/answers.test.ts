import { describe, expect, test } from "bun:test"
import { err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { PermissionReply } from "@cairn/schema/permission"
import { stdinOf } from "../../test/fake-io.ts"
import { event, sessionID } from "../../test/values.ts"
import { createAnswers, parseAnswer } from "./answers.ts"

const ask = (id: string) =>
  event("permission.asked", { id, sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: [] })

function fixture(known: readonly string[]) {
  const replies: [string, PermissionReply][] = []
  const questions: [string, readonly (readonly string[])[] | string | undefined][] = []
  const notes: string[] = []
  const asked: string[] = []
  const deferred: (() => void)[] = []
  const waiting = new Set(known)
  const engine = {
    replyQuestion(id: string, answers: readonly (readonly string[])[]) {
      questions.push([id, answers])
      return waiting.delete(id)
    },
    rejectQuestion(id: string, message?: string) {
      questions.push([id, message])
      return waiting.delete(id)
    },
    replyPermission(id: string, reply: PermissionReply) {
      replies.push([id, reply])
      if (reply.hunks?.includes(9)) return err({ kind: "hunks" as const, message: `the ask ${id} has no hunk 9` })
      return waiting.delete(id) ? ok(undefined) : err({ kind: "unknown" as const, message: `no ask ${id} waits` })
    },
  }
  const reporter = {
    start: () => {},
    event: () => {},
    end: () => {},
    note: (text: string) => void notes.push(text),
    ask: (request: { id: string }) => void asked.push(request.id),
  }
  const answers = createAnswers(engine, reporter, (work) => deferred.push(work))
  return { answers, replies, questions, notes, asked, deferred, waiting, signal: new TaskGroup().signal }
}

describe("a line of stdin", () => {
  test.each([
    [`{"id":"per_1","reply":"once"}`, { id: "per_1", reply: "once" }],
    [`{"id":"per_1","reply":"always","scope":"project"}`, { id: "per_1", reply: "always", scope: "project" }],
    [`{"id":"per_1","reply":"reject","message":"no"}`, { id: "per_1", reply: "reject", message: "no" }],
    [`  {"id":"per_1","reply":"once","extra":1}\r`, { id: "per_1", reply: "once" }],
    [`{"id":"per_1","reply":"once","hunks":[0,2]}`, { id: "per_1", reply: "once", hunks: [0, 2] }],
    [`{"id":"per_1","reply":"once","hunks":[]}`, { id: "per_1", reply: "once", hunks: [] }],
    [`{"id":"que_1","answers":[["a","b"],[]]}`, { id: "que_1", answers: [["a", "b"], []] }],
    [`{"id":"que_1","reply":"reject"}`, { id: "que_1", reply: "reject" }],
    [`{"id":"que_1","reply":"reject","message":"later"}`, { id: "que_1", reply: "reject", message: "later" }],
  ])("%s is an answer", (line, answer) => {
    expect(parseAnswer(line)).toEqual(answer as never)
  })

  test.each([
    ["yes", /not JSON/],
    ["[]", /the line/],
    ["null", /the line/],
    [`{"id":"per_1","reply":"maybe"}`, /^reply: /],
    [`{"id":"per_1","reply":"once","hunks":[-1]}`, /^hunks.0: /],
    [`{"id":"per_1","reply":"once","hunks":[0.5]}`, /^hunks.0: /],
    [`{"id":"per_1","reply":"once","hunks":1}`, /^hunks: /],
    [`{"id":"ses_1","reply":"once"}`, /^id: must start with per/],
    [`{"reply":"once"}`, /^id: /],
    [`{"id":"que_1","reply":"once"}`, /^reply: /],
    [`{"id":"que_1","answers":["a"]}`, /^answers.0: /],
    [`{"id":"que_1"}`, /^answers: /],
    [`{"id":"per_1","answers":[["a"]]}`, /^reply: /],
  ])("%s is not", (line, why) => {
    expect(parseAnswer(line)).toMatch(why)
  })
})

test("answers reach their asks, whatever pieces stdin comes in", async () => {
  const { answers, replies, notes, asked, signal } = fixture(["per_1", "per_2"])
  answers.onEvent(ask("per_1"))
  answers.onEvent(ask("per_2"))
  const lines = `{"id":"per_2","reply":"once"}\n\n{"id":"per_1","reply":"reject","message":"nein: 標"}`
  const bytes = new TextEncoder().encode(lines)
  await answers.read(stdinOf("pipe", [bytes.slice(0, 9), bytes.slice(9, 75), bytes.slice(75)]), signal)
  expect(asked).toEqual(["per_1", "per_2"])
  expect(replies).toEqual([
    ["per_2", { reply: "once" }],
    ["per_1", { reply: "reject", message: "nein: 標" }],
  ])
  expect([notes, answers.unanswered]).toEqual([[], 0])
})

test("lines that are no answers are noted and the next one counts", async () => {
  const { answers, replies, notes, signal } = fixture(["per_1"])
  const long = "x".repeat(1024 * 1024 + 10)
  const input = ["y\n", `{"id":"per_9","reply":"once"}\n`, long, long, `\n{"id":"per_1","reply":"once"}\n`]
  await answers.read(stdinOf("pipe", input), signal)
  expect(notes).toEqual([
    expect.stringContaining("not JSON"),
    expect.stringContaining("no ask per_9 waits"),
    expect.stringContaining("longer than"),
  ])
  expect(replies.at(-1)).toEqual(["per_1", { reply: "once" }])
})

test("an answer with hunks that the ask has not is noted, and the ask waits for the next one", async () => {
  const { answers, replies, notes, signal } = fixture(["per_1"])
  answers.onEvent(ask("per_1"))
  const lines = [`{"id":"per_1","reply":"once","hunks":[9]}`, `{"id":"per_1","reply":"once","hunks":[0]}`]
  await answers.read(stdinOf("pipe", [lines.join("\n")]), signal)
  expect(notes).toEqual(["ignored an answer on stdin: the ask per_1 has no hunk 9"])
  expect(replies.at(-1)).toEqual(["per_1", { reply: "once", hunks: [0] }])
  // And without the next one it is rejected like everything that waits.
  const other = fixture(["per_1"])
  other.answers.onEvent(ask("per_1"))
  await other.answers.read(stdinOf("pipe", [lines[0]!]), other.signal)
  expect(other.replies.map(([, { reply }]) => reply)).toEqual(["once", "reject"])
  expect(other.answers.unanswered).toBe(1)
})

test("when stdin ends, what waits is rejected with the reason, and what is asked later as well", async () => {
  const { answers, replies, deferred, waiting, signal } = fixture(["per_1", "per_2"])
  for (const id of ["per_1", "per_2"]) answers.onEvent(ask(id))
  answers.onEvent(event("permission.replied", { sessionID, requestID: "per_2", reply: "once" }))
  await answers.read(stdinOf("pipe"), signal)
  expect(replies).toEqual([["per_1", { reply: "reject", message: expect.stringContaining("closed its input") }]])
  waiting.add("per_3")
  answers.onEvent(ask("per_3"))
  expect(replies).toHaveLength(1)
  for (const work of deferred) work()
  expect(replies[1]?.[0]).toBe("per_3")
  expect(answers.unanswered).toBe(2)
})

const question = (id: string) =>
  event("question.asked", { id, sessionID, questions: [{ question: "Which?", header: "Which", options: [] }] })

test("questions are answered and refused by their ids", async () => {
  const { answers, questions, notes, asked, signal } = fixture(["que_1", "que_2"])
  answers.onEvent(question("que_1"))
  answers.onEvent(question("que_2"))
  const lines = [
    { id: "que_2", reply: "reject" },
    { id: "que_1", answers: [["this one"]] },
    { id: "que_9", answers: [] },
  ]
  await answers.read(stdinOf("pipe", [lines.map((line) => JSON.stringify(line)).join("\n")]), signal)
  expect(asked).toEqual(["que_1", "que_2"])
  expect(questions.slice(0, 2)).toEqual([
    ["que_2", undefined],
    ["que_1", [["this one"]]],
  ])
  expect(notes).toEqual([expect.stringContaining("no ask que_9 waits")])
  expect(answers.unanswered).toBe(0)
})

test("when stdin ends, the model is told that nobody answers the questions that wait", async () => {
  const { answers, questions, replies, signal } = fixture(["que_1", "que_2", "que_3"])
  for (const id of ["que_1", "que_2", "que_3"]) answers.onEvent(question(id))
  answers.onEvent(event("question.replied", { sessionID, requestID: "que_2", answers: [] }))
  answers.onEvent(event("question.rejected", { sessionID, requestID: "que_3" }))
  await answers.read(stdinOf("pipe"), signal)
  expect(questions).toEqual([["que_1", expect.stringContaining("closed its input")]])
  expect([replies, answers.unanswered]).toEqual([[], 1])
})
