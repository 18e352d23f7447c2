import type { Part } from "@cairn/schema/part"
import type { MessageView } from "../store/body.ts"
import { isClosed, isText } from "../store/part-order.ts"
import type { Row, RowKind } from "./row.ts"

/** A message as rows are made from it: what is held of it, and its parts in their order. */
export interface Source {
  readonly id: string
  /** Undefined: its contents are not held. */
  readonly message: MessageView | undefined
  readonly parts: readonly Part[]
}

export interface RowOptions {
  /** Into how many blocks a text falls, at least 1; the last may still grow. One when absent. */
  readonly blocks?: (part: Extract<Part, { type: "text" }>) => number
}

/** The rows of one message. */
export function rowsOf({ id, message, parts }: Source, options: RowOptions = {}): Row[] {
  if (!message) return [{ id, kind: "dropped", messageID: id, parts: [], live: false }]
  const rows = message.info.role === "user" ? userRows(id, parts) : parts.flatMap((part) => partRows(part, options))
  const failed = message.info.role === "assistant" && message.info.error !== undefined
  return failed ? [...rows, { id: `${id}:error`, kind: "error", messageID: id, parts: [], live: false }] : rows
}

function userRows(messageID: string, parts: readonly Part[]): Row[] {
  const said = parts.filter(
    (part) =>
      (part.type === "text" && !part.synthetic && !part.ignored) || part.type === "file" || part.type === "agent",
  )
  const more = parts.filter((part) => part.type === "compaction" || part.type === "subtask")
  const rows = more.map((part) => rowOf(part, part.type === "compaction" ? "compaction" : "subtask"))
  return said.length === 0
    ? rows
    : [{ id: messageID, kind: "user", messageID, parts: said.map((part) => part.id), live: false }, ...rows]
}

function partRows(part: Part, { blocks }: RowOptions): Row[] {
  switch (part.type) {
    case "text": {
      if (part.text === "" || part.synthetic || part.ignored) return []
      const count = Math.max(1, blocks?.(part) ?? 1)
      return Array.from({ length: count }, (_, block) => ({
        ...rowOf(part, "text"),
        id: `${part.id}:${block}`,
        block,
        live: !isClosed(part) && block === count - 1,
      }))
    }
    case "reasoning":
      return part.text === "" && isClosed(part) ? [] : [rowOf(part, "reasoning")]
    case "tool": {
      const failed = part.state.status === "error"
      return [{ ...rowOf(part, "tool"), tool: part.tool, ...(failed && { failed }) }]
    }
    case "retry":
    case "subtask":
    case "compaction":
      return [rowOf(part, part.type)]
    // The footer tells of steps; snapshots and patches are for undo.
    case "step-start":
    case "step-finish":
    case "snapshot":
    case "patch":
      return []
    default:
      return [rowOf(part, "other")]
  }
}

function rowOf(part: Part, kind: RowKind): Row {
  const live = (isText(part) || part.type === "tool") && !isClosed(part)
  return { id: part.id, kind, messageID: part.messageID, parts: [part.id], live }
}

/** Tools whose calls say little each: several of one in succession are shown as one. */
const quiet = new Set(["read", "list", "glob", "grep", "webfetch"])
/** So many in succession become one row. */
const several = 3

/**
 * The rows of a transcript: calls of a quiet tool in succession as one, also across messages. A call that runs or failed
 * stands by itself.
 */
export function mergeQuiet(rows: readonly Row[]): Row[] {
  const merged: Row[] = []
  let run: Row[] = []
  const settle = () => {
    const [first] = run
    if (first && run.length >= several)
      merged.push({ ...first, kind: "tools", parts: run.flatMap(({ parts }) => parts) })
    else merged.push(...run)
    run = []
  }
  for (const row of rows) {
    const tool = quietTool(row)
    if (tool === undefined || (run[0] && quietTool(run[0]) !== tool)) settle()
    if (tool === undefined) merged.push(row)
    else run.push(row)
  }
  settle()
  return merged
}

function quietTool({ kind, tool, live, failed }: Row): string | undefined {
  return kind === "tool" && tool !== undefined && !live && !failed && quiet.has(tool) ? tool : undefined
}
