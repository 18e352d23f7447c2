import { describe, expect, test } from "bun:test"
import type { Engine } from "@cairn/schema/engine"
import { gate } from "@cairn/testkit/gate"
import { userTexts } from "@cairn/testkit/request"
import { finish, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { type Bench, bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const model = { providerID: "test", modelID: "scripted" }
const say = (made: Bench, sessionID: string, words: string, delivery: "steer" | "queue") =>
  made.engine.prompt({ sessionID, parts: [{ type: "text", text: words }], model, asks: "deny", delivery })

/** Resolves at the first event that `wanted` picks. */
function when(
  engine: Engine,
  wanted: Parameters<Engine["subscribe"]>[0] extends (event: infer E) => void ? (event: E) => boolean : never,
): Promise<void> {
  const seen = gate()
  const stop = engine.subscribe((event) => {
    if (wanted(event)) seen.open()
  })
  return seen.opened.then(stop)
}

test("a steered prompt enters at the next step and is answered by the running turn", async () => {
  const tool = gate()
  await using made = await bench([
    [text("Working."), toolCall("bash", { command: "while [ ! -e go ]; do sleep 0.02; done" })],
    [text("Changed course.")],
  ])
  const session = await made.engine.createSession({})
  const running = when(
    made.engine,
    (event) =>
      event.type === "message.part.updated" &&
      event.properties.part.type === "tool" &&
      event.properties.part.state.status === "running",
  )
  const first = say(made, session.id, "begin", "steer")
  await running
  const second = say(made, session.id, "use tabs", "steer")
  expect(made.engine.inbox(session.id)).toHaveLength(1)
  await made.workspace.write("go", "")
  const outcomes = await Promise.all([first, second])
  tool.open()
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ ok: true, value: { reason: "done", text: "Changed course." } })
  expect(made.engine.inbox(session.id)).toEqual([])
  const last = userTexts(made.server.requests[1]!).at(-1)!
  expect(last).toContain("use tabs")
  expect(last).toContain("new message")
  expectPrefixes(made.server.requests.map((request) => request.body))
  expect(problemsOf(made, session.id)).toEqual([])
})

test("a steered prompt is what the next answer answers, and begins the loop guard anew", async () => {
  const command = "if [ -e wait ]; then while [ ! -e go ]; do sleep 0.02; done; fi; echo same"
  const same = toolCall("bash", { command })
  let requests = 0
  await using made = await bench(() => (++requests <= 4 ? same : text("Done.")), { files: { wait: "" } })
  const session = await made.engine.createSession({})
  const calls = new Set<string>()
  let steered: ReturnType<typeof say> | undefined
  made.engine.subscribe((event) => {
    if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
    if (event.properties.part.state.status !== "running") return
    // Progress of a call comes as running, too.
    if (calls.add(event.properties.part.callID).size !== 2) return
    steered ??= say(made, session.id, "yes, again", "steer")
  })
  await made.workspace.write("go", "")
  expect(await say(made, session.id, "begin", "steer")).toMatchObject({ value: { reason: "done", text: "Done." } })
  expect(await steered).toMatchObject({ value: { reason: "done" } })
  const messages = made.engine.messages(session.id)
  const words = messages.find(({ parts }) => parts.some((part) => part.type === "text" && part.text === "yes, again"))
  const answers = messages.flatMap(({ info }) => (info.role === "assistant" ? [info.parentID] : []))
  expect(answers).toEqual([messages[0]!.info.id, messages[0]!.info.id, ...Array(3).fill(words!.info.id)])
})

test("a prompt that arrives while the last answer streams keeps the turn going", async () => {
  const hold = gate()
  await using made = await bench([
    [text("Almost "), waitFor(hold), text("done."), finish("stop")],
    [text("And that too.")],
  ])
  const session = await made.engine.createSession({})
  const streaming = when(made.engine, (event) => event.type === "message.part.delta")
  const first = say(made, session.id, "begin", "steer")
  await streaming
  const second = say(made, session.id, "and this", "steer")
  hold.open()
  expect(await first).toMatchObject({ value: { text: "And that too." } })
  expect(await second).toMatchObject({ value: { text: "And that too." } })
  expect(made.server.requests).toHaveLength(2)
  expect(problemsOf(made, session.id)).toEqual([])
})

test("queued prompts become turns of their own, in order, each told how its own turn ended", async () => {
  const hold = gate()
  await using made = await bench([[text("One"), waitFor(hold)], [text("Two")], [text("Three")]])
  const session = await made.engine.createSession({})
  const streaming = when(made.engine, (event) => event.type === "message.part.delta")
  const first = say(made, session.id, "1", "queue")
  await streaming
  const others = [say(made, session.id, "2", "queue"), say(made, session.id, "3", "queue")]
  hold.open()
  expect((await Promise.all([first, ...others])).map((each) => (each.ok ? each.value.text : each.error))).toEqual([
    "One",
    "Two",
    "Three",
  ])
  const ends = made.log(session.id).filter(({ event }) => event.type === "session.turn.ended")
  expect(ends).toHaveLength(3)
  expect(problemsOf(made, session.id)).toEqual([])
})

test("prompts sent in the tick in which a turn ends are neither lost nor answered twice", async () => {
  const answers = Array.from({ length: 40 }, (_, n) => text(`answer ${n}`))
  await using made = await bench(answers)
  const session = await made.engine.createSession({})
  const later: ReturnType<typeof say>[] = []
  let left = 6
  made.engine.subscribe((event) => {
    const over =
      event.type === "session.turn.ended" ||
      (event.type === "message.updated" &&
        event.properties.info.role === "assistant" &&
        event.properties.info.time.completed !== undefined)
    if (over && left-- > 0) later.push(say(made, session.id, `late ${left}`, left % 2 ? "steer" : "queue"))
  })
  await say(made, session.id, "begin", "steer")
  for (let done = 0; done < later.length;)
    for (const outcome of await Promise.all(later.slice(done))) {
      expect(outcome.ok).toBe(true)
      done++
    }
  expect(later).toHaveLength(6)
  const last = userTexts(made.server.requests.at(-1)!).join("\n")
  for (let n = 0; n < 6; n++) expect(last.split(`late ${n}`)).toHaveLength(2)
  expect(made.engine.inbox(session.id)).toEqual([])
  expect(problemsOf(made, session.id)).toEqual([])
})

test("what waits when the turn is interrupted stays in the inbox and enters with the next prompt", async () => {
  await using made = await bench([[toolCall("bash", { command: "sleep 60" })], [text("Both then.")]])
  const session = await made.engine.createSession({})
  const running = when(
    made.engine,
    (event) =>
      event.type === "message.part.updated" &&
      event.properties.part.type === "tool" &&
      event.properties.part.state.status === "running",
  )
  const first = say(made, session.id, "begin", "steer")
  await running
  const second = say(made, session.id, "still waiting", "steer")
  expect(await made.engine.abort(session.id)).toBe(true)
  for (const outcome of [await first, await second]) expect(outcome).toMatchObject({ value: { reason: "aborted" } })
  expect(made.engine.inbox(session.id)).toHaveLength(1)
  expect(await say(made, session.id, "go on", "steer")).toMatchObject({ value: { text: "Both then." } })
  expect(userTexts(made.server.requests[1]!).join("\n")).toContain("still waiting")
  expect(made.engine.inbox(session.id)).toEqual([])
  expect(problemsOf(made, session.id)).toEqual([])
})

test("abort of an idle session says that nothing ran", async () => {
  await using made = await bench([])
  const session = await made.engine.createSession({})
  expect(await made.engine.abort(session.id)).toBe(false)
})

describe("the step limit of an agent", () => {
  const steps = (count: number) => ({ config: { agent: { build: { steps: count } } } })
  const call = (n: number) => toolCall("bash", { command: `echo ${n}` })

  test("a prompt that arrives in the last step is answered by the turn, with tools and a count of its own", async () => {
    const hold = gate()
    await using made = await bench(
      [call(1), [text("This is what "), waitFor(hold), text("I have.")], call(2), text("And the new thing.")],
      steps(1),
    )
    const session = await made.engine.createSession({})
    const streaming = when(made.engine, (event) => event.type === "message.part.delta")
    const first = say(made, session.id, "begin", "steer")
    await streaming
    const second = say(made, session.id, "one thing more", "steer")
    hold.open()
    const [one, two] = await Promise.all([first, second])
    for (const outcome of [one, two])
      expect(outcome).toMatchObject({ ok: true, value: { reason: "step_limit", text: "And the new thing." } })
    expect(made.engine.inbox(session.id)).toEqual([])
    expect(made.server.requests).toHaveLength(4)
    expect(userTexts(made.server.requests[2]!).at(-1)).toContain("one thing more")
    const choices = made.server.requests.map((request) => (request.body as { tool_choice?: unknown }).tool_choice)
    expect(choices).toEqual(["auto", "none", "auto", "none"])
    expectPrefixes(made.server.requests.map((request) => request.body))
    expect(problemsOf(made, session.id)).toEqual([])
  })

  test("without a new prompt it ends the turn as before", async () => {
    await using made = await bench([call(1), text("That is all.")], steps(1))
    expect(await made.prompt("go")).toMatchObject({ reason: "step_limit", text: "That is all." })
  })
})
