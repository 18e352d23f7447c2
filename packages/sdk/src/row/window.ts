import type { Heights } from "./heights.ts"

/** Which rows are drawn, and how much stands before and behind them. In lines. */
export interface Window {
  readonly first: number
  /** The last one; before `first` when there is none. */
  readonly last: number
  readonly before: number
  readonly behind: number
}

/** The rows that a viewport shows, and `beyond` lines above and below it. */
export function windowAt(heights: Heights, view: { scroll: number; height: number }, beyond = 0): Window {
  if (heights.count === 0 || view.height <= 0) return { first: 0, last: -1, before: 0, behind: heights.total }
  const top = Math.min(Math.max(0, view.scroll), Math.max(0, heights.total - view.height))
  const first = heights.rowAt(top - beyond)
  const last = heights.rowAt(top + view.height - 1 + beyond)
  const before = heights.startOf(first)
  return { first, last, before, behind: heights.total - heights.startOf(last + 1) }
}

/** The scroll that shows the end. */
export function bottom(heights: Heights, height: number): number {
  return Math.max(0, heights.total - height)
}

/** What the first line of a viewport shows: a line of a row. It stays there whatever changes above it. */
export interface Anchor {
  readonly id: string
  readonly line: number
}

/** The anchor of a scroll. Undefined without rows. */
export function anchorAt(heights: Heights, ids: readonly string[], scroll: number): Anchor | undefined {
  const row = heights.rowAt(scroll)
  const id = ids[row]
  return id === undefined ? undefined : { id, line: Math.max(0, scroll - heights.startOf(row)) }
}

/** The scroll at which an anchor stands in the first line again. Undefined when its row is gone. */
export function scrollTo(heights: Heights, ids: readonly string[], anchor: Anchor): number | undefined {
  const row = ids.indexOf(anchor.id)
  if (row < 0) return undefined
  return heights.startOf(row) + Math.min(anchor.line, Math.max(0, heights.at(row) - 1))
}
