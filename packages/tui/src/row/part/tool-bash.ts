import type { ToolPart } from "@cairn/schema/part"
import { type AnsiSpan, type Safe, sanitize, sanitizeAnsi, ui } from "../../terminal/sanitize.ts"
import type { Line, Span } from "../text/span.ts"
import { wrap } from "../text/wrap.ts"
import { barred, inside, muted, numberOf, type PartContext, row, spread, textOf } from "./context.ts"
import { ended, failureRows } from "./tool-look.ts"
import { plural } from "./words.ts"

/** Lines of a failed command's output, and of an opened one's. */
const failedLines = 20
const openLines = 200
const commandLines = 8

/** `$ command`, how it ended, and the end of what it wrote: that is where the answer stands. */
export function bashRows(part: ToolPart, context: PartContext): Line[] {
  const { state } = part
  const metadata = "metadata" in state ? state.metadata : undefined
  const exit = numberOf(metadata, "exit")
  const isFailed = state.status === "error" || (state.status === "completed" && exit !== 0)
  const tone = isFailed ? "error" : "muted"
  const [first = "", ...others] = sanitize(textOf(state.input, "command")).trim().split("\n")
  const head = spread(
    [{ text: ui`$ `, style: { tone: isFailed ? "error" : "accent" } }, { text: first as Safe }],
    [...ended(part, context), ...exitSpans(part, exit)],
    context,
  )
  const more = others.slice(0, commandLines - 1).map((line) => row([{ text: ui`  ${line as Safe}` }], context))
  const gone = others.length - more.length
  const rest =
    gone > 0 ? [row([muted(ui`  ${context.glyphs.more} ${plural(gone, ui`more line`)} of the command`)], context)] : []
  if (state.status === "error") return [head, ...more, ...rest, ...failureRows(part, context)]
  const output = outputRows(
    textOf(metadata, "output") || (state.status === "completed" ? state.output : ""),
    limitOf(context, isFailed),
    inside(context),
  )
  return [head, ...more, ...rest, ...barred(output, context, tone)]
}

function limitOf({ isOpen, fold }: PartContext, isFailed: boolean): number {
  if (isOpen) return openLines
  return isFailed ? Math.max(failedLines, fold.bash) : fold.bash
}

function exitSpans({ state }: ToolPart, exit: number | undefined): Span[] {
  if (state.status !== "completed") return []
  if (exit === undefined) return [muted(ui`  `), { text: ui`no exit code`, style: { tone: "error" } }]
  return [
    muted(ui`  `),
    { text: ui`exit ${exit}`, style: { tone: exit === 0 ? "muted" : "error", ...(exit === 0 ? {} : { bold: true }) } },
  ]
}

/** The last lines, in the program's own colours. */
function outputRows(output: string, limit: number, context: PartContext): Line[] {
  const lines = sanitizeAnsi(output.replace(/\s+$/, ""))
  if (lines.length === 1 && lines[0]?.length === 0) return []
  const shown = lines.slice(-limit)
  const gone = lines.length - shown.length
  const before =
    gone > 0
      ? [
          row(
            [
              muted(
                ui`${context.glyphs.more} ${plural(gone, ui`earlier line`)}${context.isOpen ? ui`` : ui` (o opens)`}`,
              ),
            ],
            context,
          ),
        ]
      : []
  const rows = shown.flatMap((line) =>
    wrap(line.map(spanOf), context.widths, { width: context.width, mode: "character" }),
  )
  return [...before, ...rows]
}

function spanOf({ text, style }: AnsiSpan): Span {
  if (style === undefined) return { text, style: { tone: "muted" } }
  const { fg, bg, ...flags } = style
  const ansi = { ...(fg === undefined ? {} : { fg }), ...(bg === undefined ? {} : { bg }) }
  return { text, style: { ...flags, ansi } }
}
