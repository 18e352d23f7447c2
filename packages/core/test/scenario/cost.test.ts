import { describe, expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { offeredTools, userTexts } from "@cairn/testkit/request"
import { headers, noUsage, status, text, toolCall, usage, waitFor } from "@cairn/testkit/scenario"
import { TestClock } from "@cairn/testkit/clock"
import { mkdir } from "node:fs/promises"
import { createEngine } from "../../src/app.ts"
import type { Engine } from "@cairn/schema/engine"
import { textTokens } from "../../src/session/estimate.ts"
import { type Bench, bench, problemsOf } from "./harness.ts"

/** The bench's prices: 1 in, 2 out, 0.1 read, 1.25 written, a million. */
const cost = (input: number, output: number, read = 0, write = 0) =>
  (input + output * 2 + read * 0.1 + write * 1.25) / 1e6
const session = (made: Bench, id: string) => made.engine.session(id)
const model = { providerID: "test", modelID: "scripted" }
const say = (engine: Engine, sessionID: string, words: string) =>
  engine.prompt({ sessionID, model, asks: "deny", parts: [{ type: "text", text: words }] })

/** Every row of spend, oldest first. */
async function spending(made: Bench) {
  const { Database } = await import("bun:sqlite")
  using database = new Database(made.engine.paths.database, { readonly: true })
  const query = `SELECT session_id AS session, agent, input, output, reasoning, cache_read AS read, cache_write AS write,
    cost, unpriced, tool_tokens AS tools FROM spend ORDER BY time, id`
  return database.query<Record<string, string | number | null>, []>(query).all()
}

describe("every call is counted", () => {
  test("with all its kinds of tokens, in message, session and result", async () => {
    const used = { input: 1_000, output: 100, reasoning: 50, cacheRead: 4_000, cacheWrite: 200 }
    await using made = await bench(
      [
        [toolCall("bash", { command: "echo 1" }), usage(used)],
        [text("Done."), usage({ input: 10, output: 1 })],
      ],
      { protocol: "anthropic" },
    )
    const outcome = await made.prompt("go")
    const [first, second] = made.engine
      .messages(outcome.sessionID)
      .flatMap(({ info }) => (info.role === "assistant" ? [info] : []))
    // This protocol counts thoughts as output.
    expect(first!.cost).toBeCloseTo(cost(1_000, 150, 4_000, 200), 12)
    expect(second!.cost).toBeCloseTo(cost(10, 1), 12)
    const sum = first!.cost + second!.cost
    expect(outcome.cost).toBeCloseTo(sum, 12)
    expect(session(made, outcome.sessionID)?.cost).toBeCloseTo(sum, 12)
    expect(session(made, outcome.sessionID)?.tokens?.cache).toEqual({ read: 4_000, write: 200 })
    expect((await spending(made)).map((row) => [row["agent"], row["input"], row["read"], row["write"]])).toEqual([
      ["build", 1_000, 4_000, 200],
      ["build", 10, 0, 0],
    ])
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("prices above a context size hold for the step that is larger, and for no other", async () => {
    const dear = { input: 1, output: 2, context_over_200k: { input: 10, output: 20 } }
    await using made = await bench(
      [
        [toolCall("bash", { command: "echo 1" }), usage({ input: 200_001, output: 10 })],
        [text("Done."), usage({ input: 100, output: 10 })],
      ],
      { model: { cost: dear, limit: { context: 1_000_000, output: 8_000 } } },
    )
    expect((await made.prompt("go")).cost).toBeCloseTo((200_001 * 10 + 10 * 20 + 100 + 20) / 1e6, 9)
  })

  test("also the title's, which no message holds", async () => {
    await using made = await bench(
      (request) => (offeredTools(request).length === 0 ? text("A name") : [waitForTitle.step, text("Done.")]),
      { config: { title: "model" } },
    )
    const waitForTitle = titleGate(made)
    const outcome = await made.prompt("go")
    expect(session(made, outcome.sessionID)?.title).toBe("A name")
    expect(outcome.tokens).toMatchObject({ input: 200, output: 40 })
    expect(outcome.cost).toBeCloseTo(cost(200, 40), 12)
    expect(session(made, outcome.sessionID)).toMatchObject({ tokens: { input: 200, output: 40 } })
    expect((await spending(made)).map((row) => String(row["agent"])).sort()).toEqual(["build", "title"])
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("also when only its tools were interrupted", async () => {
    await using made = await bench([
      [toolCall("bash", { command: "echo RUNS; sleep 60" }), usage({ input: 1_000, output: 10 })],
      [text("Two."), usage({ input: 100, output: 1 })],
    ])
    const { id } = await made.engine.createSession({})
    made.engine.subscribe((event) => {
      if (event.type === "message.part.updated" && JSON.stringify(event.properties.part).includes("RUNS\\n"))
        void made.engine.abort(id)
    })
    const paid = { tokens: { input: 1_000, output: 10 }, cost: cost(1_000, 10) }
    expect(await made.prompt("go", { sessionID: id })).toMatchObject({ reason: "aborted", ...paid })
    expect(session(made, id)).toMatchObject(paid)
    expect(made.engine.messages(id).at(-1)?.info).toMatchObject({ ...paid, error: { name: "MessageAbortedError" } })
    expect(await spending(made)).toMatchObject([{ input: 1_000, output: 10, cost: paid.cost }])
    await made.prompt("go on", { sessionID: id })
    expect(await spending(made)).toHaveLength(2)
    expect(problemsOf(made, id)).toEqual([])
  })

  test("a model without a price costs nothing that is known, and says so", async () => {
    await using made = await bench([text("Done.")], { model: { cost: undefined } })
    const { sessionID } = await made.prompt("go")
    expect((await spending(made))[0]).toMatchObject({ cost: 0, unpriced: 1, input: 100 })
    expect(made.engine.messages(sessionID).at(-1)?.info).toMatchObject({ unpriced: true })
    await using priced = await bench([text("Done.")])
    await priced.prompt("go")
    expect((await spending(priced))[0]).toMatchObject({ unpriced: 0 })
  })

  test.each(["chat", "anthropic", "responses", "google"] as const)(
    "what %s did not count is estimated by its length, and a budget of tokens holds",
    async (protocol) => {
      const answer = [text("x".repeat(400)), toolCall("bash", { command: `: ${"y".repeat(400)}` }), noUsage()]
      await using made = await bench([answer, [text("Never said.")]], {
        protocol,
        config: { budget: { run: { tokens: 1_200 } } },
      })
      const { sessionID, reason, cost: paid } = await made.prompt("go")
      expect(reason).toBe("budget")
      const [first] = made.engine.messages(sessionID).flatMap(({ info }) => (info.role === "assistant" ? [info] : []))
      expect(first).toMatchObject({ estimated: true, tokens: { reasoning: 0, cache: { read: 0, write: 0 } } })
      const { input, output, total } = first!.tokens
      expect([total, output >= 200 && output < 250]).toEqual([undefined, true])
      const sent = JSON.stringify(made.server.requests[0]!.body).length / 4
      expect(Math.abs(input / sent - 1)).toBeLessThan(0.25)
      expect(paid).toBeCloseTo(cost(input, output), 12)
      expect(await spending(made)).toMatchObject([{ input, output }])
      expect(problemsOf(made, sessionID)).toEqual([])
    },
  )

  test("the size of the tools is recorded with the first request of a turn, as it was sent", async () => {
    await using made = await bench([[toolCall("bash", { command: "echo 1" })], [text("One.")], [text("Two.")]])
    const { sessionID } = await made.prompt("one")
    await made.prompt("two", { sessionID })
    const tools = (await spending(made)).map((row) => JSON.parse(String(row["tools"])) as Record<string, number> | null)
    expect(tools[1]).toBeNull()
    expect(tools[2]).toEqual(tools[0]!)
    const [request] = made.server.requests
    expect(Object.keys(tools[0]!)).toEqual(offeredTools(request!))
    const sent = (request!.body as { tools: { function: unknown }[] }).tools
    for (const [index, size] of Object.values(tools[0]!).entries())
      expect(Math.abs(size - textTokens(JSON.stringify(sent[index]!.function)))).toBeLessThan(10)
  })
})

/** Opens once the session has its title; made after the bench, used by its scenario. */
function titleGate(made: Bench) {
  const named = gate()
  made.engine.subscribe((event) => {
    if (event.type === "session.updated" && event.properties.info.title === "A name") named.open()
  })
  return { step: waitFor(named) }
}

describe("a subagent's calls count in its parent", () => {
  /** The parent's turn waits in its second step until the child has answered. */
  async function family(budget?: Record<string, unknown>) {
    const done = gate()
    const began = gate()
    const made = await bench(
      (request) => {
        if (userTexts(request).some((words) => words.includes("as the child")))
          return [text("Found."), usage({ input: 3_000, output: 30 })]
        if (request.text.includes("MARK-1")) {
          began.open()
          return [headers(), waitFor(done), text("Done."), usage({ input: 200, output: 2 })]
        }
        return [toolCall("bash", { command: "echo MARK-1" }), usage({ input: 100, output: 1 })]
      },
      budget ? { config: { budget } } : {},
    )
    const parent = await made.engine.createSession({})
    const child = await made.engine.createSession({ parentID: parent.id, title: "A subagent" })
    const running = say(made.engine, parent.id, "as the parent")
    await began.opened
    return { made, parent, child, running, done }
  }

  test("in the result of the run and in the budgets, while each session keeps its own totals", async () => {
    const { made, parent, child, running, done } = await family()
    await using _ = made
    const answered = await say(made.engine, child.id, "as the child")
    done.open()
    const outcome = await running
    if (!answered.ok || !outcome.ok) throw new Error("a prompt was refused")
    expect(answered.value.cost).toBeCloseTo(cost(3_000, 30), 12)
    expect(outcome.value.tokens).toMatchObject({ input: 3_300, output: 33 })
    expect(outcome.value.cost).toBeCloseTo(cost(3_300, 33), 12)
    expect(session(made, parent.id)?.cost).toBeCloseTo(cost(300, 3), 12)
    expect(session(made, child.id)?.cost).toBeCloseTo(cost(3_000, 30), 12)
    expect(problemsOf(made, child.id)).toEqual([])
  })

  test("and the budget of the parent's run stops the subagent, and then the parent", async () => {
    const { made, child, running, done } = await family({ run: { tokens: 3_000 } })
    await using _ = made
    await say(made.engine, child.id, "as the child")
    const before = made.server.requests.length
    expect(await say(made.engine, child.id, "as the child again")).toMatchObject({
      ok: true,
      value: { reason: "budget" },
    })
    expect(made.server.requests).toHaveLength(before)
    done.open()
    // Its last call was under way when the child spent too much; there was nothing more to ask.
    expect(await running).toMatchObject({ ok: true, value: { reason: "done" } })
  })

  test("the budget of a session is that of the outermost one with all its subagents", async () => {
    await using made = await bench(() => [text("Yes."), usage({ input: 60, output: 0 })], {
      config: { budget: { session: { tokens: 100 } } },
    })
    const parent = await made.engine.createSession({})
    const children = [1, 2].map(() => made.engine.createSession({ parentID: parent.id }))
    const [one, two] = await Promise.all(children)
    const reasons = []
    for (const id of [one!.id, two!.id, parent.id, one!.id]) {
      const outcome = await say(made.engine, id, "go")
      reasons.push(outcome.ok && outcome.value.reason)
    }
    expect(reasons).toEqual(["done", "done", "budget", "budget"])
    const alone = await made.engine.createSession({})
    expect(await say(made.engine, alone.id, "go")).toMatchObject({ value: { reason: "done" } })
  })
})

describe("a budget holds", () => {
  const perCall = [text("Yes."), usage({ input: 60, output: 0 })]

  test("after a restart, in another directory and in another engine at the same time", async () => {
    await using made = await bench(() => perCall, {
      config: { budget: { day: { tokens: 100 }, session: { tokens: 100 } } },
    })
    const { sessionID } = await made.prompt("one")
    await made.restart()
    expect(await made.prompt("two", { sessionID })).toMatchObject({ reason: "done" })
    await made.restart()
    expect(await made.prompt("three", { sessionID })).toMatchObject({
      reason: "budget",
      error: { data: { message: expect.stringContaining("this session") } },
    })
    const directory = `${made.workspace.home}/elsewhere`
    await mkdir(directory)
    const other = await createEngine({ ...made.options, directory })
    if (!other.ok) throw new Error(other.error.message)
    await using engine = other.value
    const { id } = await engine.createSession({})
    expect(await say(engine, id, "go")).toMatchObject({
      value: { reason: "budget", error: { data: { message: expect.stringContaining("today") } } },
    })
    expect(made.server.requests).toHaveLength(2)
  })

  test("until midnight on the clock of this machine", async () => {
    const clock = new TestClock(new Date(2026, 5, 1, 23, 59, 30).getTime())
    await using made = await bench(() => perCall, { config: { budget: { day: { tokens: 60 } } }, clock })
    expect(await made.prompt("one")).toMatchObject({ reason: "done" })
    expect(await made.prompt("two")).toMatchObject({ reason: "budget" })
    clock.setNow(new Date(2026, 5, 2).getTime())
    expect(await made.prompt("three")).toMatchObject({ reason: "done" })
  })

  test("though the session that spent it is deleted", async () => {
    await using made = await bench(() => perCall, { config: { budget: { day: { tokens: 60 } } } })
    const { sessionID } = await made.prompt("the PRIVATE plan")
    expect(await made.engine.deleteSession(sessionID)).toMatchObject({ ok: true })
    expect(await made.prompt("two")).toMatchObject({ reason: "budget" })
    expect((await made.engine.verify()).problems).toEqual([])
    // What stays says nothing of what was said.
    expect(JSON.stringify(made.log(sessionID))).not.toContain("PRIVATE")
  })

  test("for a summary too: neither the user nor a full context makes a call that it forbids", async () => {
    await using made = await bench(() => perCall, { config: { budget: { session: { tokens: 100 } } } })
    const { sessionID } = await made.prompt("one")
    await made.prompt("two", { sessionID })
    expect(await made.engine.compact(sessionID)).toMatchObject({ value: { reason: "budget" } })
    expect(made.server.requests).toHaveLength(2)
    // No request for a summary was stored that nobody will answer.
    expect(made.engine.messages(sessionID)).toHaveLength(4)
    expect(problemsOf(made, sessionID)).toEqual([])

    await using full = await bench(
      () => [toolCall("bash", { command: "echo 1" }), usage({ input: 15_000, output: 0 })],
      {
        config: { budget: { run: { tokens: 15_000 } } },
        model: { limit: { context: 16_000, output: 4_000 } },
      },
    )
    expect(await full.prompt("go")).toMatchObject({ reason: "budget" })
    expect(full.server.requests).toHaveLength(1)
  })

  test("when the summary itself used it up", async () => {
    const summary = (words: readonly string[]) => words.at(-1)?.includes("## Relevant files") === true
    await using made = await bench(
      (request) =>
        summary(userTexts(request))
          ? [text("## Goal\nnotes"), usage({ input: 10_000, output: 10 })]
          : [toolCall("bash", { command: "seq 1 3000" }), usage({ input: 15_000, output: 0 })],
      { config: { budget: { run: { tokens: 20_000 } } }, model: { limit: { context: 16_000, output: 4_000 } } },
    )
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ reason: "budget", tokens: { input: 25_000 } })
    expect(made.server.requests).toHaveLength(2)
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("for a title: without money there is none", async () => {
    await using made = await bench([text("never")], { config: { title: "model", budget: { run: { tokens: 0 } } } })
    expect(await made.prompt("go")).toMatchObject({ reason: "budget", tokens: { input: 0 } })
    expect(made.server.requests).toHaveLength(0)
  })

  test("between the tries of one step", async () => {
    const clock = new TestClock()
    const other = gate()
    await using made = await bench(
      (request) =>
        request.text.includes("elsewhere")
          ? [text("Yes."), usage({ input: 60, output: 0 })]
          : status(503, { headers: { "retry-after": "5" } }),
      { config: { budget: { day: { tokens: 60 } } }, clock },
    )
    made.engine.subscribe((event) => {
      if (event.type === "session.status" && event.properties.status.type === "retry") other.open()
    })
    const { id } = await made.engine.createSession({})
    const waiting = say(made.engine, id, "go")
    await other.opened
    await made.prompt("elsewhere")
    await clock.advance(6_000)
    expect(await waiting).toMatchObject({ value: { reason: "budget" } })
    expect(made.server.requests).toHaveLength(2)
    expect(problemsOf(made, id)).toEqual([])
  })

  test("of money for a model without a price only if tokens are bounded too", async () => {
    const unpriced = { model: { cost: undefined } }
    await using money = await bench([text("never")], { config: { budget: { run: { money: 1 } } }, ...unpriced })
    expect(await money.prompt("go")).toMatchObject({
      reason: "budget",
      error: { data: { message: expect.stringContaining("price of this model is not known") } },
    })
    expect(money.server.requests).toHaveLength(0)
    await using both = await bench([text("Yes.")], {
      config: { budget: { run: { money: 1, tokens: 1_000 } } },
      ...unpriced,
    })
    expect(await both.prompt("go")).toMatchObject({ reason: "done" })
  })
})
