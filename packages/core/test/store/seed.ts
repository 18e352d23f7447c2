import { systemClock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { silentLog } from "@cairn/kernel/log"
import type { DurableEvent } from "@cairn/schema/event"
import type { AssistantMessage, UserMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part } from "@cairn/schema/part"
import { openDatabase } from "../../src/store/database.ts"
import { self } from "../../src/store/lease.ts"
import { createStore } from "../../src/store/store.ts"

/** Messages after the summary: what is sent is the same however many came before. */
const verbatim = 8

/**
 * Gives the newest session of a database `count` messages more, through the store and its projectors: prompts, answers
 * with text and a tool's result, and a compaction that leaves the last few verbatim. Returns the session's id.
 */
export function seedMessages(file: string, count: number): string {
  const opened = openDatabase({ file, now: systemClock.now })
  if (!opened.ok) throw new Error(opened.error.message)
  const ids = new Ids(systemClock)
  const store = createStore({ ...opened.value, clock: systemClock, ids, log: silentLog, owner: self() })
  const [session] = store.read.sessions({ limit: 1 })
  if (!session) throw new Error("there is no session to add to")
  const writer = messageWriter(session.id, ids)
  const events: DurableEvent[] = []
  for (let n = 0; n < count; n += 2) {
    if (n === count - verbatim) events.push(...writer.compaction())
    events.push(...writer.prompt(n), ...writer.answer(n))
  }
  store.append(session.id, events)
  store.close()
  return session.id
}

function messageWriter(sessionID: string, ids: Ids) {
  const time = { created: systemClock.now() }
  const model = { providerID: "scripted", modelID: "model" }
  let parentID = ""
  const put = (info: UserMessage | AssistantMessage, ...parts: object[]): DurableEvent[] => [
    { type: "message.updated", properties: { sessionID, info } },
    ...parts.map((part): DurableEvent => {
      const whole = { id: ids.next("part"), sessionID, messageID: info.id, ...part } as Part
      return { type: "message.part.updated", properties: { sessionID, part: whole, time: time.created } }
    }),
  ]
  const user = (...parts: object[]) => {
    parentID = ids.next("message")
    return put({ id: parentID, sessionID, role: "user", time, agent: "build", model }, ...parts)
  }
  const assistant = (more: Partial<AssistantMessage>, ...parts: object[]) =>
    put(
      {
        ...{ id: ids.next("message"), sessionID, role: "assistant", parentID, ...model, mode: "build", agent: "build" },
        ...{ time: { ...time, completed: time.created }, finish: "stop", path: { cwd: "/repo", root: "/repo" } },
        ...{ cost: 0, tokens: noTokens() },
        ...more,
      },
      ...parts,
    )
  const result = (n: number) => ({
    ...{ type: "tool", callID: `seed_${n}`, tool: "bash" },
    state: {
      ...{ status: "completed", input: { command: "make" }, output: `line of output ${n}\n`.repeat(40) },
      ...{ title: "make", metadata: {}, time: { start: time.created, end: time.created } },
    },
  })
  return {
    prompt: (n: number) => user({ type: "text", text: `please do the thing number ${n}` }),
    answer: (n: number) => assistant({}, { type: "text", text: `did the thing number ${n}. `.repeat(10) }, result(n)),
    compaction: () => [
      ...user({ type: "compaction", auto: true }),
      ...assistant({ summary: true, agent: "compaction" }, { type: "text", text: "## Goal\nMany things were done." }),
    ],
  }
}
