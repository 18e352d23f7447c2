import { expect, test } from "bun:test"
import type { AssistantMessage, MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import fc from "fast-check"
import * as make from "../../test/store/events.ts"
import { tempStore } from "../../test/store/temp-store.ts"
import { dateReminder } from "../prompt/reminder.ts"
import { conversationOf } from "./conversation.ts"
import { historyOf } from "./history.ts"

type Kind = "user" | "date" | "answer" | "call" | "summary" | "failed" | "silent" | "open" | "lost"

const kinds: readonly Kind[] = ["user", "date", "answer", "call", "summary", "failed", "silent", "open", "lost"]
const id = (kind: string, n: number) => `${kind}_${String(n).padStart(4, "0")}`

/** A session of such messages; a summary comes with its request, whose tail begins `back` messages before it. */
function messagesOf(entries: readonly { kind: Kind; back: number }[]): MessageWithParts[] {
  const made: MessageWithParts[] = []
  let parts = 0
  const put = (info: MessageWithParts["info"], ...given: object[]) => {
    const base = () => ({ id: id("prt", ++parts), sessionID: "ses_1", messageID: info.id })
    made.push({ info, parts: given.map((part) => ({ ...base(), ...part }) as Part) })
    return info.id
  }
  const next = () => id("msg", made.length)
  const user = (...given: object[]) => put(make.userMessage("ses_1", next()), ...given)
  const assistant = (more: Partial<AssistantMessage>, ...given: object[]) =>
    put({ ...make.assistantMessage("ses_1", next()), time: { created: 1, completed: 2 }, ...more }, ...given)
  for (const [n, { kind, back }] of entries.entries()) {
    const text = { type: "text", text: `${kind} ${n}` }
    if (kind === "user") user(text)
    else if (kind === "date") user({ type: "text", text: dateReminder(`day ${n}`), synthetic: true }, text)
    else if (kind === "answer") assistant({}, text)
    else if (kind === "call") assistant({}, text, { type: "reasoning", text: "hm", time: { start: 1 } })
    else {
      const tail = kind === "lost" ? "msg_gone" : made.at(-back)?.info.id
      const parentID = user({ type: "compaction", auto: true, ...(tail !== undefined && { tail_start_id: tail }) })
      const failed = { error: { name: "UnknownError" as const, data: { message: "no" } } }
      const more = kind === "failed" ? failed : kind === "open" ? { time: { created: 1 } } : {}
      assistant({ summary: true, parentID, ...more }, ...(kind === "silent" ? [] : [text]))
    }
  }
  return made
}

test("what is read of a session gives the same history as the whole of it, and no more than that needs", () => {
  const entry = fc.record({ kind: fc.constantFrom(...kinds), back: fc.integer({ min: 0, max: 6 }) })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 24 }), fc.integer({ min: 0, max: 80 }), (entries, room) => {
      using temp = tempStore()
      const { store } = temp
      for (const session of ["ses_1", "ses_2"]) store.append(session, [make.created(session)])
      store.append("ses_2", [make.message(make.userMessage("ses_2", "msg_x"))])
      for (const { info, parts } of messagesOf(entries))
        store.append("ses_1", [make.message(info), ...parts.map((part) => make.part(part))])
      const all = store.read.messages("ses_1")
      const read = conversationOf(store.read, "ses_1", room)
      const history = historyOf(all, room)
      expect(historyOf(read, room)).toEqual(history)
      if (history.opening.length === 0) return
      const sent = new Set([...history.tail, ...history.since].map(({ info }) => info.id))
      const idle = read.filter(({ info }) => info.role === "assistant" && !info.summary && !sent.has(info.id))
      expect(idle).toEqual([])
    }),
    { seed: 20_261_122, numRuns: process.env["CAIRN_TEST_LONG"] ? 1_000 : 80 },
  )
}, 60_000)

test("what was said long ago is not read: the first words, the newest that fit, and what told the date", () => {
  using temp = tempStore()
  const { store } = temp
  store.append("ses_1", [make.created("ses_1")])
  const entries = Array.from({ length: 400 }, (_, n) => ({
    kind: n === 90 ? "date" : n % 2 ? "answer" : "user",
    back: 3,
  }))
  entries.push({ kind: "summary", back: 3 }, { kind: "user", back: 0 })
  for (const { info, parts } of messagesOf(entries as { kind: Kind; back: number }[]))
    store.append("ses_1", [make.message(info), ...parts.map((part) => make.part(part))])
  const all = store.read.messages("ses_1")
  for (const room of [0, 10, 300, 900, 5_000]) {
    const read = conversationOf(store.read, "ses_1", room)
    expect(historyOf(read, room)).toEqual(historyOf(all, room))
    if (room <= 300) expect(read.length).toBeLessThan(70)
  }
  expect(JSON.stringify(historyOf(conversationOf(store.read, "ses_1", 10), 10).opening)).toContain("day 90")
})
