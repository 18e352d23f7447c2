import type { TraceSpan } from "@cairn/schema/trace"

/** One line of a waterfall: a span, or several that follow each other and are not drawn one by one. */
export interface TraceRow {
  readonly depth: number
  readonly spans: readonly [TraceSpan, ...TraceSpan[]]
}

/** Of many children so many are drawn: the first, the last, and between them what failed, is open or took longest. */
const drawn = { first: 6, last: 10, between: 14 }
const mostDrawn = drawn.first + drawn.last + drawn.between
/** Rows of one turn; beyond them the deepest are left out. */
const mostRows = 400

/** What is below a turn, in order: a few hundred rows however long it is. `left` says how many rows are missing. */
export function traceRows(turn: TraceSpan): { readonly rows: readonly TraceRow[]; readonly left: number } {
  const all = childRows(turn.children, 1)
  let rows = all
  for (let depth = 3; rows.length > mostRows && depth > 0; depth--) rows = all.filter((row) => row.depth <= depth)
  return { rows, left: all.length - rows.length }
}

function childRows(children: readonly TraceSpan[], depth: number): TraceRow[] {
  const chosen = children.length <= mostDrawn ? undefined : worthSeeing(children)
  const rows: TraceRow[] = []
  let run: [TraceSpan, ...TraceSpan[]] | undefined
  for (const child of children) {
    if (chosen && !chosen.has(child)) {
      if (run) run.push(child)
      else rows.push({ depth, spans: (run = [child]) })
      continue
    }
    run = undefined
    rows.push({ depth, spans: [child] }, ...childRows(child.children, depth + 1))
  }
  return rows
}

function worthSeeing(children: readonly TraceSpan[]): ReadonlySet<TraceSpan> {
  const middle = children.slice(drawn.first, -drawn.last)
  const heaviest = middle.toSorted((a, b) => weight(b) - weight(a)).slice(0, drawn.between)
  return new Set([...children.slice(0, drawn.first), ...heaviest, ...children.slice(-drawn.last)])
}

/** What is open or failed comes before what only took long. */
const weight = (span: TraceSpan): number => (span.open ? 2e15 : broken(span) ? 1e15 : 0) + lengthOf(span)

/** It failed, or something in it did. */
export const broken = (span: TraceSpan): boolean => span.error !== undefined || span.children.some(broken)

/** Where it ends on the scale: its end, or the last that is known of it. */
export const endOf = (span: TraceSpan): number => span.end ?? span.last ?? span.start

export const lengthOf = (span: TraceSpan): number => endOf(span) - span.start
