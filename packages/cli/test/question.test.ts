import { describe, expect, test } from "bun:test"
import { offeredTools, toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn, startCairn } from "./run-cairn.ts"

const options = [{ label: "SQLite", description: "One file" }]
const questions = [{ question: "Which database?", header: "Database", options }]
const scenario = [[toolCall("question", { questions })], [text("As you say.")]]

/** Runs with answers by hand: `reply` gets the id of the question and gives what is written before stdin ends. */
async function interactive(format: "json" | "text", reply: (id: string) => string) {
  await using space = await tempWorkspace()
  await using server = await startModelServer(scenario)
  const argv = ["run", "--format", format, "--interactive-permissions", "go"]
  const run = startCairn(space, argv, { server, stdin: "pipe" })
  const [, id = ""] = await run.printed(/"question.asked","properties":\{"id":"(que_\w+)"/)
  await run.answer(reply(id))
  const ended = await run.ended
  const told = server.requests[1] && toolResults(server.requests[1]).at(-1)?.output
  return { ...ended, told }
}

describe("questions of a run", () => {
  test.each(["json", "text"] as const)("are answered on stdin (%s)", async (format) => {
    const run = await interactive(format, (id) => `{"id":"${id}","answers":[["SQLite","and my own words"]]}\n`)
    expect(run.code).toBe(0)
    expect(run.told).toContain("Which database?\n→ SQLite; and my own words")
    expect(run.out).toContain("As you say.")
  })

  test("may be rejected: that ends the run", async () => {
    const run = await interactive("json", (id) => `{"id":"${id}","reply":"reject"}\n`)
    expect(run.code).toBe(4)
    expect(run.result()).toMatchObject({ reason: "rejected" })
    expect(run.lines().map((line) => line.type)).toContain("question.rejected")
  })

  test("are given up when stdin ends: the model is told and goes on", async () => {
    const run = await interactive("json", () => "")
    expect(run.code).toBe(4)
    expect(run.result()).toMatchObject({ reason: "done", denied: 1, text: "As you say." })
    expect(run.told).toContain("closed its input")
  })

  test("are denied where nobody is there, and not offered", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer(scenario)
    const run = await cairn(space, ["run", "go"], { server })
    expect([run.code, run.out.trim()]).toEqual([0, "As you say."])
    expect(offeredTools(server.requests[0]!)).not.toContain("question")
    expect(toolResults(server.requests[1]!).at(-1)?.output).toContain("Nobody is here to answer")
  })
})
