import { expect, test } from "bun:test"
import { silentLog } from "@cairn/kernel/log"
import * as make from "../../test/event/events.ts"
import { connect, createParser, listen, settled } from "../../test/event/listener.ts"
import { testSources } from "../../test/event/sources.ts"
import { createEventHub, type EventHub } from "./hub.ts"

const { created, growing, message, part, piece, renamed, turnStarted } = make

async function setUp(mostStreams?: number) {
  const sources = testSources()
  const { clock } = sources
  const hub = createEventHub({ instances: sources, clock, log: silentLog, ...(mostStreams && { mostStreams }) })
  const source = sources.open("/a")
  const { store } = source
  store.append("ses_1", [created("ses_1", "/a")])
  store.begin("ses_1", "run_1", [turnStarted("ses_1", "run_1"), message(make.assistant("ses_1", "msg_1"))])
  const text = growing("ses_1", "msg_1", "prt_1")
  store.append("ses_1", [part(text)])
  let sent = 0
  /** Publishes text as a model writes it. */
  const write = async (pieces: number, length: number) => {
    for (let n = 0; n < pieces; n++) {
      store.publish(piece(text, "x".repeat(length), sent))
      sent += length
      await clock.advance(16)
    }
  }
  return {
    ...{ sources, hub, clock, source, store, text, write },
    get sent() {
      return sent
    },
    [Symbol.dispose]() {
      hub[Symbol.dispose]()
      sources[Symbol.dispose]()
    },
  }
}

/** A client that reads only when it is told to. */
function slow(hub: EventHub, ended: (by: "client" | "server") => void = () => undefined) {
  const opened = hub.open({ directory: "/a", ended })
  if (!opened.ok) throw new Error(opened.error.body.data.message)
  const reader = opened.value.getReader()
  const parse = createParser()
  const decoder = new TextDecoder()
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    /** Reads until nothing comes any more. */
    async readAll() {
      const heard: ReturnType<typeof parse> = []
      let over = false
      let arrived = true
      while (arrived && !over) {
        arrived = false
        void reader.read().then(({ done, value }) => {
          arrived = true
          over = done
          bytes += value?.byteLength ?? 0
          if (value) heard.push(...parse(decoder.decode(value, { stream: true })))
        })
        await settled()
      }
      return { heard, over }
    },
    leave: () => reader.cancel(),
  }
}

/** The text of the part as a client has it that appends every piece. */
const textIn = (heard: Awaited<ReturnType<ReturnType<typeof slow>["readAll"]>>["heard"]) => {
  let text = ""
  for (const { event } of heard) {
    if (event.type === "message.part.updated" && "text" in event.properties.part) text = event.properties.part.text
    if (event.type !== "message.part.delta") continue
    expect(event.properties.offset).toBe(text.length)
    text += event.properties.delta
  }
  return text
}

test("what a slow client did not take comes in larger pieces, and nobody else waits for it", async () => {
  using it = await setUp()
  const fast = connect(it.hub, { directory: "/a" })
  const client = slow(it.hub)
  await settled()
  // The first of these fill the stream.
  await it.write(20, 8_000)
  await it.write(500, 20)
  const { heard } = await client.readAll()
  expect(textIn(heard)).toBe("x".repeat(it.sent))
  const pieces = (of: readonly { event: { type: string } }[]) =>
    of.filter(({ event }) => event.type === "message.part.delta").length
  expect(pieces(fast.heard)).toBe(520)
  expect(pieces(heard)).toBeLessThan(30)
})

test("when too much waits it is let go, and the client reads on from the last entry that it had", async () => {
  using it = await setUp()
  const client = slow(it.hub)
  await settled()
  await it.write(100, 8_000)
  it.store.append("ses_1", [renamed("ses_1", "/a", "meanwhile")])
  it.store.append("ses_1", [piece(it.text, "x".repeat(it.sent), 0)])
  await it.write(2, 8)
  const { heard } = await client.readAll()
  expect(textIn(heard)).toBe("x".repeat(it.sent))
  expect(heard.filter(({ event }) => event.type === "session.updated")).toHaveLength(1)
  // The whole text once, and what was in the stream when it stopped: not all that was written since.
  expect(client.bytes).toBeLessThan(it.sent + 200_000)
  await it.write(3, 8)
  const after = await client.readAll()
  expect(after.heard.map(({ event }) => event.type)).toEqual(
    Array.from({ length: after.heard.length }, () => "message.part.delta"),
  )
  expect(new Set([...heard, ...after.heard].map(({ event }) => event.id)).size).toBe(heard.length + after.heard.length)
})

test("who takes nothing for 30 s is cut with a message, and can go on from where it was", async () => {
  using it = await setUp()
  const ends: string[] = []
  const client = slow(it.hub, (by) => void ends.push(by))
  const quiet = slow(it.hub)
  await settled()
  await quiet.readAll()
  await it.write(40, 8_000)
  await it.clock.advance(29_000)
  expect(ends).toEqual([])
  await it.clock.advance(12_000)
  expect(ends).toEqual(["server"])
  const { heard, over } = await client.readAll()
  expect(over).toBe(true)
  expect(heard.at(-1)?.event).toMatchObject({ type: "server.stream.ended", properties: { reason: "slow" } })
  it.store.append("ses_1", [renamed("ses_1", "/a", "meanwhile")])
  const cursor = heard.findLast((one) => one.cursor !== undefined)?.cursor
  const again = connect(it.hub, { directory: "/a", after: cursor })
  await settled()
  expect(again.types).toEqual(["server.connected", "session.updated", "message.part.updated"])
  expect(textIn([...again.heard])).toBe("x".repeat(it.sent))
})

test("who has nothing to take is not slow, however long nothing happens", async () => {
  using it = await setUp()
  const listener = connect(it.hub, { directory: "/a" })
  await it.clock.advance(10 * 60_000)
  expect(listener.over).toBe(false)
  expect(listener.types.filter((type) => type === "server.heartbeat")).toHaveLength(60)
})

test("an event larger than the stream is given in pieces to those who take it, in order with the rest", async () => {
  using it = await setUp()
  const clients = [slow(it.hub), slow(it.hub)]
  await settled()
  const title = "long ".repeat(200_000)
  it.store.append("ses_1", [renamed("ses_1", "/a", title)])
  await settled()
  it.store.append("ses_1", [renamed("ses_1", "/a", "short")])
  await settled()
  for (const client of clients) {
    const { heard } = await client.readAll()
    const titles = heard.flatMap(({ event }) => (event.type === "session.updated" ? [event.properties.info.title] : []))
    expect(titles).toEqual([title, "short"])
  }
})

test("one stream more than there may be is refused, and one that left makes room", async () => {
  using it = await setUp(2)
  const first = connect(it.hub)
  connect(it.hub, { directory: "/a" })
  const refused = it.hub.open({ ended: () => undefined })
  expect(refused).toMatchObject({
    ok: false,
    error: { status: 503, body: { data: { message: expect.stringContaining("2") } } },
  })
  await settled()
  await first.leave()
  expect(it.hub.size).toBe(1)
  connect(it.hub)
  expect(it.hub.size).toBe(2)
})

test("when all have left nothing is left: no timer, no listener, no watch", async () => {
  using it = await setUp()
  const listeners = [connect(it.hub), connect(it.hub, { directory: "/a" }), connect(it.hub, { directory: "/b" })]
  await it.write(3, 10)
  expect(it.clock.pending).toBeGreaterThan(0)
  for (const listener of listeners) await listener.leave()
  expect([it.hub.size, it.clock.pending]).toEqual([0, 0])
  await it.write(3, 10)
  expect(it.clock.pending).toBe(0)
  const again = connect(it.hub, { directory: "/a" })
  await it.write(1, 10)
  expect(textIn([...again.heard])).toBe("x".repeat(it.sent))
})

test("a stop tells everybody, ends every stream, and takes no more", async () => {
  using it = await setUp()
  const ends: string[] = []
  const listeners = [connect(it.hub), connect(it.hub, { directory: "/a" })]
  const hanging = slow(it.hub, (by) => void ends.push(by))
  await it.write(30, 8_000)
  it.hub[Symbol.dispose]()
  await settled()
  for (const { over, heard } of listeners) {
    expect(over).toBe(true)
    expect(heard.at(-1)?.event).toMatchObject({ type: "server.stream.ended", properties: { reason: "stopped" } })
  }
  const { heard, over } = await hanging.readAll()
  expect([over, ends, heard.at(-1)?.event.type]).toEqual([true, ["server"], "server.stream.ended"])
  expect([it.hub.size, it.clock.pending]).toEqual([0, 0])
  expect(it.hub.open({ ended: () => undefined })).toMatchObject({ ok: false, error: { status: 503 } })
})

test("with its engine the streams of a directory end, after its last events; the others hear of it", async () => {
  using it = await setUp()
  const all = connect(it.hub)
  const own = connect(it.hub, { directory: "/a" })
  const other = connect(it.hub, { directory: "/b" })
  const closing = it.sources.observe({
    opened: () => undefined,
    closing: () => void it.store.append("ses_1", [renamed("ses_1", "/a", "the end")]),
    closed: () => undefined,
  })
  await settled()
  it.sources.close(it.source)
  await settled()
  closing()
  expect(own.types.slice(-2)).toEqual(["session.updated", "server.instance.disposed"])
  expect([own.over, other.over, all.over]).toEqual([true, false, false])
  expect(all.heard.at(-1)).toMatchObject({
    directory: "/a",
    event: { type: "server.instance.disposed", properties: { directory: "/a" } },
  })
  expect(other.types).toEqual(["server.connected"])
  const again = it.sources.open("/a")
  again.store.append("ses_1", [renamed("ses_1", "/a", "again")])
  await settled()
  expect(all.types.at(-1)).toBe("session.updated")
})

test("a log that cannot be read ends the stream of who needs it, and no other", async () => {
  using it = await setUp()
  const fine = connect(it.hub, { directory: "/b" })
  await settled()
  const opened = it.hub.open({ directory: "/a", after: `1.${it.store.log.id}`, ended: () => undefined })
  if (!opened.ok) throw new Error("no stream")
  it.source.database.run("ALTER TABLE event RENAME TO elsewhere")
  const listener = listen(opened.value)
  await settled()
  expect(listener.types).toEqual(["server.connected", "server.stream.ended"])
  expect([listener.over, fine.over]).toEqual([true, false])
})
