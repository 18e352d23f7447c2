import type { TraceKind, TraceSpan } from "@cairn/schema/trace"
import type { Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { padEnd, textWidth, truncate } from "../terminal/width.ts"
import { count, duration, money, plural } from "./format.ts"
import type { TimeScale } from "./time-scale.ts"
import { broken, endOf, lengthOf, type TraceRow } from "./trace-rows.ts"

/** How the lines of a waterfall are laid out: what it is, its bar, what there is to say. Widths in columns. */
export interface Columns {
  readonly width: number
  readonly label: number
  readonly bar: number
  /** 0 where there is no room. */
  readonly info: number
  readonly ascii: boolean
  readonly style: Style
}

const gap = 2

export function columnsOf(width: number, ascii: boolean, style: Style): Columns {
  const label = Math.min(36, Math.max(8, Math.floor(width * 0.3)))
  const wide = Math.min(80, Math.max(6, Math.floor(width * 0.4)))
  const left = width - label - wide - 2 * gap
  const info = left < 8 ? 0 : left
  return { width, label, bar: info === 0 ? width - label - gap : wide, info, ascii, style }
}

interface Glyphs {
  readonly fill: Readonly<Record<TraceKind, string>>
  /** A model call before its first token. */
  readonly wait: string
  readonly run: string
  readonly open: string
}

const drawn: Glyphs = {
  fill: fill({ step: "─", model: "█", tool: "▓", ask: "▒", retry: "┄", moment: "◆" }),
  wait: "░",
  run: "·",
  open: "▶",
}
const typed: Glyphs = {
  fill: fill({ step: "-", model: "=", tool: "#", ask: "?", retry: "~", moment: "|" }),
  wait: ".",
  run: ":",
  open: ">",
}

function fill(of: Record<"step" | "model" | "tool" | "ask" | "retry" | "moment", string>): Glyphs["fill"] {
  const { moment, ...own } = of
  return { ...own, turn: of.step, compaction: of.step, prune: moment, title: moment }
}

const glyphsOf = ({ ascii }: Columns): Glyphs => (ascii ? typed : drawn)

/** What the bars mean. */
export function legend(columns: Columns): string {
  const { fill, wait, open } = glyphsOf(columns)
  const meanings = [
    [wait, "waiting for the model"],
    [fill.model, "its answer"],
    [fill.tool, "tool"],
    [fill.ask, "ask"],
    [fill.retry, "wait before a retry"],
    [open, "no end in the log"],
  ]
  return columns.style.dim(cut(meanings.map((pair) => pair.join(" ")).join("   "), columns))
}

interface RowView {
  readonly columns: Columns
  readonly scale: TimeScale
  /** Of a step, counted from 1. */
  readonly number: number | undefined
}

/** One row as a line no wider than the columns allow. */
export function rowLine(row: TraceRow, { columns, scale, number }: RowView): string {
  const { label, info } = columns
  const name = padEnd(shorten(`${"  ".repeat(row.depth - 1)}${labelOf(row, number)}`, label, columns.ascii), label)
  const bar = barOf(row, columns, scale)
  const told = info === 0 ? "" : infoOf(row, columns)
  const line = `${name}${" ".repeat(gap)}${bar.text}`
  return told === "" ? line.trimEnd() : `${line}${" ".repeat(columns.bar - bar.width + gap)}${told}`
}

function labelOf({ spans: [span, ...more] }: TraceRow, number: number | undefined): string {
  if (more.length > 0) return `(${more.length + 1} ${span.kind === "step" ? "steps" : "more"})`
  const name = sanitiseLine(span.name)
  switch (span.kind) {
    case "step":
      return number === undefined ? "summary" : `step ${number}`
    case "ask":
      return `ask ${name}`
    case "compaction":
      return `compaction, ${name}`
    case "prune":
      return `cleared ${plural(Number(name), "result")}`
    case "title":
      return `title ${name}`.trimEnd()
    default:
      return name
  }
}

/** The bar without the spaces after it, and its width. */
function barOf({ spans: [span, ...more] }: TraceRow, columns: Columns, scale: TimeScale) {
  const glyphs = glyphsOf(columns)
  const last = more.at(-1) ?? span
  const { from, to } = scale.cells(span.start, endOf(last))
  const cells = Array.from({ length: to - from }, () => (more.length > 0 ? glyphs.run : glyphs.fill[span.kind]))
  if (span.kind === "model" && more.length === 0) {
    const first = span.firstToken === undefined ? to : scale.cells(span.firstToken, endOf(span)).from
    cells.fill(glyphs.wait, 0, Math.max(0, first - from))
  }
  if (last.open) cells[cells.length - 1] = glyphs.open
  const text = " ".repeat(from) + paintOf(span, more, columns.style)(cells.join(""))
  return { text, width: to }
}

function paintOf(span: TraceSpan, more: readonly TraceSpan[], style: Style): (text: string) => string {
  if (more.length > 0) return more.some(broken) || broken(span) ? style.bad : style.dim
  if (span.error) return style.bad
  switch (span.kind) {
    case "model":
      return style.mark
    case "tool":
      return style.good
    case "ask":
    case "retry":
      return style.warn
    default:
      return style.dim
  }
}

/** How long, how it went wrong, and what it cost: what matters most comes first, since the rest may be cut. */
function infoOf({ spans }: TraceRow, { style, info, ascii }: Columns): string {
  const [span, ...more] = spans
  const moment = span.kind === "prune" || span.kind === "title"
  const time = moment ? "" : spanTime(spans.reduce((sum, each) => sum + lengthOf(each), 0)).padStart(8)
  const wrong = more.length > 0 ? failures(spans) : wrongOf(span, ascii)
  const told: string[] = []
  let room = info
  for (const text of [time, wrong, ...(more.length > 0 ? [] : detailsOf(span))]) {
    if (text === "" || room < 3) continue
    const shown = shorten(text, room, ascii)
    told.push(text === wrong ? style.bad(shown) : shown)
    room -= textWidth(shown) + gap
  }
  return told.join(" ".repeat(gap))
}

function failures(spans: readonly TraceSpan[]): string {
  const failed = spans.filter(broken).length
  return failed === 0 ? "" : `! ${failed} failed`
}

function wrongOf(span: TraceSpan, ascii: boolean): string {
  if (span.open) return span.open === "cut_off" ? "cut off" : "running"
  return span.error ? `${ascii ? "!" : "✗"} ${sanitiseLine(span.error.kind)}` : ""
}

function detailsOf(span: TraceSpan): string[] {
  const first = span.firstToken === undefined ? "" : `first ${spanTime(span.firstToken - span.start)}`
  const { tokens } = span
  const spent = tokens
    ? `${count(tokens.input + tokens.cache.read + tokens.cache.write)} in, ${count(tokens.output + tokens.reasoning)} out`
    : ""
  if (span.kind === "model") return [first]
  if (span.kind === "step" || span.kind === "compaction" || span.kind === "title") return [spent, money(span.cost ?? 0)]
  return span.kind === "ask" && span.outcome ? [span.outcome] : []
}

/** `840 ms`, `1.24 s`, `12.3 s`, then as everywhere. */
export function spanTime(ms: number): string {
  if (ms < 1_000) return duration(ms)
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)} s`
  return ms < 59_950 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms)
}

/** A whole line, cut to the width. */
export const cut = (text: string, { width, ascii }: Columns): string => shorten(text, width, ascii)

/** Cut with a mark that ASCII has, where only that is drawn. */
function shorten(text: string, width: number, ascii: boolean): string {
  const cut = truncate(text, width)
  if (!ascii || cut === text || textWidth(text) <= width) return cut
  return `${cut.slice(0, -1)}~`
}
