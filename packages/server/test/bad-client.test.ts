import { connect, type Socket } from "node:net"
import { expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { hang, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { type Bench, bench } from "./bench.ts"

const ask = (words: string) => ({ parts: [{ type: "text", text: words }] })
const authorization = "Authorization: Bearer test-token-of-the-bench"

/** A connection on which bytes are written by hand. */
async function open({ server }: Bench): Promise<{ socket: Socket; heard: Promise<string> }> {
  const answer = Promise.withResolvers<string>()
  let text = ""
  const socket = connect(Number(server.url.port), server.url.hostname)
  socket.on("data", (data) => {
    text += data.toString()
    if (/\r\n\r\n\{.*\}$/s.test(text)) answer.resolve(text)
  })
  socket.on("close", () => answer.resolve(text))
  socket.on("error", answer.reject)
  await new Promise<void>((resolve) => socket.once("connect", resolve))
  return { socket, heard: answer.promise }
}

test("a body that trickles in is waited for so long and no longer, and others are served meanwhile", async () => {
  const clock = new TestClock()
  await using it = await bench([], { server: { clock } })
  const { socket, heard } = await open(it)
  socket.write(
    `POST /session HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  )
  await clock.timers(1)
  for (let second = 0; second < 29; second++) {
    socket.write(" ")
    await clock.advance(1_000)
  }
  expect((await it.call("GET", "/global/health")).status).toBe(200)
  await clock.advance(1_000)
  const answer = await heard
  expect(answer).toStartWith("HTTP/1.1 400")
  expect(answer).toContain(`"message":"The body did not arrive within 30 s."`)
  expect((await it.call("GET", "/session")).json).toEqual([])
  socket.destroy()
})

test("a body that breaks off changes nothing", async () => {
  await using it = await bench()
  const { socket } = await open(it)
  socket.write(
    `POST /session HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":"x"}`,
  )
  await new Promise<void>((resolve) => {
    socket.once("close", resolve)
    socket.destroy()
  })
  expect((await it.call("GET", "/session")).json).toEqual([])
})

test("a client that goes in the middle of a turn loses nothing: the turn goes on to its end", async () => {
  const held = gate()
  await using it = await bench([
    [toolCall("write", { filePath: "a.txt", content: "a" }), waitFor(held)],
    [text("Done.")],
  ])
  const { id } = (await it.call("POST", "/session")).json
  const { socket } = await open(it)
  const body = JSON.stringify(ask("write it"))
  socket.write(
    `POST /session/${id}/message HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await it.model.received(0)
  const [engine] = it.server.instances.engines()
  const idle = new Promise<void>((resolve) => {
    engine?.subscribe((event) => event.type === "session.idle" && resolve())
  })
  await new Promise<void>((resolve) => {
    socket.once("close", resolve)
    socket.destroy()
  })
  held.open()
  await idle
  const messages = (await it.call("GET", `/session/${id}/message`)).json
  expect(messages.at(-1)).toMatchObject({ info: { finish: "stop" }, parts: expect.arrayContaining([]) })
  expect(await it.workspace.read("a.txt")).toBe("a")
})

test("a session of another project is unknown there; in its own it is worked on in its own directory", async () => {
  await using it = await bench([[text("here")]], { files: { "inner/a.txt": "" } })
  await using other = await tempWorkspace({ files: { "b.txt": "" }, git: true })
  const at = (directory: string) => `?directory=${encodeURIComponent(directory)}`
  const { id } = (await it.call("POST", `/session${at(`${it.workspace.dir}/inner`)}`)).json
  for (const [method, path, body] of [
    ["GET", `/session/${id}`],
    ["GET", `/session/${id}/message`],
    ["PATCH", `/session/${id}`, { title: "stolen" }],
    ["DELETE", `/session/${id}`],
    ["POST", `/session/${id}/message`, ask("go")],
    ["POST", `/session/${id}/shell`, { command: "touch /tmp/never" }],
    ["POST", `/session/${id}/fork`],
    ["POST", `/session/${id}/abort`],
    ["GET", `/session/${id}/inbox`],
  ] as const) {
    const got = await it.call(method, `${path}${at(other.dir)}`, body)
    expect([method, path, got.status, got.json.name]).toEqual([method, path, 404, "NotFoundError"])
  }
  const header = { headers: { "x-opencode-directory": encodeURIComponent(it.workspace.dir) } }
  const answer = await it.call("POST", `/session/${id}/message`, ask("where?"), header)
  expect(answer.json.info.path).toEqual({ cwd: `${it.workspace.dir}/inner`, root: it.workspace.dir })
  expect((await it.call("GET", `/session/${id}`)).json.title).not.toBe("stolen")
})

test("a session whose directory is gone is still read where the project is", async () => {
  await using it = await bench([], { files: { "inner/a.txt": "" } })
  const inner = `${it.workspace.dir}/inner`
  const { id } = (await it.call("POST", `/session?directory=${encodeURIComponent(inner)}`)).json
  await it.server.instances.dropAll()
  const { rm } = await import("node:fs/promises")
  await rm(inner, { recursive: true })
  expect((await it.call("GET", `/session/${id}`)).json).toMatchObject({ id, directory: inner })
})

test("what runs when the server stops is recorded as interrupted, its callers are answered, and nobody else comes in", async () => {
  await using it = await bench((_request, call) => (call < 3 ? [hang()] : [text("never")]))
  const ids: string[] = []
  for (let number = 0; number < 3; number++) ids.push((await it.call("POST", "/session")).json.id)
  const answers = ids.map((id) => it.call("POST", `/session/${id}/message`, ask("go")))
  const idle = await open(it)
  for (let call = 0; call < 3; call++) await it.model.received(call)
  const polled = it.call("GET", "/tui/control/next")
  await it.call("GET", "/session/status")
  await it.server.stop()
  for (const answer of answers)
    expect((await answer).json.info).toMatchObject({ error: { name: "MessageAbortedError" }, role: "assistant" })
  expect((await polled).status).toBe(503)
  await expect(it.call("GET", "/global/health")).rejects.toThrow()
  idle.socket.destroy()
  const engine = await it.openEngine(it.workspace.dir)
  if (!engine.ok) throw new Error(engine.error.message)
  await using opened = engine.value
  for (const id of ids)
    expect(opened.messages(id).at(-1)?.info).toMatchObject({ error: { name: "MessageAbortedError" } })
  expect((await opened.verify()).problems).toEqual([])
})
