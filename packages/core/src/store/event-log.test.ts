import { expect, test } from "bun:test"
import * as make from "../../test/store/events.ts"
import { tempDir, tempStore } from "../../test/store/temp-store.ts"
import { self } from "./lease.ts"

const { assistantMessage, created, delta, message, part, textPart, turnStarted, updated } = make

const elsewhere = { ...self(), pid: 1, started: "other" }
const growing = (sessionID: string, id: string, text = "") => ({
  ...textPart(sessionID, `msg_${sessionID}`, id, text),
  time: { start: 1 },
})

test("entries are read from a place on, page by page, with or without the deltas", () => {
  using temp = tempStore()
  const { log } = temp.store
  expect([log.last(), log.entries(0, { limit: 10 })]).toEqual([0, []])
  temp.store.append("ses_1", [created("ses_1"), message(assistantMessage("ses_1", "msg_ses_1"))])
  temp.store.append("ses_1", [part(growing("ses_1", "prt_1")), delta(growing("ses_1", "prt_1"), "a")])
  temp.store.append("ses_1", [updated("ses_1", { title: "new" })])
  const numbers = (...given: Parameters<typeof log.entries>) => log.entries(...given).map(({ seq }) => seq)
  expect(log.last()).toBe(5)
  expect(numbers(0, { limit: 2 })).toEqual([1, 2])
  expect(numbers(2, { limit: 9 })).toEqual([3, 4, 5])
  expect(numbers(2, { limit: 9, deltas: false })).toEqual([3, 5])
  expect(numbers(1, { limit: 9, upTo: 3 })).toEqual([2, 3])
  expect(log.entries(0, { limit: 9 })).toEqual(temp.store.cursor(0))
})

test("a file has a name, which all who open it see, and which another file has not", () => {
  using dir = tempDir()
  using first = tempStore({ file: dir.file })
  using second = tempStore({ file: dir.file, owner: elsewhere })
  expect(first.store.log.id).toBe(second.store.log.id)
  first.database.run("UPDATE migration SET time = time + 1")
  using third = tempStore({ file: dir.file })
  expect(third.store.log.id).not.toBe(first.store.log.id)
})

test("what other processes do is told from one snapshot, what this one does is not", () => {
  using dir = tempDir()
  using here = tempStore({ file: dir.file })
  using there = tempStore({ file: dir.file, owner: elsewhere })
  for (const [temp, id] of [
    [here, "ses_1"],
    [there, "ses_2"],
  ] as const) {
    temp.store.append(id, [created(id)])
    temp.store.begin(id, `run_${id}`, [turnStarted(id, `run_${id}`), message(assistantMessage(id, `msg_${id}`))])
    temp.store.append(id, [part(growing(id, `prt_${id}`)), delta(growing(id, `prt_${id}`), "stored")])
  }
  expect(here.store.log.elsewhere()).toEqual({
    seq: 10,
    sessions: ["ses_2"],
    parts: [growing("ses_2", "prt_ses_2", "stored")],
  })
  there.store.append("ses_2", [part({ ...growing("ses_2", "prt_ses_2", "whole"), time: { start: 1, end: 2 } })])
  expect(here.store.log.elsewhere()).toEqual({ seq: 11, sessions: ["ses_2"], parts: [] })
  there.store.end("ses_2", "run_ses_2", [])
  expect(here.store.log.elsewhere()).toEqual({ seq: 11, sessions: [], parts: [] })
})

test("a part that an earlier turn left open is not one of the turn that runs", () => {
  using dir = tempDir()
  using here = tempStore({ file: dir.file })
  using there = tempStore({ file: dir.file, owner: elsewhere })
  there.store.append("ses_2", [created("ses_2"), turnStarted("ses_2", "run_0")])
  there.store.append("ses_2", [message(assistantMessage("ses_2", "msg_ses_2")), part(growing("ses_2", "prt_1"))])
  there.store.begin("ses_2", "run_1", [turnStarted("ses_2", "run_1"), part(growing("ses_2", "prt_2"))])
  expect(here.store.log.elsewhere().parts.map(({ id }) => id)).toEqual(["prt_2"])
})

test("who watches hears within 250 ms of what others wrote, and not of what was written by this connection", async () => {
  using dir = tempDir()
  using here = tempStore({ file: dir.file })
  using there = tempStore({ file: dir.file, owner: elsewhere })
  let heard = 0
  const stop = here.store.log.watch(() => (heard += 1))
  await here.clock.advance(1_000)
  here.store.append("ses_1", [created("ses_1")])
  await here.clock.advance(1_000)
  expect(heard).toBe(0)
  there.store.append("ses_2", [created("ses_2")])
  there.store.append("ses_2", [updated("ses_2")])
  await here.clock.advance(249)
  await here.clock.advance(1)
  expect(heard).toBe(1)
  stop()
  there.store.append("ses_2", [updated("ses_2")])
  await here.clock.advance(1_000)
  expect([heard, here.clock.pending]).toEqual([1, 0])
})

test("many watch with one timer, which ends with the last of them or with the store", async () => {
  using dir = tempDir()
  const here = tempStore({ file: dir.file })
  using there = tempStore({ file: dir.file, owner: elsewhere })
  const heard: string[] = []
  const stops = ["a", "b"].map((name) => here.store.log.watch(() => void heard.push(name)))
  expect(here.clock.pending).toBe(1)
  stops[0]?.()
  stops[0]?.()
  there.store.append("ses_2", [created("ses_2")])
  await here.clock.advance(250)
  expect(heard).toEqual(["b"])
  here.store.close()
  expect(here.clock.pending).toBe(0)
})

test("a database that cannot be looked at is said, and those who watch go on", async () => {
  using dir = tempDir()
  using here = tempStore({ file: dir.file })
  let heard = 0
  here.store.log.watch(() => (heard += 1))
  here.database.close()
  await here.clock.advance(250)
  expect(heard).toBe(0)
  expect(here.lines.join()).toContain("could not be looked at")
  expect(here.clock.pending).toBe(1)
})

test("stored deltas go to those who follow, not to subscribers, in the order of the log", () => {
  using temp = tempStore()
  const followed: unknown[] = []
  const stop = temp.store.follow(({ type, seq }) => void followed.push([seq, type]))
  temp.store.append("ses_1", [created("ses_1"), message(assistantMessage("ses_1", "msg_ses_1"))])
  temp.store.append("ses_1", [part(growing("ses_1", "prt_1")), delta(growing("ses_1", "prt_1"), "a")])
  temp.store.publish({ type: "session.idle", properties: { sessionID: "ses_1" } })
  stop()
  temp.store.append("ses_1", [updated("ses_1")])
  expect(followed).toEqual([
    [1, "session.created"],
    [2, "message.updated"],
    [3, "message.part.updated"],
    [4, "message.part.delta"],
    [undefined, "session.idle"],
  ])
  expect(temp.published.map(({ seq }) => seq)).toEqual([1, 2, 3, undefined, 5])
})
