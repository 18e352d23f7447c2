import { expect, test } from "bun:test"
import { text } from "@cairn/testkit/scenario"
import { createEngine } from "../../src/app.ts"
import { bench } from "./harness.ts"

test("an unknown model names the nearest one and appends nothing", async () => {
  await using made = await bench([])
  const session = await made.engine.createSession({})
  const before = made.log(session.id).length
  const answer = await made.engine.prompt({
    sessionID: session.id,
    parts: [{ type: "text", text: "hi" }],
    model: { providerID: "test", modelID: "scriptd" },
  })
  expect(answer).toMatchObject({ ok: false, error: { kind: "model" } })
  expect(answer.ok ? "" : answer.error.message).toContain("test/scripted")
  expect(made.log(session.id)).toHaveLength(before)
})

test("unknown sessions and agents are errors before anything is stored", async () => {
  await using made = await bench([])
  const session = await made.engine.createSession({})
  const parts = [{ type: "text" as const, text: "hi" }]
  const model = { providerID: "test", modelID: "scripted" }
  expect(await made.engine.prompt({ sessionID: "ses_nope", parts, model })).toMatchObject({
    ok: false,
    error: { kind: "session" },
  })
  const agent = await made.engine.prompt({ sessionID: session.id, parts, model, agent: "biuld" })
  expect(agent.ok ? "" : agent.error.message).toContain("build")
  expect(made.server.requests).toHaveLength(0)
})

test("a second engine is told who runs the session, and may run another one", async () => {
  const answers = [[text("One.")], [text("Two.")]]
  await using made = await bench(answers)
  const session = await made.engine.createSession({})
  const other = await createEngine(made.options)
  if (!other.ok) throw new Error(other.error.message)
  await using second = other.value
  const say = (engine: typeof second, sessionID: string) =>
    engine.prompt({
      sessionID,
      parts: [{ type: "text", text: "hi" }],
      model: { providerID: "test", modelID: "scripted" },
    })
  const [a, b] = await Promise.all([say(made.engine, session.id), say(second, session.id)])
  expect([a.ok, b.ok].filter(Boolean)).toHaveLength(1)
  const refused = a.ok ? b : a
  expect(refused).toMatchObject({ error: { kind: "busy" } })
  expect(refused.ok ? "" : refused.error.message).toContain(`pid ${process.pid}`)
  expect(await say(second, session.id)).toMatchObject({ ok: true })
})

test("a directory that does not exist is an error", async () => {
  await using made = await bench([])
  const answer = await createEngine({ ...made.options, directory: `${made.workspace.dir}/nowhere` })
  expect(answer).toMatchObject({ ok: false, error: { kind: "directory" } })
})
