import { ok } from "@cairn/kernel/result"
import type { Todo } from "@cairn/schema/todo"
import { z } from "zod"
import { defineTool } from "../define.ts"
import type { Tool, ToolOutput } from "../define.ts"
import description from "./todowrite.md" with { type: "text" }

export interface TodoDeps {
  /** Replaces the list of the session, durably. */
  saveTodos(sessionID: string, todos: readonly Todo[]): void | Promise<void>
}

const parameters = z.object({
  todos: z
    .array(
      z.object({
        content: z.string().min(1).max(1_000),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
        priority: z.enum(["high", "medium", "low"]).default("medium"),
      }),
    )
    .max(100)
    .describe("The whole list, in order"),
})

const marks: Readonly<Record<string, string>> = { pending: " ", in_progress: "~", completed: "x", cancelled: "-" }

/** Keeps the session's task list. Two calls in one step take effect one after the other. */
export function createTodowriteTool(deps: TodoDeps): Tool<typeof parameters> {
  return defineTool({
    name: "todowrite",
    description,
    parameters,
    exclusive: true,
    async execute({ todos }, context) {
      const allowed = await context.ask({ permission: "todowrite", patterns: ["*"], always: ["*"] })
      if (!allowed.ok) return allowed
      await deps.saveTodos(context.sessionID, todos)
      return ok(todoOutput(todos))
    },
  })
}

/** A task list as the model and clients get it. */
export function todoOutput(todos: readonly Todo[]): ToolOutput {
  const open = todos.filter(({ status }) => status === "pending" || status === "in_progress").length
  const lines = todos.map(({ content, status }) => `[${marks[status] ?? "?"}] ${content}`)
  return {
    title: `${open} of ${todos.length} tasks open`,
    output: lines.length === 0 ? "The task list is empty." : lines.join("\n"),
    metadata: { todos },
  }
}
