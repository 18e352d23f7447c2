import type { ToolPart } from "@cairn/schema/part"
import type { Todo } from "@cairn/schema/todo"
import { sanitizeLine, ui } from "../../terminal/sanitize.ts"
import type { Glyphs } from "../text/drawing.ts"
import type { Line, Style } from "../text/span.ts"
import { wrap } from "../text/wrap.ts"
import { type PartContext, row } from "./context.ts"
import { failureRows } from "./tool-look.ts"

/** The list as it is after the call. */
export function todoRows(part: ToolPart, context: PartContext): Line[] {
  const { state } = part
  const head = row(
    [{ text: ui`${context.glyphs.pen} todo`, style: { tone: state.status === "error" ? "error" : "muted" } }],
    context,
  )
  if (state.status === "error") return [head, ...failureRows(part, context)]
  const metadata = "metadata" in state ? state.metadata : undefined
  return [head, ...todoListRows(todosIn(metadata?.["todos"]) ?? todosIn(state.input["todos"]) ?? [], context)]
}

/** The lines of a list, for the transcript and the sidebar. */
function todoListRows(todos: readonly Todo[], { widths, width, glyphs }: PartContext): Line[] {
  return todos.flatMap((todo) => {
    const { mark, style } = lookOf(todo.status, glyphs)
    const first = [{ text: ui`  ${mark} `, style }]
    const spans = [{ text: sanitizeLine(todo.content), style }]
    return wrap(spans, widths, { width, mode: "word", first, rest: [{ text: ui`    ` }] })
  })
}

function lookOf(status: string, glyphs: Glyphs): { mark: ReturnType<typeof ui>; style: Style } {
  if (status === "completed") return { mark: glyphs.yes, style: { tone: "muted" } }
  if (status === "in_progress") return { mark: glyphs.current, style: { tone: "text", bold: true } }
  if (status === "cancelled") return { mark: glyphs.no, style: { tone: "muted", strike: true } }
  return { mark: glyphs.open, style: { tone: "text" } }
}

function todosIn(value: unknown): Todo[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.flatMap((each: unknown): Todo[] => {
    if (typeof each !== "object" || each === null || !("content" in each) || typeof each.content !== "string") return []
    const status = "status" in each && typeof each.status === "string" ? each.status : "pending"
    return [{ content: each.content, status, priority: "" }]
  })
}
