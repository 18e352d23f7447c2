import { Database, type Statement } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { Ids } from "@cairn/kernel/id"
import { silentLog } from "@cairn/kernel/log"
import type { DurableEvent } from "@cairn/schema/event"
import { TestClock } from "@cairn/testkit/clock"
import * as make from "../../test/store/events.ts"
import { opened, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { self } from "./lease.ts"
import { createStore } from "./store.ts"
import { verify } from "./verify.ts"

const { created, delta, deleted, message, part, textPart, updated, userMessage } = make

describe("append", () => {
  test("numbers the events, stores them, then publishes them with their numbers", () => {
    using temp = tempStore()
    const entries = temp.store.append("ses_1", [created("ses_1"), message(userMessage("ses_1", "msg_1"))])
    expect(entries.map(({ seq, sessionID, time }) => [seq, sessionID, time])).toEqual([
      [1, "ses_1", temp.clock.now()],
      [2, "ses_1", temp.clock.now()],
    ])
    expect(temp.store.cursor(0)).toEqual(entries)
    expect(temp.published).toEqual(entries.map(({ seq, id, event }) => ({ id, seq, ...event })))
  })

  test("listeners find the event stored", () => {
    using temp = tempStore()
    const seen: unknown[] = []
    temp.store.subscribe(() => void seen.push(temp.store.read.session("ses_1")?.title, temp.database.inTransaction))
    temp.store.append("ses_1", [created("ses_1")])
    expect(seen).toEqual(["A title", false])
  })

  test("an append from a listener comes after the events that are being published, for everybody", () => {
    using temp = tempStore()
    temp.store.subscribe((event) => {
      if (event.type === "session.created") temp.store.append("ses_1", [updated("ses_1", { title: "nested" })])
    })
    temp.store.append("ses_1", [
      created("ses_1"),
      message(userMessage("ses_1", "msg_1")),
      message(userMessage("ses_1", "msg_2")),
    ])
    expect(temp.published.map((event) => event.seq)).toEqual([1, 2, 3, 4])
    expect(temp.store.read.session("ses_1")?.title).toBe("nested")
  })

  const refused: Record<string, readonly DurableEvent[]> = {
    "a part of a message that is not there": [created("ses_2"), part(textPart("ses_2", "msg_x", "prt_1"))],
    "a session twice": [created("ses_1")],
    "a change of a session that is not there": [updated("ses_2")],
    "a message of another session": [created("ses_2"), message(userMessage("ses_2", "msg_1"))],
    "a part that another message has": [
      message(userMessage("ses_1", "msg_2")),
      part(textPart("ses_1", "msg_2", "prt_1")),
    ],
    "a prompt that was taken": [
      { type: "session.inbox.updated", properties: { sessionID: "ses_1", item: make.inboxItem("inb_1") } },
    ],
  }
  for (const [name, events] of Object.entries(refused))
    test(`${name}: nothing is stored, nothing is published`, () => {
      using temp = tempStore()
      temp.store.append("ses_1", [created("ses_1"), message(userMessage("ses_1", "msg_1"))])
      temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", "prt_1"))])
      const before = [temp.store.cursor(0), temp.published.length]
      expect(() => temp.store.append(ownerOf(events), events)).toThrow()
      expect([temp.store.cursor(0), temp.published.length]).toEqual(before)
      expect(temp.store.read.messages("ses_1")).toHaveLength(1)
      expect(temp.store.append("ses_1", [updated("ses_1")])).toHaveLength(1)
      expect(verify(temp.database).problems).toEqual([])
    })

  test("what is derived sees the rows within the transaction, and stores nothing when it throws", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    const grown = () => {
      const { title = "" } = temp.store.read.session("ses_1") ?? {}
      expect(temp.database.inTransaction).toBe(true)
      return [updated("ses_1", { title: `${title}!` })]
    }
    expect(temp.store.derive("ses_1", grown)).toHaveLength(1)
    expect(temp.store.derive("ses_1", grown)).toHaveLength(1)
    expect(temp.store.derive("ses_1", () => [])).toEqual([])
    expect(temp.store.read.session("ses_1")?.title).toBe("A title!!")
    const before = [temp.store.cursor(0), temp.published.length]
    const fails = () => {
      throw new Error("no")
    }
    expect(() => temp.store.derive("ses_1", fails)).toThrow("no")
    expect(() => temp.store.derive("ses_1", grown, "run_1")).toThrow("ses_1")
    expect([temp.store.cursor(0), temp.published.length]).toEqual(before)
  })

  test("an event that names another session is refused", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.append("ses_2", [created("ses_2")])
    const stray = message(userMessage("ses_2", "msg_1"))
    expect(() => temp.store.append("ses_1", [stray])).toThrow("of ses_2 cannot be appended to ses_1")
    const mixed: DurableEvent = {
      type: "session.updated",
      properties: { sessionID: "ses_1", info: make.sessionInfo("ses_2") },
    }
    expect(() => temp.store.append("ses_1", [mixed])).toThrow("of ses_2 cannot be appended to ses_1")
    expect(temp.store.read.lastSeq()).toBe(2)
  })

  test("cannot be called from within a transaction of the store", () => {
    using temp = tempStore({ owner: { ...self(), started: "1" } })
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.begin("ses_1", "run_1", [])
    const nested = () => temp.store.append("ses_1", [updated("ses_1")])
    expect(() => temp.store.recover("ses_1", nested as never)).toThrow("from within one of its transactions")
    expect(temp.published).toHaveLength(1)
  })

  test("durable deltas stay in the log, transient events out of it", () => {
    using temp = tempStore()
    const text = textPart("ses_1", "msg_1", "prt_1")
    temp.store.append("ses_1", [
      created("ses_1"),
      message(userMessage("ses_1", "msg_1")),
      part(text),
      delta(text, "hi"),
    ])
    temp.store.publish({ type: "session.idle", properties: { sessionID: "ses_1" } })
    expect(temp.published.map((event) => event.type)).toEqual([
      "session.created",
      "message.updated",
      "message.part.updated",
      "session.idle",
    ])
    expect(temp.published.at(-1)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "session.idle",
      properties: { sessionID: "ses_1" },
    })
    expect(
      temp.store
        .cursor(0)
        .map((entry) => entry.event.type)
        .at(-1),
    ).toBe("message.part.delta")
  })

  test("a field that is undefined is as good as absent", () => {
    using temp = tempStore()
    const info = { ...make.sessionInfo("ses_1"), parentID: undefined, share: undefined }
    temp.store.append("ses_1", [{ type: "session.created", properties: { sessionID: "ses_1", info } }])
    expect(temp.store.read.session("ses_1")).toStrictEqual(make.sessionInfo("ses_1"))
    expect(verify(temp.database).problems).toEqual([])
  })
})

const ownerOf = ([first]: readonly DurableEvent[]) =>
  first && "sessionID" in first.properties ? first.properties.sessionID : ""

describe("a deleted session", () => {
  const fill = (temp: ReturnType<typeof tempStore>) => {
    const text = textPart("ses_1", "msg_1", "prt_1", "a secret")
    temp.store.append("ses_2", [created("ses_2")])
    temp.store.append("ses_1", [
      created("ses_1"),
      message(userMessage("ses_1", "msg_1")),
      part(text),
      delta(text, "more"),
    ])
    temp.store.append("ses_1", [
      make.inboxAdded("ses_1", make.inboxItem("inb_1")),
      make.asked("ses_1", "per_1"),
      make.questioned("ses_1", "que_1"),
      make.turnStarted("ses_1", "run_0"),
      { type: "todo.updated", properties: { sessionID: "ses_1", todos: [] } },
    ])
  }

  test("takes its rows and what was said out of the log; only the fact stays, and verify is content", () => {
    using temp = tempStore()
    fill(temp)
    temp.store.append("ses_1", [deleted("ses_1")])
    expect(temp.store.cursor(0, { sessionID: "ses_1" }).map((entry) => entry.event.type)).toEqual(["session.deleted"])
    for (const table of ["message", "part", "inbox", "permission", "question", "turn", "todo"])
      expect(temp.database.query(`SELECT count(*) AS rows FROM ${table}`).get()).toEqual({ rows: 0 })
    expect(temp.store.read.sessions({}).map((session) => session.id)).toEqual(["ses_2"])
    expect(verify(temp.database)).toEqual({ sessions: 1, events: 2, problems: [] })
  })

  test("cannot be written to or brought back by a late change, and its run loses it", () => {
    using temp = tempStore()
    fill(temp)
    temp.store.begin("ses_1", "run_1", [])
    temp.store.append("ses_1", [deleted("ses_1")])
    expect(temp.store.leases.all()).toEqual([])
    expect(() => temp.store.append("ses_1", [make.turnEnded("ses_1", "run_1")], "run_1")).toThrow("it was deleted")
    expect(() => temp.store.append("ses_1", [updated("ses_1")])).toThrow("does not exist")
    expect(() => temp.store.append("ses_1", [message(userMessage("ses_1", "msg_2"))])).toThrow("FOREIGN KEY")
    expect(verify(temp.database).problems).toEqual([])
  })

  test("its sequence numbers are never given again", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.append("ses_1", [deleted("ses_1")])
    temp.database.run("DELETE FROM event")
    expect(temp.store.append("ses_2", [created("ses_2")])[0]?.seq).toBe(3)
  })
})

describe("cursor", () => {
  test("pages through all sessions or one, oldest first", () => {
    using temp = tempStore()
    for (const id of ["ses_1", "ses_2"]) temp.store.append(id, [created(id), message(userMessage(id, `msg_${id}`))])
    expect(temp.store.cursor(1, { limit: 2 }).map((entry) => entry.seq)).toEqual([2, 3])
    expect(temp.store.cursor(3).map((entry) => entry.seq)).toEqual([4])
    expect(temp.store.cursor(0, { sessionID: "ses_2" }).map((entry) => entry.seq)).toEqual([3, 4])
    expect(temp.store.cursor(4)).toEqual([])
  })

  test("sees what another connection stored", () => {
    using dir = tempDir()
    using one = tempStore({ file: dir.file })
    using other = tempStore({ file: dir.file })
    one.store.append("ses_1", [created("ses_1")])
    expect(other.store.cursor(0).map((entry) => entry.event.type)).toEqual(["session.created"])
    expect(other.published).toEqual([])
  })
})

/** Counts what is prepared and what runs. */
class CountingDatabase extends Database {
  prepared = 0
  ran = 0

  override prepare(...input: Parameters<Database["prepare"]>): Statement<any, any> {
    this.prepared++
    const statement = super.prepare(...input)
    for (const name of ["run", "get", "all", "values"] as const) {
      const plain = statement[name].bind(statement) as (...values: unknown[]) => never
      statement[name] = (...values: unknown[]) => {
        this.ran++
        return plain(...values)
      }
    }
    return statement
  }
}

test("the work of an append does not grow: the same statements at the 1,000th as at the 10th, none prepared anew", () => {
  using dir = tempDir()
  opened(dir.file).close()
  const database = new CountingDatabase(dir.file, { strict: true })
  const clock = new TestClock()
  const store = createStore({ database, clock, ids: new Ids(clock), log: silentLog, owner: self() })
  store.append("ses_1", [created("ses_1"), message(userMessage("ses_1", "msg_1"))])
  store.begin("ses_1", "run_1", [])
  const work = (n: number) => {
    const before = { prepared: database.prepared, ran: database.ran }
    store.append("ses_1", [part(textPart("ses_1", "msg_1", `prt_${1_000 + n}`, "text"))], "run_1")
    return { prepared: database.prepared - before.prepared, ran: database.ran - before.ran }
  }
  const all = Array.from({ length: 1_000 }, (_, n) => work(n))
  // The lease, the event, that words are pending, and the part. Beginning and committing, which Bun does itself, come on top.
  const alone = { prepared: 0, ran: 4 }
  const others = all.slice(9).filter((one) => !Bun.deepEquals(one, alone))
  // Every 64th takes the words of as many parts into the search index; what that needs is prepared at the first.
  expect(others).toHaveLength(15)
  expect(others.slice(1).every((one) => one.prepared === 0 && Bun.deepEquals(one, others[1]))).toBe(true)
  store.close()
}, 30_000)
