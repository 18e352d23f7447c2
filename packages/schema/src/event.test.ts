import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { DurableEvent, TransientEvent } from "./event.ts"
import * as ids from "./id.ts"
import { Part } from "./part.ts"

const place = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1" }

describe("events", () => {
  test("a part is valid when it comes back from the log, whatever the model or a tool put into it", () => {
    const part = fc.oneof(
      fc
        .record({ text: fc.string({ unit: "binary" }), metadata: fc.dictionary(fc.string(), fc.jsonValue()) })
        .map((one) => ({
          ...place,
          type: "text",
          ...one,
        })),
      fc.record({ input: fc.dictionary(fc.string(), fc.jsonValue()), error: fc.string() }).map((one) => ({
        ...place,
        type: "tool",
        callID: "call_1",
        tool: "read",
        state: { status: "error", ...one, kind: "not_found", time: { start: 1, end: 2 } },
      })),
    )
    fc.assert(
      fc.property(part, (value) => {
        const event = { type: "message.part.updated", properties: { sessionID: "ses_1", part: value, time: 1 } }
        const stored: unknown = JSON.parse(JSON.stringify(event))
        expect(DurableEvent.safeParse(stored).success).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test("an unknown type, a missing field and an id of another kind are refused", () => {
    const removed = { sessionID: "ses_1", messageID: "msg_1" }
    const refused: readonly unknown[] = [
      { type: "message.forgotten", properties: removed },
      { type: "message.removed", properties: { sessionID: "ses_1" } },
      { type: "message.removed", properties: { ...removed, messageID: "ses_1" } },
      { type: "session.idle", properties: { sessionID: "ses_1" } },
      {
        type: "message.part.delta",
        properties: { ...removed, partID: "prt_1", field: "text", delta: "a", offset: -1 },
      },
    ]
    for (const event of refused) expect(DurableEvent.safeParse(event).success).toBe(false)
    expect(DurableEvent.safeParse({ type: "message.removed", properties: removed }).success).toBe(true)
  })

  test("the delta on the wire needs no offset, the one in the log does", () => {
    const { id: partID, ...of } = place
    const event = { type: "message.part.delta", properties: { ...of, partID, field: "text", delta: "a" } }
    expect(TransientEvent.safeParse(event).success).toBe(true)
    expect(DurableEvent.safeParse(event).success).toBe(false)
  })

  test("a tool part in a state that does not exist is refused", () => {
    const tool = (state: unknown) =>
      Part.safeParse({ ...place, type: "tool", callID: "c", tool: "read", state }).success
    expect(tool({ status: "pending", input: {}, raw: "" })).toBe(true)
    expect(tool({ status: "cancelled", input: {}, raw: "" })).toBe(false)
    expect(tool({ status: "completed", input: {}, time: { start: 1, end: 2 } })).toBe(false)
  })
})

test("each kind of id takes its own prefix and no other's", () => {
  const prefixes: Record<keyof typeof ids, string> = {
    SessionID: "ses",
    MessageID: "msg",
    PartID: "prt",
    EventID: "evt",
    PermissionID: "per",
    QuestionID: "que",
    InboxID: "inb",
    ChangeID: "chg",
    RevertID: "rev",
    WorkspaceID: "wrk",
  }
  for (const [name, schema] of Object.entries(ids))
    for (const [other, prefix] of Object.entries(prefixes))
      expect([name, other, schema.safeParse(`${prefix}_1`).success]).toEqual([name, other, name === other])
})
