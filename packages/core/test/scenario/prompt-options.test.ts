import { describe, expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { offeredTools, systemText, toolResults, userTexts } from "@cairn/testkit/request"
import { text, toolCall, waitFor } from "@cairn/testkit/scenario"
import type { PromptInput } from "@cairn/schema/engine"
import { type Bench, bench, problemsOf } from "./harness.ts"

const model = { providerID: "test", modelID: "scripted" }
const send = (made: Bench, sessionID: string, words: string, more: Partial<PromptInput> = {}) =>
  made.engine.prompt({ sessionID, parts: [{ type: "text", text: words }], model, asks: "deny", ...more })
const open = async (made: Bench) => (await made.engine.createSession({})).id
const texts = (made: Bench, sessionID: string) =>
  made.engine.messages(sessionID).map(({ info, parts }) => {
    const own = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []))
    return `${info.role}: ${own.join(" ")}`
  })

describe("system", () => {
  test("the prompt's own stands at the end of the system prompt, for its turn alone", async () => {
    await using made = await bench([toolCall("bash", { command: "true" }), text("1"), text("2")])
    const sessionID = await open(made)
    await send(made, sessionID, "hi", { system: "Answer in verse." })
    await send(made, sessionID, "again")
    const [first, second, third] = made.server.requests.map(systemText)
    expect(first).toEndWith("Answer in verse.")
    expect(second).toBe(first!)
    expect(third).not.toContain("verse")
    expect(made.engine.messages(sessionID)[0]!.info).toMatchObject({ system: "Answer in verse." })
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("one that is very long is cut and says so", async () => {
    await using made = await bench([text("1")])
    await send(made, await open(made), "hi", { system: "x".repeat(200_000) })
    expect(systemText(made.server.requests[0]!)).toMatch(/more characters were cut\]$/)
  })
})

describe("tools", () => {
  test("what is switched off is neither offered nor run, in the whole session, until it is switched on", async () => {
    await using made = await bench([
      toolCall("bash", { command: "touch made" }),
      text("1"),
      text("2"),
      toolCall("bash", { command: "touch made" }),
      text("3"),
    ])
    const sessionID = await open(made)
    await send(made, sessionID, "hi", { tools: { bash: false, todowrite: false } })
    expect(offeredTools(made.server.requests[0]!)).not.toContain("bash")
    expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("There is no tool")
    expect(await made.workspace.exists("made")).toBe(false)
    await send(made, sessionID, "again")
    expect(offeredTools(made.server.requests[2]!)).toEqual(offeredTools(made.server.requests[0]!))
    expect(made.engine.session(sessionID)?.permission).toEqual([
      { permission: "bash", pattern: "*", action: "deny" },
      { permission: "todowrite", pattern: "*", action: "deny" },
    ])
    await made.restart()
    await send(made, sessionID, "now do", { tools: { bash: true } })
    const offered = offeredTools(made.server.requests[3]!)
    expect([offered.includes("bash"), offered.includes("todowrite")]).toEqual([true, false])
    expect(await made.workspace.exists("made")).toBe(true)
    expect(made.engine.messages(sessionID)[0]!.info).toMatchObject({ tools: { bash: false, todowrite: false } })
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("a read-only agent gets nothing that it may not do", async () => {
    await using made = await bench([toolCall("write", { filePath: "a", content: "x" }), text("No.")])
    const sessionID = await open(made)
    await send(made, sessionID, "hi", { agent: "plan", tools: { write: true } })
    expect(toolResults(made.server.requests[1]!)[0]!.output).not.toContain("Wrote")
    expect(await made.workspace.exists("a")).toBe(false)
  })
})

describe("noReply", () => {
  test("the prompt is stored, names the session, and the next request has it; no model is called", async () => {
    await using made = await bench([text("Blue.")])
    const sessionID = await open(made)
    const noted = await send(made, sessionID, "The colour is blue", { noReply: true })
    expect(noted).toEqual({ ok: true, value: expect.objectContaining({ reason: "done", text: "", cost: 0 }) })
    expect(made.server.requests).toEqual([])
    expect(made.engine.status(sessionID)).toEqual({ type: "idle" })
    expect(made.engine.session(sessionID)?.title).toBe("The colour is blue")
    await made.restart()
    await send(made, sessionID, "Which colour?")
    expect(userTexts(made.server.requests[0]!).join("\n")).toMatch(/The colour is blue[^]*Which colour/)
    expect(texts(made, sessionID)).toEqual(["user: The colour is blue", "user: Which colour?", "assistant: Blue."])
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test.each(["done", "aborted"] as const)(
    "while a turn runs it waits for its end, and enters then: %s",
    async (end) => {
      const going = gate()
      await using made = await bench([[text("First."), waitFor(going)], [text("Second.")]])
      const sessionID = await open(made)
      const running = send(made, sessionID, "begin")
      await made.server.received(0)
      expect(await send(made, sessionID, "by the way", { noReply: true })).toMatchObject({ ok: true })
      expect(made.engine.inbox(sessionID)).toMatchObject([{ noReply: true }])
      if (end === "aborted") await made.engine.abort(sessionID)
      going.open()
      expect(await running).toMatchObject({ value: { reason: end } })
      await send(made, sessionID, "next")
      expect(made.server.requests).toHaveLength(2)
      expect(made.engine.inbox(sessionID)).toEqual([])
      const said = texts(made, sessionID).filter((each) => each.startsWith("user"))
      expect(said).toEqual(["user: begin", "user: by the way", "user: next"])
      expect(userTexts(made.server.requests[1]!).join("\n")).toContain("by the way")
      expect(problemsOf(made, sessionID)).toEqual([])
    },
  )

  test("it keeps its place among what is queued, and is never taken for a turn of its own", async () => {
    const going = gate()
    await using made = await bench([[text("1"), waitFor(going)], text("2"), text("3")])
    const sessionID = await open(made)
    const first = send(made, sessionID, "one")
    await made.server.received(0)
    const second = send(made, sessionID, "two", { delivery: "queue" })
    await send(made, sessionID, "a note", { noReply: true })
    const third = send(made, sessionID, "three", { delivery: "queue" })
    going.open()
    await Promise.all([first, second, third])
    const said = texts(made, sessionID).filter((each) => each.startsWith("user"))
    expect(said).toEqual(["user: one", "user: two", "user: a note", "user: three"])
    expect(made.server.requests).toHaveLength(3)
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("what waited when the process died enters before the next prompt", async () => {
    const going = gate()
    await using made = await bench([[text("1"), waitFor(going)], text("2")])
    const sessionID = await open(made)
    const running = send(made, sessionID, "one")
    await made.server.received(0)
    await send(made, sessionID, "kept", { noReply: true })
    await made.restart()
    going.open()
    expect(await running).toMatchObject({ value: { reason: "aborted" } })
    await send(made, sessionID, "two")
    const said = texts(made, sessionID).filter((each) => each.startsWith("user"))
    expect(said).toEqual(["user: one", "user: kept", "user: two"])
    expect(problemsOf(made, sessionID)).toEqual([])
  })
})

test("a prompt that brings tools or a system prompt of its own does not steer, but waits for its turn", async () => {
  const going = gate()
  await using made = await bench([[text("First."), waitFor(going)], [text("Second.")]])
  const sessionID = await open(made)
  const running = send(made, sessionID, "begin")
  await made.server.received(0)
  const own = send(made, sessionID, "in verse", { system: "Answer in verse." })
  expect(made.engine.inbox(sessionID)).toMatchObject([{ delivery: "queue", system: "Answer in verse." }])
  going.open()
  expect(await running).toMatchObject({ value: { text: "First." } })
  expect(await own).toMatchObject({ value: { text: "Second." } })
  expect(systemText(made.server.requests[1]!)).toEndWith("Answer in verse.")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a prompt that says nothing, or too much, is refused and not stored", async () => {
  await using made = await bench([])
  const sessionID = await open(made)
  const before = made.log(sessionID).length
  for (const [words, why] of [
    ["", "empty"],
    [" \n ", "empty"],
    ["x".repeat(10_000_000), "about 2.5M tokens"],
  ] as const)
    for (const noReply of [false, true])
      expect(await send(made, sessionID, words, { noReply })).toMatchObject({
        ok: false,
        error: { kind: "usage", message: expect.stringContaining(why) },
      })
  expect(made.log(sessionID)).toHaveLength(before)
  expect(made.server.requests).toEqual([])
})
