import { expect, test } from "bun:test"
import { aliases } from "../src/aliases.ts"
import { text } from "@cairn/testkit/scenario"
import { bench } from "./bench.ts"
import { originalOf } from "./original-api.ts"

test("what is called on the interface is fetched by the client that asks for it", async () => {
  await using it = await bench()
  const { id } = (await it.call("POST", "/session")).json
  const next = () => it.call("GET", "/tui/control/next")
  const first = next()
  const calls: [string, object?][] = [
    ["append-prompt", { text: "hello" }],
    ["open-help"],
    ["show-toast", { message: "done", variant: "success" }],
    ["execute-command", { command: "session.new" }],
    ["select-session", { sessionID: id }],
    ["publish", { type: "tui.prompt.append", properties: { text: "x" } }],
  ]
  for (const path of ["open-sessions", "open-themes", "open-models", "submit-prompt", "clear-prompt"])
    calls.push([path])
  // The first call may come before the client does: it is sent until it is heard.
  let heard: any
  void first.then((answer) => (heard = answer.json))
  while (heard === undefined) expect((await it.call("POST", `/tui/${calls[0]?.[0]}`, calls[0]?.[1])).json).toBe(true)
  expect(heard).toEqual({ path: "/tui/append-prompt", body: { text: "hello" } })
  for (const [path, body] of calls.slice(1)) {
    expect((await it.call("POST", `/tui/${path}`, body)).json).toBe(true)
    let answer = (await next()).json
    while (answer.path === "/tui/append-prompt") answer = (await next()).json
    expect(answer).toEqual({ path: `/tui/${path}`, body: body ?? {} })
  }
  expect((await it.call("POST", "/tui/control/response", { any: "thing" })).json).toBe(true)
  expect((await it.call("POST", "/tui/select-session", { sessionID: "ses_none" })).status).toBe(404)
  expect((await it.call("POST", "/tui/show-toast", { message: "x", variant: "loud" })).status).toBe(400)
})

test("what is called on the interface is heard by those who listen to events", async () => {
  await using it = await bench()
  const stream = await fetch(new URL("/event", it.server.url), {
    headers: { authorization: "Bearer test-token-of-the-bench" },
  })
  const heard: any[] = []
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  const until = async (type: string) => {
    let text = ""
    while (!text.includes(`"type":"${type}"`)) text += (await reader.read()).value ?? ""
    for (const line of text.split("\n")) if (line.startsWith("data: ")) heard.push(JSON.parse(line.slice(6)))
  }
  await until("server.connected")
  await it.call("POST", "/tui/append-prompt", { text: "hello" })
  await it.call("POST", "/tui/open-sessions")
  await until("tui.command.execute")
  await reader.cancel()
  expect(heard.filter(({ type }) => type.startsWith("tui.")).map(({ type, properties }) => [type, properties])).toEqual(
    [
      ["tui.prompt.append", { text: "hello" }],
      ["tui.command.execute", { command: "session.list" }],
    ],
  )
})

test("a client that waits is let go when the server stops", async () => {
  await using it = await bench()
  const waiting = it.call("GET", "/tui/control/next")
  await it.call("POST", "/session")
  await it.server.stop()
  expect((await waiting).status).toBe(503)
})

test("the other names of operations do the same, and take no name that the original has", async () => {
  for (const { method, path } of aliases)
    expect(originalOf(method, path.replaceAll("{sessionID}", "ses_x"))).toBeUndefined()
  await using it = await bench([[text("one")]])
  const { id } = (await it.call("POST", "/session")).json
  const answer = await it.call("POST", `/session/${id}/prompt`, { parts: [{ type: "text", text: "go" }] })
  expect(answer.json.parts).toContainEqual(expect.objectContaining({ text: "one" }))
  expect((await it.call("POST", `/session/${id}/compact`)).json).toBe(true)
  expect((await it.call("POST", `/session/${id}/summarize`, { providerID: "test" })).status).toBe(400)
  expect((await it.call("GET", "/global")).json).toMatchObject({ healthy: true })
  expect((await it.call("POST", "/permission", { requestID: "per_none", reply: "once" })).status).toBe(404)
  expect((await it.call("POST", "/permission", { reply: "once" })).status).toBe(400)
  expect((await it.call("POST", "/question", { requestID: "que_none", answers: [] })).status).toBe(404)
  expect((await it.call("POST", "/question", { requestID: 7, answers: [] })).status).toBe(400)
})
