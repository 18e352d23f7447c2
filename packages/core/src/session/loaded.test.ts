import { expect, test } from "bun:test"
import type { MessageWithParts } from "@cairn/schema/message"
import { loadedIn } from "./loaded.ts"

const ids = (id: string) => ({ id, sessionID: "ses_1", messageID: "msg_1" })
const read = (loaded: unknown, more: { compacted?: number; failed?: boolean } = {}) => {
  const time = { start: 1, end: 2, ...(more.compacted !== undefined && { compacted: more.compacted }) }
  const ended = { status: "completed", input: {}, output: "", title: "", metadata: { loaded }, time }
  const state = more.failed ? { status: "error", input: {}, error: "no", time } : ended
  return { ...ids("prt_1"), type: "tool", tool: "read", callID: "c", state }
}
const message = (id: string, info: object, ...parts: object[]) =>
  ({
    info: { id, sessionID: "ses_1", time: { created: 1, completed: 2 }, ...info },
    parts,
  }) as unknown as MessageWithParts
const assistant = (id: string, ...parts: object[]) => message(id, { role: "assistant" }, ...parts)

test("files that joined results; none of failed, cleared or odd ones", () => {
  const stored = [
    message("msg_1", { role: "user" }),
    assistant("msg_2", read(["/a", "/b"]), read(["/gone"], { compacted: 5 }), read(["/x"], { failed: true })),
    assistant("msg_3", read([]), read("odd"), read([7, "/c"])),
  ]
  expect(loadedIn(stored)).toEqual(["/a", "/b", "/c"])
})

test("what was compacted away may join again, what the tail kept may not", () => {
  const text = { ...ids("prt_2"), type: "text", text: "Goal: x" }
  const request = { ...ids("prt_3"), type: "compaction", auto: true, tail_start_id: "msg_3" }
  const stored = [
    message("msg_1", { role: "user" }),
    assistant("msg_2", read(["/head"])),
    assistant("msg_3", read(["/tail"])),
    message("msg_4", { role: "user" }, request),
    message("msg_5", { role: "assistant", summary: true, parentID: "msg_4" }, text),
    assistant("msg_6", read(["/since"])),
  ]
  expect(loadedIn(stored)).toEqual(["/tail", "/since"])
})
