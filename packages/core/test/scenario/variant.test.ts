import { expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { type CapturedRequest, offeredTools } from "@cairn/testkit/request"
import { text, waitFor } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

const variants = { deep: { reasoningEffort: "high" }, quick: { reasoningEffort: "minimal" } }
const effortOf = ({ body }: { body: unknown }) => (body as Record<string, unknown>)["reasoning_effort"]

test("a variant is sent, stands on both messages, and is used again in the session until another is named", async () => {
  await using made = await bench([text("1"), text("2"), text("3"), text("4")], { model: { variants } })
  const model = { providerID: "test", modelID: "scripted" }
  const { id: sessionID } = await made.engine.createSession({})
  const parts = [{ type: "text" as const, text: "hi" }]
  await made.engine.prompt({ sessionID, parts, model, variant: "deep" })
  await made.engine.prompt({ sessionID, parts })
  await made.engine.prompt({ sessionID, parts, variant: "quick" })
  await made.engine.prompt({ sessionID, parts, model })
  expect(made.server.requests.map(effortOf)).toEqual(["high", "high", "minimal", undefined])
  const said = made.engine
    .messages(sessionID)
    .map(({ info }) => (info.role === "user" ? info.model.variant : info.variant))
  expect(said).toEqual(["deep", "deep", "deep", "deep", "quick", "quick", undefined, undefined])
  expect(made.engine.session(sessionID)?.model).toEqual({ id: "scripted", providerID: "test" })
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("an unknown variant is refused before anything is stored", async () => {
  await using made = await bench([], { model: { variants } })
  const { id: sessionID } = await made.engine.createSession({})
  const before = made.log(sessionID).length
  const refused = await made.engine.prompt({ sessionID, parts: [{ type: "text", text: "hi" }], variant: "deap" })
  expect(refused).toMatchObject({
    ok: false,
    error: { kind: "model", message: expect.stringContaining("Did you mean deep? There are: deep, quick.") },
  })
  expect(made.log(sessionID)).toHaveLength(before)
  expect(made.server.requests).toEqual([])
})

test("an agent's variant holds where the model has it; beside its own model it must exist", async () => {
  await using made = await bench([text("1"), text("2"), text("3")], {
    model: { variants },
    config: {
      agent: {
        build: { variant: "deep" },
        plan: { variant: "elsewhere" },
        own: { model: "test/scripted", variant: "no" },
      },
    },
  })
  await made.prompt("hi", { agent: "build" })
  await made.prompt("hi", { agent: "plan" })
  const checked = await made.engine.checkModel(undefined, { agent: "build", variant: "quick" })
  expect(checked).toEqual({ ok: true, value: { providerID: "test", modelID: "scripted", variant: "quick" } })
  expect(made.server.requests.map(effortOf)).toEqual(["high", undefined])
  expect(await made.engine.checkModel(undefined, { agent: "own" })).toMatchObject({
    ok: false,
    error: { kind: "model" },
  })
  expect(await made.engine.checkModel("test/scripted", { agent: "own" })).toMatchObject({ ok: true })
})

test("what a session used last is no error when the model has it no more", async () => {
  await using made = await bench([text("1"), text("2")], { model: { variants } })
  const { id: sessionID } = await made.engine.createSession({
    model: { providerID: "test", modelID: "scripted", variant: "gone" },
  })
  expect(await made.engine.checkModel(undefined, { sessionID })).toEqual({
    ok: true,
    value: { providerID: "test", modelID: "scripted" },
  })
})

test("a title is asked for without it", async () => {
  const named = gate()
  const isTitle = (request: CapturedRequest) => offeredTools(request).length === 0
  await using made = await bench((request) => (isTitle(request) ? text("A title") : [text("Fine."), waitFor(named)]), {
    model: { variants },
    config: { title: "model" },
  })
  made.engine.subscribe((event) => {
    if (event.type === "session.updated" && event.properties.info.title === "A title") named.open()
  })
  const { id: sessionID } = await made.engine.createSession({})
  const model = { providerID: "test", modelID: "scripted", variant: "deep" }
  await made.engine.prompt({ sessionID, parts: [{ type: "text", text: "hi" }], model })
  const efforts = (title: boolean) => made.server.requests.filter((each) => isTitle(each) === title).map(effortOf)
  expect([efforts(false), efforts(true)]).toEqual([["high"], [undefined]])
})
