import type { Todo } from "@cairn/schema/todo"
import type { Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

const box: Record<string, string> = { completed: "[x]", in_progress: "[>]", cancelled: "[-]" }

/** A task list, one line a task. */
export function todoLines(todos: readonly Pick<Todo, "content" | "status">[], style: Style): string[] {
  return todos.map((todo) => {
    const line = `${box[todo.status] ?? "[ ]"} ${sanitiseLine(todo.content)}`
    if (todo.status === "in_progress") return style.strong(line)
    return todo.status === "pending" ? line : style.dim(line)
  })
}

/** The task list in what a tool was given or returned; undefined when there is none. */
export function todosIn(value: unknown): Pick<Todo, "content" | "status">[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter(
    (item: unknown): item is Pick<Todo, "content" | "status"> =>
      typeof item === "object" &&
      item !== null &&
      "content" in item &&
      typeof item.content === "string" &&
      "status" in item &&
      typeof item.status === "string",
  )
}
