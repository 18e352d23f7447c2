import { expect, test } from "bun:test"
import * as make from "../../test/store/events.ts"
import { tempStore } from "../../test/store/temp-store.ts"

const { assistantMessage, created, delta, message, part, textPart, toolPart, turnEnded, turnStarted } = make

const growing = (id: string, text = "") => ({ ...textPart("ses_1", "msg_1", id, text), time: { start: 1 } })
const sent = (id: string, text: string, offset: number) => ({
  type: "message.part.delta" as const,
  properties: { sessionID: "ses_1", messageID: "msg_1", partID: id, field: "text", delta: text, offset },
})

function setUp() {
  const temp = tempStore()
  temp.store.append("ses_1", [created("ses_1"), turnStarted("ses_1", "run_1")])
  temp.store.append("ses_1", [message(assistantMessage("ses_1", "msg_1"))])
  return temp
}

test("open texts are told with what was published of them, whatever of it is stored", () => {
  using temp = setUp()
  temp.store.append("ses_1", [part(growing("prt_1")), part(growing("prt_2"))])
  temp.store.publish(sent("prt_1", "Hello ", 0))
  temp.store.append("ses_1", [delta(growing("prt_1"), "Hel")])
  temp.store.publish(sent("prt_1", "there", 6))
  expect(temp.store.openParts.of("ses_1")).toEqual([growing("prt_1", "Hello there"), growing("prt_2")])
  expect(temp.store.openParts.of()).toHaveLength(2)
  expect(temp.store.openParts.of("ses_2")).toEqual([])
  const [stored] = temp.store.read.parts("msg_1")
  if (!stored) throw new Error("the part is not stored")
  expect(stored).toEqual(growing("prt_1", "Hel"))
  expect(temp.store.openParts.grown(stored)).toEqual(growing("prt_1", "Hello there"))
  const other = textPart("ses_1", "msg_1", "prt_9", "as it is")
  expect(temp.store.openParts.grown(other)).toBe(other)
})

test("a part leaves when it ends, is removed, or its turn is over", () => {
  using temp = setUp()
  const ids = () => temp.store.openParts.of("ses_1").map(({ id }) => id)
  const call = toolPart("ses_1", "msg_1", "prt_4", make.running)
  temp.store.append("ses_1", [...["prt_1", "prt_2", "prt_3"].map((id) => part(growing(id))), part(call)])
  expect(ids()).toEqual(["prt_1", "prt_2", "prt_3", "prt_4"])
  temp.store.append("ses_1", [part({ ...growing("prt_1", "whole"), time: { start: 1, end: 2 } })])
  temp.store.append("ses_1", [part({ ...call, state: make.completed("done") })])
  const removed = { sessionID: "ses_1", messageID: "msg_1", partID: "prt_2" }
  temp.store.append("ses_1", [{ type: "message.part.removed", properties: removed }])
  expect(ids()).toEqual(["prt_3"])
  temp.store.append("ses_1", [turnEnded("ses_1", "run_1")])
  expect(ids()).toEqual([])
})

test("removed messages and deleted sessions leave nothing open", () => {
  using temp = setUp()
  temp.store.append("ses_1", [part(growing("prt_1"))])
  temp.store.append("ses_1", [{ type: "message.removed", properties: { sessionID: "ses_1", messageID: "msg_1" } }])
  expect(temp.store.openParts.of()).toEqual([])
  temp.store.append("ses_1", [message(assistantMessage("ses_1", "msg_2"))])
  temp.store.append("ses_1", [part({ ...growing("prt_2"), messageID: "msg_2" })])
  expect(temp.store.openParts.of()).toHaveLength(1)
  temp.store.append("ses_1", [make.deleted("ses_1")])
  expect(temp.store.openParts.of()).toEqual([])
})

test("what the user wrote, and what came while nothing ran, is not open", () => {
  using temp = setUp()
  temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", "prt_1", "no times"))])
  temp.store.append("ses_1", [turnEnded("ses_1", "run_1")])
  temp.store.append("ses_1", [part(growing("prt_2"))])
  expect(temp.store.openParts.of()).toEqual([])
})

test("who listens finds the part as it is with the event that came", () => {
  using temp = setUp()
  const texts: string[] = []
  temp.store.subscribe(
    () => void texts.push(...temp.store.openParts.of().map((open) => ("text" in open ? open.text : ""))),
  )
  temp.store.append("ses_1", [part(growing("prt_1"))])
  temp.store.publish(sent("prt_1", "a", 0))
  temp.store.publish(sent("prt_1", "b", 1))
  expect(texts).toEqual(["", "a", "ab"])
})
