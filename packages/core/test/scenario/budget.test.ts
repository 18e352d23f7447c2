import { expect, test } from "bun:test"
import { text, toolCall, usage } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

const work = [
  [toolCall("bash", { command: "echo 1" }), usage({ input: 100, output: 0 })],
  [toolCall("bash", { command: "echo 2" }), usage({ input: 100, output: 0 })],
  [text("Done.")],
]

test("a budget stops the run before the next call, and says which one it was", async () => {
  await using made = await bench(work, { config: { budget: { run: { tokens: 150 } } } })
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "budget", error: { name: "UnknownError" } })
  expect(JSON.stringify(outcome.error)).toContain("200 of 150")
  expect(made.server.requests).toHaveLength(2)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a session's budget counts its earlier turns, a day's those of other sessions", async () => {
  await using session = await bench([[text("One.")], [text("Two.")]], {
    config: { budget: { session: { tokens: 100 } } },
  })
  const { sessionID } = await session.prompt("one")
  expect(await session.prompt("two", { sessionID })).toMatchObject({ reason: "budget" })
  expect(await session.prompt("elsewhere")).toMatchObject({ reason: "done" })

  await using day = await bench([[text("One.")], [text("Two.")]], { config: { budget: { day: { money: 0.0001 } } } })
  await day.prompt("one")
  expect(await day.prompt("two")).toMatchObject({ reason: "budget" })
  expect(day.server.requests).toHaveLength(1)
})

test("calls that a model makes after its last step are not run", async () => {
  await using made = await bench(
    [[toolCall("bash", { command: "echo 1 >> log" })], [toolCall("bash", { command: "echo 2 >> log" })]],
    {
      config: { agent: { build: { steps: 1 } } },
    },
  )
  const outcome = await made.prompt("go")
  expect(outcome.reason).toBe("step_limit")
  expect(await made.workspace.read("log")).toBe("1\n")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("what was said and printed before an interruption is not lost", async () => {
  await using made = await bench([
    [text("I begin."), toolCall("bash", { command: "echo PARTIAL; sleep 60" })],
    [text("So far: something.")],
  ])
  const session = await made.engine.createSession({})
  made.engine.subscribe((event) => {
    if (event.type === "message.part.updated" && JSON.stringify(event.properties.part).includes("PARTIAL\\n"))
      void made.engine.abort(session.id)
  })
  expect(await made.prompt("go", { sessionID: session.id })).toMatchObject({ reason: "aborted", text: "I begin." })
  await made.prompt("what was it?", { sessionID: session.id })
  expect(made.server.requests[1]!.text).toContain("PARTIAL")
  expect(made.server.requests[1]!.text).toContain("I begin.")
})
