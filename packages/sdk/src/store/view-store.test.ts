import { describe, expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { ModelServer } from "../../test/model-server.ts"
import { messages, numbered, permission, session, sessionID, text, user, waiting } from "../../test/values.ts"
import type { Topic } from "./notifier.ts"
import { type ViewLimits, createViewStore } from "./view-store.ts"

/** A server whose session has so many messages, and views of it. Nothing moves but by `settle`. */
function setUp(count = 2, limits: Partial<ViewLimits> = {}) {
  const server = new ModelServer()
  const clock = new TestClock()
  const flushes: (() => void)[] = []
  const store = createViewStore({
    ...{ source: server.source, clock, limits },
    schedule: (flush) => void flushes.push(flush),
  })
  server.append({ type: "session.created", properties: { sessionID, info: session() } })
  server.sessions.get(sessionID)?.messages.push(...messages(1, count))
  const told: Topic[] = []
  const watch = (topic: Topic) => store.subscribe(topic, () => told.push(topic))
  const arrive = () => {
    for (let event = server.wire?.shift(); event; event = server.wire?.shift()) store.take(event)
  }
  const settle = async () => {
    do {
      arrive()
      await clock.advance(0)
      for (const read of server.reads) read.answer()
      await clock.advance(0)
    } while (server.reads.length > 0)
    for (const flush of flushes.splice(0)) flush()
  }
  return { server, clock, store, told, watch, arrive, settle }
}

test("nothing is read before the stream has begun; then everything that somebody wants", async () => {
  const { server, store, settle } = setUp()
  store.open(sessionID)
  await settle()
  expect(store.connection()).toEqual({ state: "connecting" })
  expect(store.transcript(sessionID)).toMatchObject({ state: "loading", ids: [] })
  server.connect()
  await settle()
  expect(store.connection()).toEqual({ state: "live" })
  expect(store.transcript(sessionID)).toMatchObject({ state: "ready", ids: ["msg_000001", "msg_000002"], more: false })
  expect(store.sessions()).toEqual({ ids: [sessionID], more: false })
})

test("an entry of the log counts once, and a copy of an answered ask does not open it again", async () => {
  const { server, store, told, watch, settle } = setUp()
  server.connect()
  await settle()
  watch("asks")
  const asked = { type: "permission.asked", seq: 900, properties: permission("per_1") } as const
  const replied = { sessionID, requestID: "per_1", reply: "once" } as const
  store.take(asked)
  store.take({ type: "permission.replied", seq: 901, properties: replied })
  await settle()
  expect(told).toEqual(["asks"])
  store.take(asked)
  store.take({ ...asked, seq: undefined })
  await settle()
  expect(told).toEqual(["asks"])
  expect(store.asks()).toEqual([])
})

test("after a gap the log may begin anew: lower numbers count again", async () => {
  const { server, store, settle } = setUp()
  server.connect()
  await settle()
  store.take({ type: "permission.asked", seq: 900, properties: permission("per_1") })
  store.take({ type: "server.connected", properties: { resync: true } })
  store.take({ type: "permission.asked", seq: 3, properties: permission("per_2") })
  expect(store.asks().map(({ request }) => request.id)).toEqual(["per_1", "per_2"])
})

test("a session that is opened while text streams comes to its whole text", async () => {
  const { server, clock, store, settle } = setUp()
  const part = text({ id: "prt_000003", messageID: "msg_000002" }, "")
  server.append({ type: "message.part.updated", properties: { sessionID, part, time: 1 } })
  const [open] = server.openTexts()
  if (!open) return expect.unreachable()
  server.stream(open, "seen by others, ")
  server.connect()
  store.open(sessionID)
  await settle()
  const shown = () => store.part(sessionID, "msg_000002", "prt_000003")
  server.stream(open, "then by us")
  await settle()
  expect(shown()).toMatchObject({ text: "" })
  // The log is late; the message is read again until it is not, later and later.
  const waits: number[] = []
  for (let n = 0; n < 3; n++) {
    await settle()
    waits.push(...clock.due)
    await clock.advance(clock.due[0] ?? 0)
  }
  server.logTexts()
  await settle()
  expect(waits).toEqual([250, 500, 1_000])
  expect(shown()).toMatchObject({ text: "seen by others, then by us" })
  expect(clock.pending).toBe(0)
})

test("what cannot be read is tried again, later and later, and says so; a stream that goes on hurries it", async () => {
  const { server, clock, store, told, watch, settle, arrive } = setUp()
  server.connect()
  await settle()
  watch("connection")
  store.open(sessionID)
  const waits: number[] = []
  for (let n = 0; n < 9; n++) {
    await clock.advance(0)
    for (const read of server.reads) read.fail()
    await clock.advance(0)
    waits.push(clock.due[0] ?? 0)
    if (n < 8) await clock.advance(waits.at(-1) ?? 0)
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(store.connection()).toEqual({ state: "live", problem: "no answer" })
  store.lost()
  server.connect(0)
  arrive()
  await settle()
  expect(store.transcript(sessionID).state).toBe("ready")
  expect(store.connection()).toEqual({ state: "live" })
  expect(told).toContain("connection")
})

describe("sessions", () => {
  const update = (id: string, updated: number) => {
    return { type: "session.updated", properties: { sessionID: id, info: session(id, updated) } } as const
  }

  test("the list has as many as were asked for; one of the rest does not slip in at its end", async () => {
    const { server, store, settle } = setUp(0, { sessions: 2 })
    for (const [n, id] of ["ses_b", "ses_c", "ses_d"].entries())
      server.append({ type: "session.created", properties: { sessionID: id, info: session(id, n + 2) } })
    server.connect()
    await settle()
    expect(store.sessions()).toEqual({ ids: ["ses_d", "ses_c"], more: true })
    store.take({ ...update("ses_1", 1), seq: 900 })
    store.take({ ...update("ses_c", 9), seq: 901 })
    expect(store.sessions()).toEqual({ ids: ["ses_c", "ses_d"], more: true })
    expect(store.counts().sessions).toBe(2)
    store.moreSessions()
    await settle()
    expect(store.sessions()).toEqual({ ids: ["ses_d", "ses_c", "ses_b", "ses_1"], more: false })
  })

  test("only those that belong into it are in the list; one that is open is known all the same", async () => {
    const server = new ModelServer()
    const lists = (each: { parentID?: string | undefined }) => each.parentID === undefined
    await using store = createViewStore({ source: server.source, clock: new TestClock(), lists })
    using _open = store.open("ses_child")
    const info = { ...session("ses_child"), parentID: sessionID }
    store.take({ type: "session.created", properties: { sessionID: "ses_child", info } })
    expect(store.sessions().ids).toEqual([])
    expect(store.session("ses_child")).toEqual(info)
  })

  test("one that does not exist is said to be missing, until it does", async () => {
    const { server, store, settle } = setUp()
    server.connect()
    store.open("ses_x")
    await settle()
    expect(store.transcript("ses_x").state).toBe("missing")
    server.append({ type: "session.created", properties: { sessionID: "ses_x", info: session("ses_x") } })
    await settle()
    expect(store.transcript("ses_x").state).toBe("ready")
  })

  test("a deleted one is gone with all that it had", async () => {
    const { server, store, settle } = setUp()
    server.connect()
    store.open(sessionID)
    server.append({ type: "session.inbox.added", properties: { sessionID, item: waiting("inb_1") } })
    server.append({ type: "permission.asked", properties: permission("per_1") })
    await settle()
    expect([store.inbox(sessionID).length, store.asks().length]).toEqual([1, 1])
    server.append({ type: "session.deleted", properties: { sessionID, info: session() } })
    await settle()
    expect(store.transcript(sessionID)).toEqual({ state: "missing", ids: [], more: false })
    expect([store.inbox(sessionID).length, store.asks().length, store.sessions().ids.length]).toEqual([0, 0, 0])
    expect(store.session(sessionID)).toBeUndefined()
  })
})

test("those that wait are in the order in which they will be taken", async () => {
  const { server, store, settle } = setUp()
  server.connect()
  store.open(sessionID)
  const add = (id: string, rank?: number) => {
    return { type: "session.inbox.added", properties: { sessionID, item: waiting(id, rank) } } as const
  }
  server.append(add("inb_3"), add("inb_1"), add("inb_2"))
  await settle()
  const order = () => store.inbox(sessionID).map(({ id }) => id)
  expect(order()).toEqual(["inb_3", "inb_1", "inb_2"])
  const moved = { type: "session.inbox.updated", properties: { sessionID, item: waiting("inb_2", 0) } } as const
  server.append(moved)
  await settle()
  expect(order()).toEqual(["inb_2", "inb_3", "inb_1"])
})

test("10,000 messages, walked through to the first and jumped about in 100 times, hold three pages", async () => {
  const { server, store, settle } = setUp(10_000)
  server.connect()
  store.open(sessionID)
  await settle()
  let most = 0
  const note = () => (most = Math.max(most, store.counts().held))
  while (store.transcript(sessionID).more) {
    store.older(sessionID)
    await settle()
    note()
  }
  expect(store.transcript(sessionID).ids).toHaveLength(10_000)
  for (let n = 0; n < 100; n++) {
    const place = (n * 7_919) % 9_990
    store.look(sessionID, place, place + 9)
    await settle()
    expect(store.message(sessionID, numbered("msg", place + 1))).toBeDefined()
    note()
  }
  expect(most).toBe(600)
  expect(store.counts()).toMatchObject({ transcripts: 1, messages: 10_000, heldParts: 600, loads: 0, listeners: 0 })
})

test("transcripts that nobody holds are kept for a while, the last ones only", async () => {
  const { server, store, settle } = setUp(5, { closed: 2 })
  for (let n = 0; n < 6; n++) {
    const id = `ses_x${n}`
    server.append({ type: "session.created", properties: { sessionID: id, info: session(id, n + 10) } })
    server.append({ type: "message.updated", properties: { sessionID: id, info: user(`msg_x${n}`, id) } })
  }
  server.connect()
  await settle()
  for (let n = 0; n < 6; n++) {
    using _open = store.open(`ses_x${n}`)
    await settle()
  }
  expect(store.counts()).toMatchObject({ transcripts: 2, messages: 2 })
  expect(store.transcript("ses_x5").state).toBe("ready")
  expect(store.transcript("ses_x0").state).toBe("closed")
})

test("20,000 pieces of text are told in as few batches as there were frames", async () => {
  const { server, store, told, watch, settle } = setUp()
  const part = text({ id: "prt_000003", messageID: "msg_000002" }, "")
  server.append({ type: "message.part.updated", properties: { sessionID, part, time: 1 } })
  server.connect()
  store.open(sessionID)
  await settle()
  watch("part:prt_000003")
  watch("message:msg_000002")
  watch(`transcript:${sessionID}`)
  const [open] = server.openTexts()
  if (!open) return expect.unreachable()
  for (let n = 0; n < 20_000; n++) {
    server.stream(open, "abc ")
    if (n % 1_000 === 999) await settle()
  }
  expect(told).toEqual(Array.from({ length: 20 }, () => "part:prt_000003" as const))
  expect(store.part(sessionID, "msg_000002", "prt_000003")).toMatchObject({ text: "abc ".repeat(20_000) })
})

test("disposing ends what is read, and leaves no timer", async () => {
  const { server, clock, store, arrive } = setUp()
  server.connect()
  store.open(sessionID)
  arrive()
  await clock.advance(0)
  for (const read of server.reads.slice(0, 2)) read.fail()
  await clock.advance(0)
  const [waiting] = server.reads
  const disposed = store[Symbol.asyncDispose]()
  for (const read of server.reads) read.answer()
  await disposed
  expect(waiting).toBeDefined()
  expect(clock.pending).toBe(0)
  expect(store.counts().loads).toBe(0)
})
