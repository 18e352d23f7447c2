import { expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { type Bench, bench } from "./bench.ts"

const ask = (words: string) => ({ parts: [{ type: "text", text: words }] })

/** Resolves with the first event of a type, also when it has already come to pass. */
async function happened(it: Bench, type: string, now: () => unknown): Promise<void> {
  const opened = await it.server.instances.open(it.workspace.dir)
  if (!opened.ok) throw new Error(opened.error.message)
  using lease = opened.value
  await new Promise<void>((resolve) => {
    const stop = lease.engine.subscribe((event) => {
      if (event.type !== type) return
      stop()
      resolve()
    })
    if (now()) resolve()
  })
}

const engineOf = (it: Bench) => it.server.instances.engines()[0]

test("an ask is listed, answered by either route, and the turn goes on", async () => {
  await using it = await bench(
    [
      [toolCall("bash", { command: "echo one" })],
      [toolCall("bash", { command: "echo two" })],
      [toolCall("bash", { command: "echo three" })],
      [text("Done.")],
    ],
    { config: { permission: { bash: "ask" } } },
  )
  const { id } = (await it.call("POST", "/session")).json
  const answer = it.call("POST", `/session/${id}/message`, ask("go"))
  const next = async () => {
    await happened(it, "permission.asked", () => engineOf(it)?.pendingAsks().length)
    const [request] = (await it.call("GET", "/permission")).json
    return request
  }
  const first = await next()
  expect(first).toMatchObject({ sessionID: id, permission: "bash", patterns: ["echo one"] })
  expect((await it.call("GET", "/session/status")).json).toEqual({ [id]: { type: "busy" } })
  expect((await it.call("POST", `/permission/${first.id}/reply`, { reply: "once" })).json).toBe(true)
  const second = await next()
  expect(second.patterns).toEqual(["echo two"])
  const older = await it.call("POST", `/session/${id}/permissions/${second.id}`, { response: "once" })
  expect(older.json).toBe(true)
  const third = await next()
  const message = "not that one"
  expect((await it.call("POST", `/permission/${third.id}/reply`, { reply: "reject", message })).json).toBe(true)
  const parts = (await it.call("GET", `/session/${id}/message`)).json.flatMap((each: any) => each.parts)
  expect((await answer).json.info.finish).toBe("stop")
  expect(parts.filter((part: any) => part.type === "tool")).toHaveLength(3)
  expect((await it.call("POST", `/permission/${third.id}/reply`, { reply: "once" })).status).toBe(404)
})

test("an ask of one directory is answered by a call that names another, or none", async () => {
  await using it = await bench([[toolCall("bash", { command: "echo one" })], [text("Done.")]], {
    config: { permission: { bash: "ask" } },
    files: { "inner/a.txt": "" },
  })
  const inner = `?directory=${encodeURIComponent(`${it.workspace.dir}/inner`)}`
  const { id } = (await it.call("POST", `/session${inner}`)).json
  const answer = it.call("POST", `/session/${id}/message`, ask("go"))
  await it.model.received(0)
  const opened = await it.server.instances.open(`${it.workspace.dir}/inner`)
  if (!opened.ok) throw new Error(opened.error.message)
  const { engine } = opened.value
  await new Promise<void>((resolve) => {
    engine.subscribe((event) => event.type === "permission.asked" && resolve())
    if (engine.pendingAsks().length > 0) resolve()
  })
  const [request] = engine.pendingAsks()
  expect((await it.call("GET", "/permission")).json).toEqual([])
  expect((await it.call("POST", `/permission/${request?.id}/reply`, { reply: "once" })).json).toBe(true)
  expect((await answer).json.info.path).toMatchObject({ cwd: `${it.workspace.dir}/inner` })
  opened.value[Symbol.dispose]()
})

test("a question is listed and answered", async () => {
  const options = [
    { label: "A", description: "first" },
    { label: "B", description: "second" },
  ]
  const questions = [{ question: "Which?", header: "Pick", options }]
  await using it = await bench([
    [toolCall("question", { questions })],
    [toolCall("question", { questions })],
    [text("As you like.")],
  ])
  const { id } = (await it.call("POST", "/session")).json
  const answer = it.call("POST", `/session/${id}/message`, ask("go"))
  const next = async () => {
    await happened(it, "question.asked", () => engineOf(it)?.pendingQuestions().length)
    return (await it.call("GET", "/question")).json[0]
  }
  const first = await next()
  expect(first).toMatchObject({ sessionID: id, questions: [{ question: "Which?" }] })
  expect((await it.call("POST", `/question/${first.id}/reply`, { answers: [["A"]] })).json).toBe(true)
  const second = await next()
  const rejected = await it.call("POST", `/question/${second.id}/reject`, { message: "decide yourself" })
  expect(rejected.json).toBe(true)
  await answer
  expect((await it.call("POST", `/question/${first.id}/reply`, { answers: [["A"]] })).status).toBe(404)
  expect((await it.call("POST", `/question/${first.id}/reject`)).status).toBe(404)
})

test("prompts that wait can be listed, changed, and taken back", async () => {
  const held = gate()
  await using it = await bench([[waitFor(held), text("first")], [text("changed")]])
  const { id } = (await it.call("POST", "/session")).json
  const first = it.call("POST", `/session/${id}/message`, ask("first"))
  await it.model.received(0)
  const later = { ...ask("second"), delivery: "queue" }
  expect((await it.call("POST", `/session/${id}/prompt_async`, later)).status).toBe(204)
  expect((await it.call("POST", `/session/${id}/prompt_async`, later)).status).toBe(204)
  const waiting = (await it.call("GET", `/session/${id}/inbox`)).json
  expect(waiting).toHaveLength(2)
  const changed = await it.call("PATCH", `/session/${id}/inbox/${waiting[0].id}`, { text: "other words" })
  expect(changed.json.parts).toMatchObject([{ text: "other words" }])
  expect((await it.call("DELETE", `/session/${id}/inbox/${waiting[1].id}`)).json).toBe(true)
  expect((await it.call("DELETE", `/session/${id}/inbox/${waiting[1].id}`)).status).toBe(404)
  const ended = happened(it, "session.idle", () => false)
  held.open()
  await first
  await ended
  const said = (await it.call("GET", `/session/${id}/message`)).json.map((message: any) => message.parts)
  expect(JSON.stringify(said)).toContain("other words")
  expect((await it.call("GET", `/session/${id}/inbox`)).json).toEqual([])
  expect((await it.call("GET", "/search?query=other+words")).json).toMatchObject([{ sessionID: id, role: "user" }])
})
