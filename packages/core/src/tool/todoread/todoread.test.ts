import { expect, test } from "bun:test"
import { err } from "@cairn/kernel/result"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import { createTodoreadTool } from "./todoread.ts"

const todos = [
  { content: "look", status: "completed", priority: "high" },
  { content: "test", status: "in_progress", priority: "low" },
  { content: "from elsewhere", status: "paused", priority: "low" },
]

test("shows the list of the session, and that there is none", async () => {
  await using bench = await createToolBench()
  const tool = createTodoreadTool({ todos: (sessionID) => (sessionID === bench.context.sessionID ? todos : []) })
  const done = await runTool(tool, bench, {})
  expect(shownResult(done)).toBe("[x] look\n[~] test\n[?] from elsewhere")
  expect(done.ok && done.value).toMatchObject({ title: "1 of 3 tasks open", metadata: { todos } })
  expect(bench.asks.map((ask) => ask.permission)).toEqual(["todoread"])
  expect(shownResult(await runTool(createTodoreadTool({ todos: () => [] }), bench, {}))).toBe("The task list is empty.")
  bench.answer = () => err({ kind: "denied", message: "no" })
  expect(shownResult(await runTool(tool, bench, {}))).toBe("denied: no")
})
