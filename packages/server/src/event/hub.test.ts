import { describe, expect, test } from "bun:test"
import { silentLog } from "@cairn/kernel/log"
import * as make from "../../test/event/events.ts"
import { connect, listen, settled } from "../../test/event/listener.ts"
import { type TestSources, testSources } from "../../test/event/sources.ts"
import { createEventHub, type HubOptions } from "./hub.ts"

const { created, growing, message, part, piece, renamed, turnEnded, turnStarted } = make

function setUp(options: Partial<HubOptions> = {}) {
  const sources = testSources()
  const hub = createEventHub({ instances: sources, clock: sources.clock, log: silentLog, ...options })
  return {
    ...{ sources, hub, clock: sources.clock },
    [Symbol.dispose]() {
      hub[Symbol.dispose]()
      sources[Symbol.dispose]()
    },
  }
}

/** A session whose turn writes a text. */
function begin(sources: TestSources, directory: string, id: string) {
  const source = sources.open(directory)
  source.store.append(id, [created(id, directory)])
  source.store.begin(id, `run_${id}`, [turnStarted(id, `run_${id}`), message(make.assistant(id, `msg_${id}`))])
  source.running.set(id, { type: "busy" })
  source.store.publish(make.status(id, "busy"))
  const text = growing(id, `msg_${id}`, `prt_${id}`)
  source.store.append(id, [part(text)])
  return { source, text }
}

describe("a stream", () => {
  test("begins with server.connected, and tells what happens in its directory, with a cursor where it is stored", async () => {
    using it = setUp()
    const a = it.sources.open("/a")
    const b = it.sources.open("/b")
    const local = connect(it.hub, { directory: "/a" })
    const all = connect(it.hub)
    await settled()
    a.store.append("ses_1", [created("ses_1", "/a")])
    b.store.append("ses_2", [created("ses_2", "/b")])
    a.store.publish({ type: "session.compacted", properties: { sessionID: "ses_1" } })
    await settled()
    const id = a.store.log.id
    expect(local.heard.map(({ cursor, event }) => [cursor, event.type])).toEqual([
      [`0.${id}`, "server.connected"],
      [`1.${id}`, "session.created"],
      [undefined, "session.compacted"],
    ])
    expect(local.heard[0]?.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "server.connected",
      properties: {},
    })
    expect(local.heard[1]?.event).toEqual({ id: a.store.cursor(0)[0]!.id, ...created("ses_1", "/a") })
    expect(all.heard.map(({ cursor, directory, project, event }) => [cursor, directory, project, event.type])).toEqual([
      [`0.${id}`, undefined, undefined, "server.connected"],
      [`1.${id}`, "/a", "project of /a", "session.created"],
      [`2.${id}`, "/b", "project of /b", "session.created"],
      [undefined, "/a", "project of /a", "session.compacted"],
    ])
  })

  test("hears every 10 s that it works, with a cursor to go on from", async () => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    const local = connect(it.hub, { directory: "/b" })
    const all = connect(it.hub)
    await settled()
    store.append("ses_1", [created("ses_1", "/a")])
    await it.clock.advance(9_999)
    expect(local.types).toEqual(["server.connected"])
    await it.clock.advance(1)
    expect(local.heard.at(-1)).toMatchObject({
      cursor: `1.${store.log.id}`,
      event: { type: "server.heartbeat", properties: {} },
    })
    expect(all.heard.at(-1)).toMatchObject({ directory: undefined, event: { type: "server.heartbeat" } })
    await it.clock.advance(20_000)
    expect(local.types.filter((type) => type === "server.heartbeat")).toHaveLength(3)
  })

  test("without an engine there is nothing to tell until one comes", async () => {
    using it = setUp()
    const all = connect(it.hub)
    await settled()
    const { store } = it.sources.open("/a")
    store.append("ses_1", [created("ses_1", "/a")])
    await settled()
    expect(all.heard.map(({ cursor, event }) => [cursor, event.type])).toEqual([
      [undefined, "server.connected"],
      [`1.${store.log.id}`, "session.created"],
    ])
  })

  test("a project is told of where it is, and to all", async () => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    const [here, there, all] = [
      connect(it.hub, { directory: "/a" }),
      connect(it.hub, { directory: "/b" }),
      connect(it.hub),
    ]
    const project = { id: "p1", worktree: "/a", vcs: "git" as const, time: { created: 1, updated: 1 }, sandboxes: [] }
    store.append("p1", [{ type: "project.updated", properties: project }])
    await settled()
    expect([here, there, all].map(({ types }) => types.includes("project.updated"))).toEqual([true, false, true])
    expect(all.heard.at(-1)).toMatchObject({ directory: "/a", project: "p1" })
  })
})

describe("a stream that goes on after another one", () => {
  test("is told what came since, without deltas, then what is open, then what happens", async () => {
    using it = setUp()
    const { source, text } = begin(it.sources, "/a", "ses_1")
    const first = connect(it.hub, { directory: "/a" })
    await settled()
    await first.leave()
    source.store.append("ses_1", [renamed("ses_1", "/a", "meanwhile"), piece(text, "He", 0)])
    source.store.publish(piece(text, "Hel", 0))
    const second = connect(it.hub, { directory: "/a", after: first.cursor })
    await settled()
    source.store.publish(piece(text, "lo", 3))
    await settled()
    expect(
      second.heard.map(({ event }) => [event.type, "part" in event.properties ? event.properties.part : undefined]),
    ).toEqual([
      ["server.connected", undefined],
      ["session.updated", undefined],
      ["session.status", undefined],
      ["message.part.updated", { ...text, text: "Hel" }],
      ["message.part.delta", undefined],
    ])
    expect(second.heard[0]?.cursor).toBe(first.cursor)
    expect(second.heard.at(-1)?.event).toMatchObject(piece(text, "lo", 3))
  })

  test("misses nothing and is told nothing twice, although events come while it reads", async () => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    store.append("ses_1", [created("ses_1", "/a")])
    for (let n = 0; n < 450; n++) store.append("ses_1", [renamed("ses_1", "/a", `${n}`)])
    const opened = it.hub.open({ directory: "/a", after: `1.${store.log.id}`, ended: () => undefined })
    if (!opened.ok) throw new Error("no stream")
    const late = connect(it.hub, { directory: "/a" })
    await settled()
    store.append("ses_1", [renamed("ses_1", "/a", "450")])
    const listener = listen(opened.value)
    for (let n = 451; n < 500; n++) {
      store.append("ses_1", [renamed("ses_1", "/a", `${n}`)])
      await settled()
    }
    const titles = listener.heard.flatMap(({ event }) =>
      event.type === "session.updated" ? [event.properties.info.title] : [],
    )
    expect(titles).toEqual(Array.from({ length: 500 }, (_, n) => `${n}`))
    expect(new Set(listener.heard.map(({ event }) => event.id)).size).toBe(listener.heard.length)
    expect(late.heard.length).toBe(51)
  })

  test("only what is of its directory is sent, and a long stretch of nothing does not stop it", async () => {
    using it = setUp()
    const [a, b] = [it.sources.open("/a"), it.sources.open("/b")]
    a.store.append("ses_1", [created("ses_1", "/a")])
    b.store.append("ses_2", [created("ses_2", "/b")])
    for (let n = 0; n < 350; n++) b.store.append("ses_2", [renamed("ses_2", "/b", `${n}`)])
    a.store.append("ses_1", [renamed("ses_1", "/a", "the last")])
    const listener = connect(it.hub, { directory: "/a", after: `1.${a.store.log.id}` })
    await settled()
    expect(listener.types).toEqual(["server.connected", "session.updated"])
  })

  const cursors = ["", "7", "x.y", "-1.abc", "1.another", "99.ID", "999999999999999999.ID"]
  test.each(cursors)("after %p, which means nothing here, all is to be read again", async (cursor) => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    store.append("ses_1", [created("ses_1", "/a")])
    const listener = connect(it.hub, { after: cursor.replace("ID", store.log.id) })
    await settled()
    expect(listener.heard).toMatchObject([
      { cursor: `1.${store.log.id}`, event: { type: "server.connected", properties: { resync: true } } },
    ])
  })

  test("after too much has happened, all is to be read again", async () => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    store.append("ses_1", [created("ses_1", "/a")])
    const many = Array.from({ length: 20_001 }, (_, n) => renamed("ses_1", "/a", `${n}`))
    store.append("ses_1", many)
    const listener = connect(it.hub, { after: `1.${store.log.id}` })
    await settled()
    expect(listener.heard).toHaveLength(1)
    expect(listener.heard[0]?.event.properties).toEqual({ resync: true })
  })
})

describe("what waits for an answer", () => {
  test("is asked again when a stream begins, where it is asked", async () => {
    using it = setUp()
    const [a, b] = [it.sources.open("/a"), it.sources.open("/b")]
    a.store.append("ses_1", [created("ses_1", "/a"), make.asked("ses_1", "per_1"), make.asked("ses_1", "per_2")])
    a.store.append("ses_1", [make.replied("ses_1", "per_1")])
    b.store.append("ses_2", [created("ses_2", "/b"), make.questioned("ses_2", "que_1")])
    const asks = (of: { heard: readonly { event: { properties: object } }[] }) =>
      of.heard.flatMap(({ event }) => ("id" in event.properties ? [event.properties.id] : []))
    const [all, local] = [connect(it.hub), connect(it.hub, { directory: "/a" })]
    await settled()
    expect([asks(all), asks(local)]).toEqual([["per_2", "que_1"], ["per_2"]])
    expect(all.heard.map(({ directory }) => directory)).toEqual([undefined, "/a", "/b"])
  })
})

describe("what a session does", () => {
  test("busy and idle are told once, before the entry of the log that says so", async () => {
    using it = setUp()
    const listener = connect(it.hub)
    await settled()
    const { source } = begin(it.sources, "/a", "ses_1")
    await settled()
    source.store.end("ses_1", "run_ses_1", [turnEnded("ses_1", "run_ses_1")])
    source.store.publish(make.status("ses_1", "idle"))
    source.store.publish({ type: "session.idle", properties: { sessionID: "ses_1" } })
    source.store.publish(make.status("ses_1", "busy"))
    await settled()
    const told = listener.types.filter((type) => /turn|status|idle/.test(type))
    expect(told).toEqual([
      "session.status",
      "session.turn.started",
      "session.status",
      "session.idle",
      "session.turn.ended",
      "session.status",
    ])
  })

  test("rows that a step changed are told with it", async () => {
    using it = setUp()
    const listener = connect(it.hub, { directory: "/a" })
    const { store } = it.sources.open("/a")
    store.append("ses_1", [created("ses_1", "/a"), message(make.user("ses_1", "msg_1"))])
    store.append("ses_1", [message(make.assistant("ses_1", "msg_2", "msg_1"))])
    const changed = { file: "a.txt", status: "added", additions: 3, deletions: 0 } as const
    const properties = { sessionID: "ses_1", messageID: "msg_2", parentID: "msg_1", files: [changed] }
    store.append("ses_1", [{ type: "session.step.changed", properties }])
    await settled()
    const told = listener.heard.slice(-3).map(({ cursor, event }) => [cursor !== undefined, event.type])
    expect(told).toEqual([
      [false, "session.updated"],
      [false, "message.updated"],
      [true, "session.step.changed"],
    ])
    expect(listener.heard.at(-3)?.event.properties).toEqual({ sessionID: "ses_1", info: store.read.session("ses_1")! })
    expect(listener.heard.at(-2)?.event.properties).toEqual({ sessionID: "ses_1", info: store.read.message("msg_1")! })
    expect(store.read.session("ses_1")?.summary).toMatchObject({ additions: 3 })
  })
})

describe("what other processes do", () => {
  test("is told within 250 ms, in the order of the log, with the text that they store", async () => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    const other = it.sources.elsewhere()
    const listener = connect(it.hub)
    await settled()
    other.append("ses_9", [created("ses_9", "/z")])
    other.begin("ses_9", "run_9", [turnStarted("ses_9", "run_9"), message(make.assistant("ses_9", "msg_9"))])
    const text = growing("ses_9", "msg_9", "prt_9")
    other.append("ses_9", [part(text), piece(text, "stored", 0)])
    expect(listener.types).toEqual(["server.connected"])
    await it.clock.advance(250)
    other.end("ses_9", "run_9", [turnEnded("ses_9", "run_9")])
    await it.clock.advance(250)
    expect(listener.heard.map(({ directory, event }) => [directory, event.type])).toEqual([
      [undefined, "server.connected"],
      ["/z", "session.created"],
      ["/z", "session.status"],
      ["/z", "session.turn.started"],
      ["/z", "message.updated"],
      ["/z", "message.part.updated"],
      ["/z", "message.part.delta"],
      ["/z", "session.status"],
      ["/z", "session.idle"],
      ["/z", "session.turn.ended"],
    ])
    expect(store.read.session("ses_9")).toBeDefined()
  })

  test("comes before what was stored here after it, at once", async () => {
    using it = setUp()
    const { store } = it.sources.open("/a")
    const other = it.sources.elsewhere()
    const listener = connect(it.hub)
    await settled()
    other.append("ses_9", [created("ses_9", "/z")])
    store.append("ses_1", [created("ses_1", "/a")])
    await settled()
    expect(listener.heard.map(({ directory }) => directory)).toEqual([undefined, "/z", "/a"])
    await it.clock.advance(1_000)
    expect(listener.heard).toHaveLength(3)
  })

  test("an engine tells its own once, also to those who listen through another engine's view of the file", async () => {
    using it = setUp()
    const a = it.sources.open("/a")
    const { source, text } = begin(it.sources, "/b", "ses_2")
    const listener = connect(it.hub)
    await settled()
    source.store.publish(piece(text, "abc", 0))
    source.store.append("ses_2", [piece(text, "abc", 0)])
    await it.clock.advance(1_000)
    a.store.append("ses_1", [created("ses_1", "/a")])
    await it.clock.advance(1_000)
    const pieces = listener.types.filter((type) => type === "message.part.delta")
    expect(pieces).toHaveLength(1)
    expect(listener.types.filter((type) => type === "session.created")).toHaveLength(1)
  })

  test("what they have open when a stream begins is told as it is stored, and goes on from there", async () => {
    using it = setUp()
    it.sources.open("/a")
    const other = it.sources.elsewhere()
    other.append("ses_9", [created("ses_9", "/z")])
    other.begin("ses_9", "run_9", [turnStarted("ses_9", "run_9"), message(make.assistant("ses_9", "msg_9"))])
    const text = growing("ses_9", "msg_9", "prt_9")
    other.append("ses_9", [part(text), piece(text, "so far", 0)])
    const listener = connect(it.hub)
    await settled()
    other.append("ses_9", [piece(text, ", so good", 6)])
    await it.clock.advance(250)
    expect(listener.heard.slice(1).map(({ event }) => event)).toMatchObject([
      { type: "session.status", properties: { sessionID: "ses_9", status: { type: "busy" } } },
      { type: "message.part.updated", properties: { part: { text: "so far" } } },
      piece(text, ", so good", 6),
    ])
  })

  test("what they stored between two looks comes to those who listen before it, and is in what is open to those who come", async () => {
    using it = setUp()
    it.sources.open("/a")
    const other = it.sources.elsewhere()
    other.append("ses_9", [created("ses_9", "/z")])
    other.begin("ses_9", "run_9", [turnStarted("ses_9", "run_9"), message(make.assistant("ses_9", "msg_9"))])
    const text = growing("ses_9", "msg_9", "prt_9")
    other.append("ses_9", [part(text)])
    const first = connect(it.hub)
    await settled()
    other.append("ses_9", [piece(text, "one", 0)])
    const second = connect(it.hub)
    await settled()
    other.append("ses_9", [piece(text, ", two", 3)])
    await it.clock.advance(250)
    const texts = (heard: typeof first.heard) =>
      heard.flatMap(({ event: { type, properties } }) => {
        if (type === "message.part.updated") return "text" in properties.part ? [properties.part.text] : []
        return type === "message.part.delta" ? [`${properties.offset}: ${properties.delta}`] : []
      })
    expect(texts(first.heard)).toEqual(["", "0: one", "3: , two"])
    expect(texts(second.heard)).toEqual(["one", "3: , two"])
  })
})
