import { describe, expect, test } from "bun:test"
import { offeredTools, toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import type { ToolPart } from "@cairn/schema/part"
import type { Engine } from "@cairn/schema/engine"
import { type Bench, bench, problemsOf } from "./harness.ts"

const questions = [
  {
    question: "Which database?",
    header: "Database",
    options: [
      { label: "SQLite", description: "One file" },
      { label: "Postgres", description: "A server" },
    ],
  },
  { question: "Which parts?", header: "Parts", options: [], multiple: true },
]

/** Resolves with the id of the next question that is asked. */
function asked(engine: Engine): Promise<string> {
  return new Promise((resolve) => {
    const stop = engine.subscribe((event) => {
      if (event.type !== "question.asked") return
      stop()
      resolve(event.properties.id)
    })
  })
}

function callsIn(made: Bench, sessionID: string): ToolPart[] {
  return made.engine
    .messages(sessionID)
    .flatMap(({ parts }) => parts)
    .filter((part) => part.type === "tool")
}

const typesOf = (made: Bench, sessionID: string) =>
  made
    .log(sessionID)
    .map(({ event }) => event.type)
    .filter((type) => type.startsWith("question."))

describe("a question", () => {
  test("waits for its answers, which go to the model", async () => {
    await using made = await bench([[toolCall("question", { questions })], [text("SQLite it is.")]])
    const question = asked(made.engine)
    const session = (await made.engine.createSession({})).id
    const turn = made.prompt("Set it up", { sessionID: session, asks: "wait" })
    const id = await question
    expect(made.engine.pendingQuestions(session)).toMatchObject([{ id, sessionID: session, questions }])
    expect(made.engine.pendingQuestions("ses_other")).toEqual([])
    expect(made.engine.replyQuestion("que_other", [["x"]])).toBe(false)
    expect(made.engine.replyQuestion(id, [["SQLite"], ["api", "docs"]])).toBe(true)
    expect(made.engine.replyQuestion(id, [["Postgres"]])).toBe(false)
    expect(await turn).toMatchObject({ reason: "done", denied: 0 })
    expect(toolResults(made.server.requests[1]!).at(-1)?.output).toContain("Which database?\n→ SQLite")
    expect(toolResults(made.server.requests[1]!).at(-1)?.output).toContain("→ api; docs")
    expect(made.engine.pendingQuestions()).toEqual([])
    expect(typesOf(made, session)).toEqual(["question.asked", "question.replied"])
    expect(problemsOf(made, session)).toEqual([])
  })

  test("dismissed without a word ends the turn; with one the turn goes on", async () => {
    await using made = await bench([
      [toolCall("question", { questions })],
      [toolCall("question", { questions })],
      [text("Then I decide.")],
    ])
    const first = asked(made.engine)
    const turn = made.prompt("Set it up", { asks: "wait" })
    made.engine.rejectQuestion(await first)
    const ended = await turn
    expect(ended.reason).toBe("rejected")
    expect(callsIn(made, ended.sessionID)).toMatchObject([{ state: { status: "error", kind: "rejected" } }])

    const second = asked(made.engine)
    const again = made.prompt("Once more", { sessionID: ended.sessionID, asks: "wait" })
    made.engine.rejectQuestion(await second, "Nobody is here any more.")
    expect(await again).toMatchObject({ reason: "done", text: "Then I decide." })
    expect(toolResults(made.server.requests[2]!).at(-1)?.output).toContain("Nobody is here any more.")
    expect(problemsOf(made, ended.sessionID)).toEqual([])
  })

  test("is settled when the turn is interrupted", async () => {
    await using made = await bench([[toolCall("question", { questions })]])
    const question = asked(made.engine)
    const session = (await made.engine.createSession({})).id
    const turn = made.prompt("Set it up", { sessionID: session, asks: "wait" })
    await question
    await made.engine.abort(session)
    expect((await turn).reason).toBe("aborted")
    expect(typesOf(made, session)).toEqual(["question.asked", "question.rejected"])
    expect(made.engine.pendingQuestions()).toEqual([])
    expect(problemsOf(made, session)).toEqual([])
  })

  test.each(["deny", "auto"] as const)(
    "is not offered when nobody is there (%s), and says so when called",
    async (asks) => {
      await using made = await bench([[toolCall("question", { questions })], [text("I assumed SQLite.")]])
      const outcome = await made.prompt("Set it up", { asks })
      expect(outcome).toMatchObject({ reason: "done", denied: 0 })
      expect(offeredTools(made.server.requests[0]!)).not.toContain("question")
      expect(callsIn(made, outcome.sessionID)).toMatchObject([{ state: { status: "error", kind: "denied" } }])
      expect(toolResults(made.server.requests[1]!).at(-1)?.output).toContain("Nobody is here to answer")
      expect(typesOf(made, outcome.sessionID)).toEqual([])
      expect(problemsOf(made, outcome.sessionID)).toEqual([])
    },
  )

  test("is offered where somebody answers, unless the rules deny it", async () => {
    const offered = async (config: Record<string, unknown>) => {
      await using made = await bench([[text("ok")]], { config })
      await made.prompt("hi", { asks: "wait" })
      return offeredTools(made.server.requests[0]!)
    }
    expect(await offered({})).toContain("question")
    expect(await offered({ permission: { question: "deny" } })).not.toContain("question")
  })
})

describe("list and todoread", () => {
  test("are not offered, and work when they are called by name", async () => {
    const todos = [{ content: "look", status: "pending", priority: "high" }]
    await using made = await bench(
      [
        [toolCall("todowrite", { todos })],
        [toolCall("todoread", {}), toolCall("list", { path: "src", ignore: ["*.log"] })],
        [text("done")],
      ],
      { files: { "src/a.ts": "", "src/b.log": "", "src/deep/c.ts": "", "d.ts": "" } },
    )
    const outcome = await made.prompt("hi")
    const names = offeredTools(made.server.requests[0]!)
    expect(names).toContain("read")
    expect(names).not.toContain("list")
    expect(names).not.toContain("todoread")
    const [todo, list] = toolResults(made.server.requests[2]!).slice(-2)
    expect(todo?.output).toBe("[ ] look")
    expect(list?.output).toBe("src/\n  deep/\n    c.ts\n  a.ts")
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test.each([
    ["tools", { tools: { list: true } }],
    ["permission", { permission: { list: "allow" } }],
  ])("are offered when the config's %s names them", async (_, config) => {
    await using made = await bench([[text("ok")]], { config })
    await made.prompt("hi")
    expect(offeredTools(made.server.requests[0]!)).toContain("list")
    expect(offeredTools(made.server.requests[0]!)).not.toContain("todoread")
  })
})
