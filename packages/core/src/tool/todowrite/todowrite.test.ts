import { expect, test } from "bun:test"
import { err } from "@cairn/kernel/result"
import type { Todo } from "@cairn/schema/todo"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import { createTodowriteTool } from "./todowrite.ts"

test("the list is saved for the session and shown with marks", async () => {
  await using bench = await createToolBench()
  const saved: [string, readonly Todo[]][] = []
  const tool = createTodowriteTool({ saveTodos: (sessionID, todos) => void saved.push([sessionID, todos]) })
  const todos = [
    { content: "look", status: "completed", priority: "high" },
    { content: "change", status: "in_progress" },
    { content: "test", status: "pending", priority: "low" },
  ]
  const done = await runTool(tool, bench, { todos })
  expect(shownResult(done)).toBe("[x] look\n[~] change\n[ ] test")
  expect(saved).toEqual([["ses_1", [todos[0], { ...todos[1], priority: "medium" }, todos[2]] as Todo[]]])
  expect(done.ok && done.value.title).toBe("2 of 3 tasks open")
  expect(done.ok && done.value.metadata.todos).toEqual(saved[0]?.[1])
  expect(bench.asks.map((ask) => ask.permission)).toEqual(["todowrite"])
})

test("an empty list is a list, a refusal saves nothing", async () => {
  await using bench = await createToolBench()
  let saves = 0
  const tool = createTodowriteTool({ saveTodos: () => void saves++ })
  expect(shownResult(await runTool(tool, bench, { todos: [] }))).toBe("The task list is empty.")
  bench.answer = () => err({ kind: "denied", message: "no" })
  expect(shownResult(await runTool(tool, bench, { todos: [] }))).toBe("denied: no")
  expect(saves).toBe(1)
})
