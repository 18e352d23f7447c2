import { expect, test } from "bun:test"
import { connect as connectSocket } from "node:net"
import { gate } from "@cairn/testkit/gate"
import { text, toolCall, waitFor } from "@cairn/testkit/scenario"
import type { WireEvent } from "@cairn/schema/wire-event"
import { type Bench, bench } from "./bench.ts"
import { emptyView, take } from "./event/view.ts"
import { type Heard, type Listener, listen } from "./event/listener.ts"

/** Opens a stream of the server, and hears until something is heard. */
async function open(it: Bench, path: string, headers: Record<string, string> = {}) {
  const response = await it.open(path, headers)
  const waiting = new Set<() => void>()
  if (!response.body) throw new Error("no stream")
  const listener = listen(response.body, () => {
    for (const look of waiting) look()
  })
  /** Resolves with the first event of a kind, or that a condition picks. */
  const until = (wanted: string | ((event: WireEvent) => boolean)): Promise<Heard> =>
    new Promise((resolve) => {
      const look = () => {
        const found = listener.heard.find(({ event }) =>
          typeof wanted === "string" ? event.type === wanted : wanted(event),
        )
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  return { response, listener, until }
}

const typesOf = ({ heard }: Listener): string[] => heard.map(({ event }) => event.type)

test("a turn is told as it happens, to its directory and to all, in the original's shapes", async () => {
  await using it = await bench([[text("Hello there.")]])
  const local = await open(it, "/event")
  const all = await open(it, "/global/event")
  expect(Object.fromEntries(local.response.headers)).toMatchObject({
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
  })
  await Promise.all([local.until("server.connected"), all.until("server.connected")])
  const { id } = (await it.call("POST", "/session", {})).json
  await it.call("POST", `/session/${id}/message`, { parts: [{ type: "text", text: "hi" }] })
  await Promise.all([local.until("session.turn.ended"), all.until("session.turn.ended")])
  const types = typesOf(local.listener)
  for (const type of ["session.created", "session.status", "message.updated", "message.part.updated", "session.idle"])
    expect(types).toContain(type)
  // The stream of all begins with the answers of the server's own directory too: the same events in the same order.
  const own = all.listener.heard.filter(({ directory }) => directory === it.workspace.dir).map(({ event }) => event)
  expect(own).toEqual(
    local.listener.heard.filter(({ event }) => !event.type.startsWith("server.")).map(({ event }) => event),
  )
  await Promise.all([local.listener.leave(), all.listener.leave()])
})

test("a client that comes back with Last-Event-ID is told of a question that waits, and of what is written", async () => {
  const rest = gate()
  await using it = await bench(
    [
      [toolCall("bash", { command: "touch made.txt" })],
      [text("Half", { chunks: 1 }), waitFor(rest), text(" and half.")],
    ],
    {
      config: { permission: { bash: "ask" } },
    },
  )
  const first = await open(it, "/global/event")
  const { id } = (await it.call("POST", "/session", {})).json
  const turn = it.call("POST", `/session/${id}/message`, { parts: [{ type: "text", text: "go" }] })
  const ask = await first.until("permission.asked")
  await first.listener.leave()
  const fresh = await open(it, "/event")
  const asked = await fresh.until("permission.asked")
  expect(asked.event.properties).toEqual(ask.event.properties)
  const permission = ask.event.properties as { id: string }
  await it.call("POST", `/permission/${permission.id}/reply`, { reply: "once" })
  await fresh.until("message.part.delta")
  await fresh.listener.leave()
  const second = await open(it, "/event", { "last-event-id": ask.cursor! })
  const copy = await second.until((event) => event.type === "message.part.updated" && textOf(event) === "Half")
  expect(copy.cursor).toBeUndefined()
  expect(typesOf(second.listener)).toContain("permission.replied")
  rest.open()
  await turn
  await second.until("session.turn.ended")
  const view = emptyView()
  expect(
    second.listener.heard.map(({ event }) => take(view, event)).filter((problem) => problem !== undefined),
  ).toEqual([])
  const whole = (await it.call("GET", `/session/${id}/message`)).json.at(-1)
  for (const part of whole.parts) expect(view.parts.get(part.id)).toEqual(part)
  await second.listener.leave()
})

function textOf(event: WireEvent): string | undefined {
  if (event.type !== "message.part.updated" || event.properties.part.type !== "text") return undefined
  return event.properties.part.text
}

test("an engine stays while somebody listens to it, and goes when nobody does", async () => {
  await using it = await bench([], { server: { idleMs: 0 } })
  const local = await open(it, "/event")
  await local.until("server.connected")
  await it.call("GET", "/session")
  expect(it.server.instances.engines()).toHaveLength(1)
  const closed = gate()
  it.server.instances.observe({ opened: () => undefined, closed: () => closed.open() })
  await local.listener.leave()
  await closed.opened
  expect(it.server.instances.engines()).toHaveLength(0)
})

test("disposing a directory ends its streams; a stream of all goes on with the next engine", async () => {
  await using it = await bench()
  const local = await open(it, "/event")
  const all = await open(it, "/global/event")
  await Promise.all([local.until("server.connected"), all.until("server.connected")])
  await it.call("POST", "/instance/dispose", {})
  await local.until("server.instance.disposed")
  expect((await all.until("server.instance.disposed")).directory).toBe(it.workspace.dir)
  await it.call("POST", "/session", {})
  await all.until("session.created")
  expect(local.listener.over).toBe(true)
  await all.listener.leave()
})

test("a server that stops ends the streams of clients that read, and is not held up by one that does not", async () => {
  await using it = await bench()
  const local = await open(it, "/event")
  const all = await open(it, "/global/event")
  await Promise.all([local.until("server.connected"), all.until("server.connected")])
  const hanging = connectSocket(Number(it.server.url.port), "127.0.0.1")
  const closed = gate()
  hanging.on("close", closed.open)
  hanging.write(`GET /global/event HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${it.authorization}\r\n\r\n`)
  await new Promise<void>((resolve) => hanging.once("data", () => resolve()))
  hanging.pause()
  await it.server.stop()
  await all.until("server.stream.ended")
  await local.until("server.instance.disposed")
  hanging.resume()
  await closed.opened
})

test("a stream needs the token, as every call does", async () => {
  await using it = await bench()
  for (const path of ["/event", "/global/event"]) {
    const refused = await it.call("GET", path, undefined, { headers: { authorization: "Bearer wrong" } })
    expect(refused.status).toBe(401)
    const foreign = await it.call("GET", path, undefined, { headers: { origin: "https://evil.example" } })
    expect(foreign.status).toBe(403)
  }
})
