import type { Safe } from "../../terminal/sanitize.ts"
import type { Widths } from "../../terminal/widths.ts"
import { type Line, type Span, sliceSpan } from "./span.ts"

export interface WrapOptions {
  /** Columns of a line, what stands before it included. */
  readonly width: number
  /** `word` breaks behind spaces, and between wide characters; `character` anywhere. */
  readonly mode: "word" | "character"
  /** What stands before the first line, and before the others. */
  readonly first?: readonly Span[]
  readonly rest?: readonly Span[]
}

/** A character with the span that it is a part of. */
interface Cell {
  readonly span: Span
  readonly from: number
  readonly to: number
  readonly width: number
  readonly space: boolean
}

/**
 * Breaks one line of spans into rows. No row is wider than `width`, unless one character alone is; characters are never
 * cut. Spaces at a break stay at the end of the row as far as they fit and are dropped beyond: what is drawn is the text.
 */
export function wrap(spans: readonly Span[], widths: Widths, options: WrapOptions): Line[] {
  const first = options.first ?? []
  const rest = options.rest ?? []
  const before = (row: number) => (row === 0 ? first : rest)
  const widthBefore = [first, rest].map((prefix) => prefix.reduce((sum, span) => sum + widths.of(span.text), 0))
  const room = (row: number) => Math.max(1, options.width - (widthBefore[row === 0 ? 0 : 1] ?? 0))

  const quick = options.width - (widthBefore[0] ?? 0)
  const total = spans.reduce((sum, span) => sum + widths.of(span.text), 0)
  if (total <= quick) return [{ spans: [...first, ...spans], width: total + (widthBefore[0] ?? 0) }]

  const rows = split(cellsOf(spans, widths), room, options.mode)
  return rows.map((row, at) => {
    const line = { spans: [...before(at), ...spansOf(row)], width: widthOf(row) + (widthBefore[at === 0 ? 0 : 1] ?? 0) }
    return at < rows.length - 1 ? { ...line, soft: true } : line
  })
}

function cellsOf(spans: readonly Span[], widths: Widths): Cell[] {
  return spans.flatMap((span) => {
    let at = 0
    return widths.characters(span.text).map(({ text, width }) => {
      const from = at
      at += text.length
      return { span, from, to: at, width, space: text === " " }
    })
  })
}

function split(cells: readonly Cell[], room: (row: number) => number, mode: WrapOptions["mode"]): Cell[][] {
  const rows: Cell[][] = []
  let start = 0
  while (start < cells.length) {
    const { fits, next } = rowFrom(cells, start, room(rows.length), mode)
    rows.push(cells.slice(start, fits))
    start = next
  }
  return rows
}

/** The end of what fits into the row that starts here, and where the next one starts. */
function rowFrom(cells: readonly Cell[], start: number, room: number, mode: WrapOptions["mode"]) {
  let used = 0
  let at = start
  while (at < cells.length && used + (cells[at]?.width ?? 0) <= room) used += cells[at++]?.width ?? 0
  if (at >= cells.length) return { fits: at, next: at }
  // One character that is wider than the row: there is no smaller piece.
  if (at === start) return { fits: at + 1, next: at + 1 }
  if (mode === "character") return { fits: at, next: at }
  if (cells[at]?.space) return { fits: at, next: skipSpaces(cells, at) }
  for (let end = at; end > start; end--) {
    if (mayBreak(cells[end - 1], cells[end])) return { fits: end, next: end }
  }
  // A word that is longer than the row.
  return { fits: at, next: at }
}

function skipSpaces(cells: readonly Cell[], from: number): number {
  let at = from
  while (cells[at]?.space) at++
  return at
}

function mayBreak(left: Cell | undefined, right: Cell | undefined): boolean {
  if (left === undefined || right === undefined) return false
  if (left.space) return !right.space
  return left.width === 2 && right.width === 2
}

/** Neighbours of one span are one again. */
function spansOf(row: readonly Cell[]): Span[] {
  const spans: Span[] = []
  let from = 0
  for (let at = 1; at <= row.length; at++) {
    const cell = row[from]
    if (cell === undefined || row[at]?.span === cell.span) continue
    spans.push(sliceSpan(cell.span, cell.from, row[at - 1]?.to ?? cell.to))
    from = at
  }
  return spans
}

const widthOf = (row: readonly Cell[]) => row.reduce((sum, cell) => sum + cell.width, 0)

/** The text cut to `width` columns, the last of which is `…` when something is gone. */
export function truncate(text: Safe, width: number, widths: Widths): Safe {
  if (widths.of(text) <= width) return text
  if (width <= 0) return "" as Safe
  let kept = ""
  let used = 0
  for (const character of widths.characters(text)) {
    if (used + character.width > width - 1) break
    kept += character.text
    used += character.width
  }
  return `${kept}…` as Safe
}

/** The same from the other end, for paths. */
export function truncateStart(text: Safe, width: number, widths: Widths): Safe {
  if (widths.of(text) <= width) return text
  if (width <= 0) return "" as Safe
  let kept = ""
  let used = 0
  for (const character of widths.characters(text).toReversed()) {
    if (used + character.width > width - 1) break
    kept = character.text + kept
    used += character.width
  }
  return `…${kept}` as Safe
}
