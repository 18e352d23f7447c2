import { ok } from "@cairn/kernel/result"
import type { Todo } from "@cairn/schema/todo"
import { z } from "zod"
import { defineTool } from "../define.ts"
import type { Tool } from "../define.ts"
import { todoOutput } from "../todowrite/todowrite.ts"
import description from "./todoread.md" with { type: "text" }

export interface TodoReadDeps {
  todos(sessionID: string): readonly Todo[]
}

const parameters = z.object({})

/** Shows the session's task list. */
export function createTodoreadTool(deps: TodoReadDeps): Tool<typeof parameters> {
  return defineTool({
    name: "todoread",
    description,
    parameters,
    async execute(_, context) {
      const allowed = await context.ask({ permission: "todoread", patterns: ["*"], always: ["*"] })
      return allowed.ok ? ok(todoOutput(deps.todos(context.sessionID))) : allowed
    },
  })
}
