import { readBlockScalars } from "./block-scalar.ts"
import { readDelimited } from "./delimited.ts"
import { readHeredocs } from "./heredoc.ts"
import type { Counter } from "./line-search.ts"
import type { Note } from "./types.ts"

/** The part of a line that stands in a literal. From 0: it began above; to infinity: it goes on below. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** By the index of the line. */
export type Ranges = ReadonlyMap<number, readonly Range[]>

/**
 * The literals that do not begin and end with the same quote: here-documents, `%q()`, `q()`, `$$ $$`, `[[ ]]`, `r#""#`,
 * YAML's block scalars. Without knowing the language: what looks like one of any language is taken for it where it is
 * closed. Linear.
 */
export function readUnquoted(texts: readonly string[], counter: Counter): Ranges {
  const found = new Map<number, Range[]>()
  const note: Note = (line, from, to) => {
    counter.comparisons++
    const ranges = found.get(line)
    if (ranges) ranges.push({ from, to })
    else found.set(line, [{ from, to }])
  }
  readHeredocs(texts, note, counter)
  readBlockScalars(texts, note, counter)
  readDelimited(texts, note, counter)
  return found
}

/** With more literals on one line their places are not compared one by one. */
const mostRanges = 16

/**
 * Whether two lines that differ in white space alone differ within the ranges, which are those of `there`. The indentation
 * aside, but not that of a blank line.
 */
export function differsWithin(wanted: string, there: string, ranges: readonly Range[]): boolean {
  if (ranges.length > mostRanges) return true
  return ranges.some(({ from, to }) => {
    if (there.trim() === "") return wanted !== there
    const own = there.slice(from, to)
    const other = wanted.slice(counterpart(there, from, wanted), counterpart(there, to, wanted))
    return from === 0 ? own.trimStart() !== other.trimStart() : own !== other
  })
}

/** The column of `other` that is the column of `line`, by the characters that are no white space: behind one, else before one. */
function counterpart(line: string, column: number, other: string): number {
  if (column === 0 || column >= line.length) return column === 0 ? 0 : other.length
  const before = line.slice(0, column)
  let left = before.replace(/\s/g, "").length
  let at = 0
  while (at < other.length && left > 0) if (/\S/.test(other[at++] ?? "")) left--
  // A range begins behind its opening, and ends before its ending: one of the two is no white space.
  if (/\s$/.test(before)) while (at < other.length && /\s/.test(other[at] ?? "")) at++
  return at
}
