import { expect, test } from "bun:test"
import { text, toolCall } from "@cairn/testkit/scenario"
import { bench } from "./bench.ts"

test("a prompt is answered when its turn has ended, with the last message", async () => {
  await using it = await bench([[toolCall("read", { filePath: "a.txt" })], [text("It says hello.")]], {
    files: { "a.txt": "hello\n" },
  })
  const session = (await it.call("POST", "/session", { title: "First" })).json
  expect(session).toMatchObject({ title: "First", directory: it.workspace.dir })
  const answer = await it.call("POST", `/session/${session.id}/message`, {
    parts: [{ type: "text", text: "What does a.txt say?" }],
  })
  expect(answer.status).toBe(200)
  expect(answer.json.info).toMatchObject({ role: "assistant", sessionID: session.id, finish: "stop" })
  expect(answer.json.parts.filter((part: any) => part.type === "text")).toMatchObject([{ text: "It says hello." }])
  const messages = (await it.call("GET", `/session/${session.id}/message`)).json
  expect(messages.map((message: any) => message.info.role)).toEqual(["user", "assistant", "assistant"])
  const one = await it.call("GET", `/session/${session.id}/message/${answer.json.info.id}`)
  expect(one.json).toEqual(answer.json)
})

test("sessions and messages come in pages that a cursor leads through", async () => {
  await using it = await bench([[text("one")], [text("two")]])
  const ids: string[] = []
  for (const title of ["a", "b", "c"]) ids.push((await it.call("POST", "/session", { title })).json.id)
  const seen: string[] = []
  for (let path: string | undefined = "/session?limit=2"; path !== undefined;) {
    const page = await it.call("GET", path)
    seen.push(...page.json.map((session: any) => session.id))
    const next = page.headers.get("x-next-cursor")
    expect(page.headers.get("link")).toBe(
      next === null ? null : `<${it.server.url.origin}/session?limit=2&cursor=${next}>; rel="next"`,
    )
    path = next === null ? undefined : `/session?limit=2&cursor=${next}`
  }
  expect(seen.toSorted()).toEqual(ids.toSorted())
  const path = `/session/${ids[0]}/message`
  for (const words of ["one?", "two?"]) await it.call("POST", path, { parts: [{ type: "text", text: words }] })
  const all = (await it.call("GET", path)).json
  const newest = await it.call("GET", `${path}?limit=3`)
  expect(newest.json).toEqual(all.slice(1))
  const rest = await it.call("GET", `${path}?limit=3&before=${newest.headers.get("x-next-cursor")}`)
  expect([rest.json, rest.headers.get("x-next-cursor")]).toEqual([all.slice(0, 1), null])
})

test("sessions are found by title, by time and by the directory they are below", async () => {
  await using it = await bench([], { files: { "inner/a.txt": "" } })
  await it.call("POST", "/session", { title: "Fix the Parser" })
  const inner = `?directory=${encodeURIComponent(`${it.workspace.dir}/inner`)}`
  await it.call("POST", `/session${inner}`, { title: "Inside" })
  const titles = async (query: string) =>
    (await it.call("GET", `/session${query}`)).json.map((session: any) => session.title)
  expect(await titles("?search=parser")).toEqual(["Fix the Parser"])
  expect(await titles("")).toEqual(["Fix the Parser"])
  expect(await titles(inner)).toEqual(["Inside"])
  expect((await titles("?scope=project")).toSorted()).toEqual(["Fix the Parser", "Inside"])
  expect(await titles("?path=inner")).toEqual(["Inside"])
  expect(await titles(`?start=${Date.now() + 60_000}`)).toEqual([])
})

test("prompt_async answers at once, and the turn goes on", async () => {
  await using it = await bench([[text("done")]])
  const { id } = (await it.call("POST", "/session")).json
  const sent = await it.call("POST", `/session/${id}/prompt_async`, { parts: [{ type: "text", text: "go" }] })
  expect([sent.status, sent.text]).toEqual([204, ""])
  await it.model.received(0)
  const lease = await it.server.instances.open(it.workspace.dir)
  if (!lease.ok) throw new Error(lease.error.message)
  using instance = lease.value
  await new Promise<void>((resolve) => {
    const stop = instance.engine.subscribe((event) => {
      if (event.type !== "session.idle") return
      stop()
      resolve()
    })
    if (Object.keys(instance.engine.statuses()).length === 0) resolve()
  })
  const messages = (await it.call("GET", `/session/${id}/message`)).json
  expect(messages.at(-1).parts).toContainEqual(expect.objectContaining({ type: "text", text: "done" }))
})
