import { describe, expect, test } from "bun:test"
import { HeadlessAnswer, HeadlessLine, HeadlessReason, headlessJsonSchema } from "./headless.ts"
import { TurnEnd } from "./event.ts"

const sessionID = "ses_000000000001abcdefghijklmn"
const tokens = { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } }
const result = { type: "result", exitCode: 0, reason: "done", sessionID, text: "", tokens, cost: 0 }
const idle = { type: "session.idle", id: "evt_1", properties: { sessionID } }

describe("a line", () => {
  test.each([
    ["start", { type: "start", schema: 1, version: "1.0.0", sessionID }],
    ["result", result],
    ["result without a session", { ...result, exitCode: 2, reason: "key", sessionID: null, message: "no key" }],
    ["a transient event", idle],
    [
      "a stored event",
      { type: "session.turn.started", id: "evt_2", seq: 4, properties: { sessionID, runID: "run_1", time: 1 } },
    ],
  ])("%s", (_name, line) => {
    expect(HeadlessLine.parse(line)).toEqual(line as never)
  })

  test.each([
    ["another schema", { type: "start", schema: 2, version: "1", sessionID }],
    ["an exit code that is not documented", { ...result, exitCode: 7 }],
    ["a reason that is not documented", { ...result, reason: "because" }],
    ["an event without an id", { type: "session.idle", properties: { sessionID } }],
    ["an unknown event", { ...idle, type: "session.dreamed" }],
  ])("is not %s", (_name, line) => {
    expect(HeadlessLine.safeParse(line).success).toBe(false)
  })
})

test("every end of a turn is a reason", () => {
  expect(TurnEnd.options.filter((end) => !HeadlessReason.options.includes(end))).toEqual([])
})

test("an answer may name hunks, by whole numbers from 0", () => {
  const answer = { id: "per_1", reply: "once", hunks: [1, 0] }
  expect(HeadlessAnswer.parse(answer)).toEqual(answer as HeadlessAnswer)
  expect(HeadlessAnswer.safeParse({ ...answer, hunks: [-1] }).success).toBe(false)
})

test("the JSON schema names every type of line", () => {
  const text = JSON.stringify(headlessJsonSchema())
  for (const type of ["start", "result", "message.part.updated", "permission.asked", "session.status"]) {
    expect(text).toContain(`"const":"${type}"`)
  }
})
