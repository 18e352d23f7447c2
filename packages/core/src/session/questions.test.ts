import { describe, expect, test } from "bun:test"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import type { DurableEvent } from "@cairn/schema/event"
import { createQuestions } from "./questions.ts"

const one = { question: "Which?", header: "Which", options: [{ label: "a", description: "" }] }

function fixture() {
  const log: DurableEvent[] = []
  const bench = { fail: false }
  let count = 0
  const questions = createQuestions({
    append(_, events) {
      if (bench.fail) throw new Error("disk full")
      log.push(...events)
    },
    ids: { next: () => `que_${++count}` },
  })
  const group = new TaskGroup()
  const ask = (sessionID = "ses_1", asked = [one]) =>
    questions.ask(asked, { sessionID, messageID: "msg_1", callID: "call_1", signal: group.signal })
  return { bench, log, questions, group, ask, types: () => log.map((event) => event.type) }
}

test("an answer is durable before it is given, and counts once", async () => {
  const { questions, ask, log } = fixture()
  const asked = ask()
  expect(log).toEqual([
    {
      type: "question.asked",
      properties: { id: "que_1", sessionID: "ses_1", questions: [one], tool: { messageID: "msg_1", callID: "call_1" } },
    },
  ])
  expect(questions.reply("que_1", [["a"]])).toBe(true)
  expect(questions.reply("que_1", [["b"]])).toBe(false)
  expect(questions.reject("que_1")).toBe(false)
  expect(await asked).toEqual({ ok: true, value: [["a"]] })
  expect(log[1]).toEqual({
    type: "question.replied",
    properties: { sessionID: "ses_1", requestID: "que_1", answers: [["a"]] },
  })
})

test("there is an answer for each question, whatever the client sent", async () => {
  const { questions, ask } = fixture()
  const asked = ask("ses_1", [one, one])
  questions.reply("que_1", [["x".repeat(30_000), ...Array.from({ length: 200 }, () => "y")]])
  const result = await asked
  if (!result.ok) throw new Error(result.error.message)
  expect(result.value.map((answer) => answer.length)).toEqual([100, 0])
  expect(result.value[0]?.[0]?.length).toBe(20_000)
  const extra = ask("ses_1", [one])
  questions.reply("que_2", [["a"], ["too much"]])
  expect(await extra).toEqual({ ok: true, value: [["a"]] })
})

test("dismissing one dismisses the others of its session; with a message only itself", async () => {
  const { questions, ask, types } = fixture()
  const [first, second, other] = [ask(), ask(), ask("ses_2")]
  expect(questions.reject("que_1", " later ")).toBe(true)
  expect(await first).toEqual({ ok: false, error: { kind: "denied", message: "later" } })
  expect(questions.pending().map(({ id }) => id)).toEqual(["que_2", "que_3"])
  const third = ask()
  questions.reject("que_2", "  ")
  for (const each of [await second, await third]) expect(each).toMatchObject({ ok: false, error: { kind: "rejected" } })
  expect(questions.pending("ses_1")).toEqual([])
  expect(questions.pending("ses_2").map(({ id }) => id)).toEqual(["que_3"])
  questions.reply("que_3", [["a"]])
  expect((await other).ok).toBe(true)
  expect(types().filter((type) => type === "question.rejected")).toHaveLength(3)
})

describe("an interruption", () => {
  test("settles what waits, durably, and rejects with its reason", async () => {
    const { questions, group, ask, types } = fixture()
    const asked = ask()
    group.cancel(new Interrupted())
    await expect(asked).rejects.toBeInstanceOf(Interrupted)
    expect(types()).toEqual(["question.asked", "question.rejected"])
    expect(questions.pending()).toEqual([])
    await expect(ask()).rejects.toBeInstanceOf(Interrupted)
    expect(types()).toHaveLength(2)
  })

  test("in the tick of an answer leaves the answer as it was recorded", async () => {
    const { questions, group, ask, types } = fixture()
    const asked = ask().catch((error: unknown) => error)
    questions.reply("que_1", [["a"]])
    group.cancel(new Interrupted())
    await asked
    expect(types()).toEqual(["question.asked", "question.replied"])
  })
})

test("what cannot be recorded is not asked, and not answered", async () => {
  const { bench, questions, ask } = fixture()
  bench.fail = true
  await expect(ask()).rejects.toThrow("disk full")
  expect(questions.pending()).toEqual([])
  bench.fail = false
  const asked = ask()
  bench.fail = true
  expect(() => questions.reply("que_2", [["a"]])).toThrow("disk full")
  expect(questions.pending()).toHaveLength(1)
  bench.fail = false
  questions.reply("que_2", [["a"]])
  expect((await asked).ok).toBe(true)
})
