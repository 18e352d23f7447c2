import { describe, expect, test } from "bun:test"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import * as make from "../../test/store/events.ts"
import { entriesBehind, takenBack, visible } from "./revert-point.ts"

const part = (messageID: string, id: string, type: "step-start" | "text" | "tool"): Part => {
  const base = { id, sessionID: "ses_1", messageID }
  if (type === "step-start") return { ...base, type }
  if (type === "text") return { ...base, type, text: id }
  return { ...base, type, callID: `call_${id}`, tool: "edit", state: { status: "pending", input: {}, raw: "" } }
}

const prompt = (id: string): MessageWithParts => ({
  info: make.userMessage("ses_1", id),
  parts: [part(id, `${id}.text`, "text")],
})
const step = (id: string, ...parts: [string, "step-start" | "text" | "tool"][]): MessageWithParts => ({
  info: make.assistantMessage("ses_1", id),
  parts: parts.map(([name, type]) => part(id, name, type)),
})

const messages = [
  prompt("msg_1"),
  step("msg_2", ["s", "step-start"], ["t", "text"], ["x", "tool"], ["y", "tool"]),
  prompt("msg_3"),
  step("msg_4", ["u", "step-start"], ["z", "tool"]),
]
const shape = (point: Parameters<typeof takenBack>[1]) => {
  const taken = takenBack(messages, point)
  return taken && [taken.messages.map(({ info }) => info.id), taken.parts.map(({ id }) => id)]
}

describe("behind a point lies", () => {
  test("the message and all after it", () => {
    expect(shape({ messageID: "msg_3" })).toEqual([["msg_3", "msg_4"], []])
    expect(shape({ messageID: "msg_1" })).toEqual([["msg_1", "msg_2", "msg_3", "msg_4"], []])
  })

  test("the part and all after it, while something of its message stays", () => {
    expect(shape({ messageID: "msg_2", partID: "y" })).toEqual([["msg_3", "msg_4"], ["y"]])
    expect(shape({ messageID: "msg_2", partID: "x" })).toEqual([
      ["msg_3", "msg_4"],
      ["x", "y"],
    ])
    expect(shape({ messageID: "msg_2", partID: "t" })).toEqual([["msg_2", "msg_3", "msg_4"], []])
    expect(shape({ messageID: "msg_4", partID: "z" })).toEqual([["msg_4"], []])
  })

  test("nothing, when there is no such point", () => {
    expect(shape({ messageID: "msg_9" })).toBeUndefined()
    expect(shape({ messageID: "msg_2", partID: "z" })).toBeUndefined()
  })
})

test("the entries of whole messages, and of the calls behind the part", () => {
  const entry = (messageID: string, callID: string) => ({
    ...make.fileChange(`chg_${callID}`, "/a", "a", "b"),
    ...{ messageID, callID },
  })
  const entries = [
    entry("msg_2", "call_x"),
    entry("msg_2", "call_y"),
    entry("msg_4", "call_z"),
    entry("msg_4", "call_x"),
  ]
  const behind = (point: Parameters<typeof takenBack>[1]) =>
    entriesBehind(entries, takenBack(messages, point)!).map(({ messageID, callID }) => `${messageID} ${callID}`)
  expect(behind({ messageID: "msg_2", partID: "y" })).toEqual(["msg_2 call_y", "msg_4 call_z", "msg_4 call_x"])
  expect(behind({ messageID: "msg_3" })).toEqual(["msg_4 call_z", "msg_4 call_x"])
})

test("what is hidden is not visible, the rest is as it was", () => {
  expect(visible(messages, undefined)).toEqual(messages)
  expect(visible(messages, { messageID: "msg_9" })).toEqual(messages)
  expect(visible(messages, { messageID: "msg_3" })).toEqual(messages.slice(0, 2))
  expect(
    visible(messages, { messageID: "msg_2", partID: "y" })
      .at(-1)
      ?.parts.map(({ id }) => id),
  ).toEqual([...["s", "t", "x"]])
})
