import { describe, expect, test } from "bun:test"
import type { OutputFormat } from "@cairn/schema/message"
import type { WireProtocol } from "@cairn/testkit/request"
import { offeredTools, systemText, toolResults, userTexts } from "@cairn/testkit/request"
import { gate } from "@cairn/testkit/gate"
import { finish, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import type { PromptInput } from "@cairn/schema/engine"
import { type Bench, bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const schema = {
  type: "object",
  properties: { count: { type: "integer", minimum: 1 }, names: { type: "array", items: { type: "string" } } },
  required: ["count"],
  additionalProperties: false,
}
const format: OutputFormat = { type: "json_schema", schema }
const give = (args: Record<string, unknown> | string) => toolCall("structured_output", args)

async function ask(made: Bench, more: Partial<PromptInput> = {}) {
  const sessionID = more.sessionID ?? (await made.engine.createSession({})).id
  const parts = [{ type: "text" as const, text: "Count the files" }]
  const model = { providerID: "test", modelID: "scripted" }
  const outcome = await made.engine.prompt({ sessionID, parts, model, asks: "deny", format, ...more })
  if (!outcome.ok) throw new Error(outcome.error.message)
  return outcome.value
}
const lastAnswer = (made: Bench, sessionID: string) => {
  const info = made.engine.messages(sessionID).findLast((message) => message.info.role === "assistant")?.info
  return info?.role === "assistant" ? info : undefined
}

describe.each<WireProtocol>(["chat", "anthropic", "responses", "google"])("over %s", (protocol) => {
  test("the model works with its tools, then gives the result, which ends the turn", async () => {
    await using made = await bench(
      [
        [text("I look."), toolCall("bash", { command: "ls" })],
        [give({ count: 2, names: ["a", "b"] })],
        [text("Later.")],
      ],
      { protocol, files: { a: "", b: "" } },
    )
    const outcome = await ask(made)
    expect(outcome).toMatchObject({ reason: "done", structured: { count: 2, names: ["a", "b"] } })
    expect(made.server.requests).toHaveLength(2)
    const [first] = made.server.requests
    expect(offeredTools(first!).at(-1)).toBe("structured_output")
    expect(first!.text).toContain('"minimum":1')
    expect(systemText(first!)).toContain("call `structured_output` once")
    expectPrefixes(made.server.requests.map(({ body }) => body))
    expect(lastAnswer(made, outcome.sessionID)).toMatchObject({ structured: { count: 2, names: ["a", "b"] } })
    expect(made.engine.messages(outcome.sessionID)[0]!.info).toMatchObject({ format: { type: "json_schema", schema } })

    // The next prompt is an ordinary one, and its history is whole.
    const { sessionID } = outcome
    const after = await made.engine.prompt({ sessionID, parts: [{ type: "text", text: "And?" }], asks: "deny" })
    expect(after).toMatchObject({ value: { reason: "done", text: "Later." } })
    expect(after.ok && "structured" in after.value).toBe(false)
    const plain = made.server.requests[2]!
    expect(offeredTools(plain)).not.toContain("structured_output")
    expect(systemText(plain)).not.toContain("structured_output")
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("a result that does not fit is sent back with what is wrong", async () => {
    await using made = await bench([give({ count: 0, extra: true }), give({ count: 3 })], { protocol })
    const outcome = await ask(made)
    expect(outcome).toMatchObject({ reason: "done", structured: { count: 3 } })
    const [told] = toolResults(made.server.requests[1]!)
    expect(told!.output).toContain("/count: must be >= 1")
    expect(told!.output).toContain("must NOT have additional properties")
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })
})

describe("a model that gives no result", () => {
  test("in words is asked for it, and what it says as JSON counts", async () => {
    await using made = await bench([text("There are two."), text('```json\n{"count": 2}\n```')])
    const outcome = await ask(made)
    expect(outcome).toMatchObject({ reason: "done", structured: { count: 2 } })
    expect(userTexts(made.server.requests[1]!).at(-1)).toContain("The result is still missing")
    expect(lastAnswer(made, outcome.sessionID)?.structured).toEqual({ count: 2 })
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test.each([
    [undefined, 3, 2],
    [0, 1, 0],
    [4, 5, 4],
    [-1, 1, 0],
  ])("with a retry count of %p is asked %d times, then it is an error", async (retryCount, times, retries) => {
    await using made = await bench(() => give({ count: "many" }))
    const outcome = await ask(made, { format: { ...format, ...(retryCount !== undefined && { retryCount }) } })
    expect(made.server.requests).toHaveLength(times)
    expect(outcome).toMatchObject({ reason: "error", errorClass: "fatal" })
    expect(outcome.error).toMatchObject({ name: "StructuredOutputError", data: { retries } })
    expect(JSON.stringify(outcome.error)).toContain("/count: must be integer")
    expect("structured" in outcome).toBe(false)
    const answer = lastAnswer(made, outcome.sessionID)
    expect(answer?.error).toEqual(outcome.error!)
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("words and bad results count together, and the session goes on afterwards", async () => {
    await using made = await bench([text("Two."), give("{broken"), text("Two, I said."), text("Fine.")])
    const outcome = await ask(made)
    expect(outcome.error).toMatchObject({
      name: "StructuredOutputError",
      data: { message: expect.stringContaining("in words") },
    })
    const { sessionID } = outcome
    const after = await made.engine.prompt({ sessionID, parts: [{ type: "text", text: "Never mind" }], asks: "deny" })
    expect(after).toMatchObject({ value: { reason: "done", text: "Fine." } })
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("empty answers are what they always were", async () => {
    await using made = await bench([[finish("stop")], [finish("stop")]])
    expect(await ask(made)).toMatchObject({ reason: "error", error: { name: "APIError" } })
  })
})

test("a result that is no object goes and comes as it is", async () => {
  const list = { type: "array", items: { $ref: "#/$defs/name" }, $defs: { name: { type: "string" } } }
  await using made = await bench([give({ value: ["a", 1] }), give({ value: ["a", "b"] })])
  const outcome = await ask(made, { format: { type: "json_schema", schema: list } })
  expect(outcome.structured).toEqual(["a", "b"])
  expect(made.server.requests[0]!.text).toContain('"$ref":"#/properties/value/$defs/name"')
  expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("/1: must be string")
})

test("false, null and zero are results", async () => {
  for (const value of [false, null, 0, ""]) {
    await using made = await bench([give({ value })])
    const outcome = await ask(made, { format: { type: "json_schema", schema: {} } })
    expect([outcome.reason, outcome.structured, "structured" in outcome]).toEqual(["done", value, true])
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  }
})

test("other calls of the same step settle before the turn ends", async () => {
  await using made = await bench([[give({ count: 1 }), toolCall("bash", { command: "echo done > side" })]])
  const outcome = await ask(made)
  expect(outcome).toMatchObject({ reason: "done", structured: { count: 1 } })
  expect(await made.workspace.read("side")).toBe("done\n")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("no rule and no tool switch takes the way to the result away", async () => {
  await using made = await bench([give({ count: 1 })], { config: { permission: { "*": "deny" } } })
  const outcome = await ask(made, { tools: { "*": false } })
  expect(outcome).toMatchObject({ reason: "done", structured: { count: 1 } })
  expect(offeredTools(made.server.requests[0]!)).toEqual(["structured_output"])
})

test("the last step that an agent may take is for the result alone", async () => {
  await using made = await bench(
    [toolCall("bash", { command: "true" }), [toolCall("bash", { command: "touch late" }), give({ count: 1 })]],
    { config: { agent: { build: { steps: 1 } } } },
  )
  const outcome = await ask(made)
  expect(outcome).toMatchObject({ reason: "step_limit", structured: { count: 1 } })
  expect(made.server.requests[1]!.text).toContain("Call structured_output now")
  expect(await made.workspace.exists("late")).toBe(false)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a message that steers after the result makes the model give it anew", async () => {
  const going = gate()
  await using made = await bench([[give({ count: 1 }), waitFor(going)], [give({ count: 2 })]])
  const { id: sessionID } = await made.engine.createSession({})
  const running = ask(made, { sessionID })
  await made.server.received(0)
  const steer = made.engine.prompt({ sessionID, parts: [{ type: "text", text: "hidden ones too" }], asks: "deny" })
  going.open()
  expect(await running).toMatchObject({ reason: "done", structured: { count: 2 } })
  expect(await steer).toMatchObject({ value: { structured: { count: 2 } } })
  expect(userTexts(made.server.requests[1]!).join("\n")).toContain("hidden ones too")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a prompt with a form does not steer: it is a turn of its own", async () => {
  const going = gate()
  await using made = await bench([[text("First."), waitFor(going)], [give({ count: 5 })]])
  const { id: sessionID } = await made.engine.createSession({})
  const running = made.engine.prompt({ sessionID, parts: [{ type: "text", text: "begin" }], asks: "deny" })
  await made.server.received(0)
  const formed = ask(made, { sessionID })
  await Promise.resolve()
  going.open()
  expect(await running).toMatchObject({ value: { text: "First." } })
  expect(await formed).toMatchObject({ structured: { count: 5 } })
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a schema that is none is refused before anything is stored, with its place", async () => {
  await using made = await bench([])
  const { id: sessionID } = await made.engine.createSession({})
  const before = made.log(sessionID).length
  const refused = async (bad: Record<string, unknown>) => {
    const parts = [{ type: "text" as const, text: "hi" }]
    const outcome = await made.engine.prompt({ sessionID, parts, format: { type: "json_schema", schema: bad } })
    return outcome.ok ? "" : `${outcome.error.kind}: ${outcome.error.message}`
  }
  expect(await refused({ type: "object", properties: { a: { type: "objct" } } })).toMatch(
    /^usage: The schema of the answer at \/properties\/a\/type must be equal to one of/,
  )
  expect(await refused({ $ref: "http://127.0.0.1:1/x.json" })).toContain("never fetched")
  expect(await refused({ $ref: "#" })).toContain("without end")
  expect(await refused({ title: "x".repeat(10_000_000) })).toContain("larger than 256 kB")
  expect(made.log(sessionID)).toHaveLength(before)
  expect(made.server.requests).toEqual([])
})

test("plain text is asked for by its own name, too", async () => {
  await using made = await bench([text("Two.")])
  expect(await ask(made, { format: { type: "text" } })).toMatchObject({ reason: "done", text: "Two." })
  expect(offeredTools(made.server.requests[0]!)).not.toContain("structured_output")
})
