import type { Part, ToolPart } from "@cairn/schema/part"
import { type Safe, sanitize, sanitizeLine, ui } from "../../terminal/sanitize.ts"
import type { Line } from "../text/span.ts"
import { barred, inside, muted, type PartContext, paragraphs, row } from "./context.ts"
import { bashRows } from "./tool-bash.ts"
import { editRows } from "./tool-edit.ts"
import { lookRows } from "./tool-look.ts"
import { questionRows } from "./tool-question.ts"
import { taskRows } from "./tool-task.ts"
import { todoRows } from "./tool-todo.ts"
import { plural, shownPath, span } from "./words.ts"

type Draw = (part: ToolPart, context: PartContext) => Line[]
const tools: Readonly<Record<string, Draw>> = {
  bash: bashRows,
  edit: editRows,
  write: editRows,
  apply_patch: editRows,
  patch: editRows,
  multiedit: editRows,
  todowrite: todoRows,
  task: taskRows,
  question: questionRows,
}

export function toolRows(part: ToolPart, context: PartContext): Line[] {
  const draw = Object.hasOwn(tools, part.tool) ? tools[part.tool] : undefined
  return (draw ?? lookRows)(part, context)
}

/** Lines of a user's message that are shown of a folded one. */
const userLines = 8
const userFoldsAt = 12

/** What the user wrote. */
export function userRows(text: string, context: PartContext): Line[] {
  const { glyphs } = context
  const lines = sanitize(text).trimEnd().split("\n")
  const folds = !context.isOpen && lines.length > userFoldsAt
  const shown = (folds ? lines.slice(0, userLines) : lines).join("\n") as Safe
  const rows = paragraphs(shown, { bold: true }, inside(context))
  const gone = lines.length - userLines
  const rest = folds
    ? paragraphs(ui`${glyphs.more} ${gone} more lines (o opens)`, { tone: "muted" }, inside(context))
    : []
  return [...rows, ...rest].map((line, at) => {
    const mark = at === 0 ? ui`${glyphs.prompt} ` : ui`  `
    return {
      ...line,
      spans: [{ text: mark, style: { tone: "accent", bold: true } }, ...line.spans],
      width: line.width + 2,
    }
  })
}

/** What the model thought. While it does, its last line; then how long it took. */
export function reasoningRows(part: Extract<Part, { type: "reasoning" }>, context: PartContext): Line[] {
  const { glyphs, now } = context
  const { start, end } = part.time
  const text = sanitize(part.text).trim() as Safe
  if (end === undefined) {
    const last = text.split("\n").findLast((line) => line.trim() !== "") ?? ""
    const since = now === undefined ? ui`` : ui` for ${span(now - start)}`
    const head = row([muted(ui`${glyphs.turning[0]} thinks${since}`)], context)
    const rows = context.isOpen
      ? paragraphs(text, { tone: "muted" }, inside(context))
      : last === ""
        ? []
        : [row([muted(last as Safe)], inside(context))]
    return [head, ...barred(rows, context)]
  }
  const head = row(
    [muted(ui`${context.isOpen ? glyphs.unfolded : glyphs.folded} thought for ${span(end - start)}`)],
    context,
  )
  return context.isOpen ? [head, ...barred(paragraphs(text, { tone: "muted" }, inside(context)), context)] : [head]
}

/** Everything of a message that is neither its text, its thoughts nor a tool. Bookkeeping gives no rows. */
export function otherRows(part: Part, context: PartContext): Line[] {
  const { glyphs } = context
  switch (part.type) {
    case "file": {
      const name = sanitizeLine(
        part.filename ?? (part.url.startsWith("data:") ? part.mime : part.url.replace(/^.*\//, "")),
      )
      return [
        row([muted(ui`${glyphs.dot} attached `), { text: name }, muted(ui` ${sanitizeLine(part.mime)}`)], context),
      ]
    }
    case "agent":
      return [row([muted(ui`${glyphs.dot} agent `), { text: sanitizeLine(part.name) }], context)]
    case "subtask":
      return [
        row([muted(ui`${glyphs.dot} ${sanitizeLine(part.agent)} `), { text: sanitizeLine(part.description) }], context),
      ]
    case "retry":
      return retryRows(part, context)
    case "compaction":
      return [ruleRow(part.auto ? ui`compacted` : ui`compacted on request`, context)]
    default:
      return []
  }
}

function retryRows(part: Extract<Part, { type: "retry" }>, context: PartContext): Line[] {
  const left = part.time.next === undefined || context.now === undefined ? undefined : part.time.next - context.now
  const again = left === undefined || left <= 0 ? ui`` : ui`, again in ${span(left)}`
  const text = ui`${context.glyphs.no} attempt ${part.attempt} failed: ${sanitizeLine(part.error.data.message)}${again}`
  return paragraphs(text, { tone: "warn" }, context)
}

/** A rule with a word in it. */
export function ruleRow(word: Safe, { widths, width, glyphs }: PartContext): Line {
  const side = glyphs.rule.repeat(2) as Safe
  const text = ui`${side} ${word} `
  const rest = glyphs.rule.repeat(Math.max(0, Math.min(60, width) - widths.of(text))) as Safe
  return row([muted(ui`${text}${rest}`)], { widths, width, glyphs } as PartContext)
}

/** Several things that were looked at in the same way, as one line. */
export function groupRows(parts: readonly ToolPart[], context: PartContext): Line[] {
  const { glyphs } = context
  const [first] = parts
  if (first === undefined) return []
  if (context.isOpen) return parts.flatMap((part) => toolRows(part, { ...context, isOpen: false }))
  const nouns: Readonly<Record<string, Safe>> = {
    read: ui`file`,
    list: ui`directory`,
    glob: ui`pattern`,
    grep: ui`search`,
    webfetch: ui`page`,
  }
  const noun = Object.hasOwn(nouns, first.tool) ? nouns[first.tool] : undefined
  const many = first.tool === "list" ? ui`directories` : first.tool === "grep" ? ui`searches` : undefined
  const names = parts.map((part) => part.state.input["filePath"]).filter((each) => typeof each === "string")
  const shown = names.map((name) => shownPath(name, context)).join(", ") as Safe
  const count =
    noun === undefined
      ? plural(parts.length, ui`call`)
      : many === undefined
        ? plural(parts.length, noun)
        : ui`${parts.length} ${many}`
  return [
    row(
      [
        muted(ui`${glyphs.dot} ${sanitizeLine(first.tool)} `),
        { text: count },
        ...(shown === "" ? [] : [muted(ui`  ${shown}`)]),
      ],
      context,
    ),
  ]
}
