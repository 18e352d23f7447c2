import type { SessionTrace, TraceSpan } from "@cairn/schema/trace"
import type { Look, Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { textWidth } from "../terminal/width.ts"
import { count, money, plural } from "./format.ts"
import { type Columns, columnsOf, cut, legend, rowLine, spanTime } from "./waterfall-row.ts"
import { timeScale } from "./time-scale.ts"
import { endOf, lengthOf, type TraceRow, traceRows } from "./trace-rows.ts"

export interface WaterfallView {
  readonly look: Pick<Look, "color" | "width">
  readonly style: Style
  /** Only this turn, counted from 1. */
  readonly turn?: number
}

interface Numbered {
  readonly number: number
  readonly turn: TraceSpan
  readonly rows: readonly TraceRow[]
  readonly left: number
}

/** Rows after which the older turns are a line each, and how many of these lines. */
const mostRows = 200
const mostLines = 30
/** Where nobody looks at columns. */
const usualWidth = 100

/**
 * A session's trace as lines no wider than the terminal, turn by turn, each on a scale of its own. Drawn in ASCII where
 * there is no colour. Of a long session the older turns are summed up, and so is the middle of a long turn.
 */
export function waterfall({ sessionID, turns }: SessionTrace, view: WaterfallView): string[] {
  const width = Math.min(view.look.width, view.look.width === Infinity ? usualWidth : 240)
  const columns = columnsOf(width, !view.look.color, view.style)
  const numbered = turns.map((turn, index) => ({ turn, number: index + 1, ...traceRows(turn) }))
  const wanted = view.turn === undefined ? numbered : numbered.filter(({ number }) => number === view.turn)
  if (wanted.length === 0) return []
  const first = firstDrawn(wanted)
  const older = wanted.slice(0, first)
  const blocks = [
    ...(older.length === 0 ? [] : [olderLines(older, columns)]),
    ...wanted.slice(first).map((one) => turnLines(one, columns)),
    [legend(columns)],
  ]
  if (older.length > 0)
    blocks.push([columns.style.dim(cut(`One of the older turns: cairn debug trace ${sessionID} --turn N`, columns))])
  return blocks.flatMap((block, index) => (index === 0 ? block : ["", ...block]))
}

/** The newest turns are drawn as long as there is room, the last one in any case. */
function firstDrawn(turns: readonly Numbered[]): number {
  let rows = 0
  let first = turns.length - 1
  for (let index = first; index >= 0; index--) {
    rows += turns[index]!.rows.length + 3
    if (rows > mostRows) break
    first = index
  }
  return first
}

function olderLines(turns: readonly Numbered[], columns: Columns): string[] {
  const single = turns.slice(-mostLines)
  const summed = turns.slice(0, -mostLines).map(({ turn }) => turn)
  const lines = single.map(({ turn, number }) => paint(`turn ${number}: ${summary([turn])}`, turn, columns))
  if (summed.length === 0) return lines
  return [cut(`turns 1-${summed.length}: ${summary(summed)}`, columns), ...lines]
}

function turnLines({ turn, number, rows, left }: Numbered, columns: Columns): string[] {
  const { style } = columns
  const scale = timeScale(turn.start, endOf(turn), columns.bar)
  const steps = new Map(turn.children.filter(({ kind }) => kind === "step").map((step, index) => [step, index + 1]))
  const when = new Date(turn.start).toISOString().replace("T", " ").slice(0, 19)
  const head = `turn ${number}, ${when} UTC: ${summary([turn])}`
  return [
    style.strong(paint(head, turn, columns)),
    ...(turn.error?.message ? [style.bad(cut(sanitiseLine(turn.error.message), columns))] : []),
    style.dim(`${" ".repeat(columns.label + 2)}${scale.axis}`),
    ...rows.map((row) => rowLine(row, { columns, scale, number: steps.get(row.spans[0]) })),
    ...(left === 0 ? [] : [style.dim(cut(`${plural(left, "row")} more below these: --format json`, columns))]),
  ]
}

const paint = (text: string, turn: TraceSpan, columns: Columns): string =>
  turn.error || turn.open ? columns.style.bad(cut(text, columns)) : cut(text, columns)

/** `done, 7 steps, 2.1 s, 21.5k in, 666 out, $0.0042` */
function summary(turns: readonly TraceSpan[]): string {
  const steps = turns.flatMap(({ children }) => children.filter(({ kind }) => kind === "step")).length
  const one = turns.length === 1 ? turns[0] : undefined
  const spent = (of: (span: TraceSpan) => number | undefined) => turns.reduce((sum, turn) => sum + (of(turn) ?? 0), 0)
  const read = spent(({ tokens }) => tokens && tokens.input + tokens.cache.read + tokens.cache.write)
  const written = spent(({ tokens }) => tokens && tokens.output + tokens.reasoning)
  const how = one?.open === "cut_off" ? "cut off, nobody knows when" : (one?.open ?? one?.outcome)
  const parts = [
    how ?? "",
    plural(steps, "step"),
    spanTime(spent(lengthOf)),
    read + written === 0 ? "" : `${count(read)} in, ${count(written)} out`,
    money(spent(({ cost }) => cost)),
  ]
  return parts.filter((part) => textWidth(part) > 0).join(", ")
}
