import type { Safe } from "../../terminal/sanitize.ts"
import { ui } from "../../terminal/sanitize.ts"
import type { Drawing } from "../text/drawing.ts"
import type { Line, Span, Style } from "../text/span.ts"
import { wrap } from "../text/wrap.ts"

/** What parts are drawn with. */
export interface PartContext extends Drawing {
  /** Columns. */
  readonly width: number
  /** Paths below it are shown relative to it. */
  readonly directory: string
  readonly home: string | undefined
  /** Rows of a command's output, and of a diff, that are shown of a folded part. */
  readonly fold: { readonly bash: number; readonly edit: number }
  /** The user has opened this part. */
  readonly isOpen: boolean
  /** Milliseconds since the epoch, for what still runs. Undefined: its duration is not shown. */
  readonly now: number | undefined
}

/** A row of spans, cut at the width. */
export function row(spans: readonly Span[], { widths, width, glyphs }: PartContext): Line {
  const total = spans.reduce((sum, span) => sum + widths.of(span.text), 0)
  if (total <= width) return { spans, width: total }
  const kept: Span[] = []
  let room = width - widths.of(glyphs.more)
  for (const span of spans) {
    const own = widths.of(span.text)
    if (own > room) {
      kept.push({ ...span, text: cut(span.text, room, widths) })
      break
    }
    kept.push(span)
    room -= own
  }
  const all = [...kept, { text: glyphs.more, style: { tone: "muted" } as const }]
  return { spans: all, width: all.reduce((sum, span) => sum + widths.of(span.text), 0) }
}

function cut(text: Safe, width: number, widths: Drawing["widths"]): Safe {
  let kept = ""
  let used = 0
  for (const character of widths.characters(text)) {
    if (used + character.width > width) break
    kept += character.text
    used += character.width
  }
  return kept as Safe
}

/** A row whose last part stands at the right end; that part stays, the rest gives way. */
export function spread(left: readonly Span[], right: readonly Span[], context: PartContext): Line {
  const { widths, width } = context
  const end = right.reduce((sum, span) => sum + widths.of(span.text), 0)
  if (end === 0 || end + 4 > width) return row(left, context)
  const start = row(left, { ...context, width: width - end - 2 })
  const room = " ".repeat(width - end - start.width) as Safe
  return { spans: [...start.spans, { text: room }, ...right], width }
}

/** Text of several lines, each wrapped, with the same margin. */
export function paragraphs(
  text: Safe,
  style: Style | undefined,
  context: PartContext,
  margin: readonly Span[] = [],
): Line[] {
  const { widths, width } = context
  return text.split("\n").flatMap((line) => {
    const spans = line === "" ? [] : [{ text: line as Safe, ...(style === undefined ? {} : { style }) }]
    return wrap(spans, widths, { width, mode: "word", first: margin, rest: margin })
  })
}

/** The bar before what belongs to the line above. */
function bar({ glyphs }: PartContext, tone: "muted" | "error" = "muted"): Span[] {
  return [{ text: ui`${glyphs.bar} `, style: { tone } }]
}

/** Rows behind a bar. `context` for the rows has to be `inside(context)`. */
export function barred(lines: readonly Line[], context: PartContext, tone: "muted" | "error" = "muted"): Line[] {
  const before = bar(context, tone)
  return lines.map((line) => ({ ...line, spans: [...before, ...line.spans], width: line.width + 2 }))
}

export function inside(context: PartContext): PartContext {
  return { ...context, width: Math.max(1, context.width - 2) }
}

export const muted = (text: Safe): Span => ({ text, style: { tone: "muted" } })

/** A value of a tool's input or metadata as text; empty when it is none. */
export function textOf(values: Readonly<Record<string, unknown>> | undefined, ...names: readonly string[]): string {
  for (const name of names) {
    const value = values?.[name]
    if (typeof value === "string" && value !== "") return value
  }
  return ""
}

export function numberOf(values: Readonly<Record<string, unknown>> | undefined, name: string): number | undefined {
  const value = values?.[name]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}
