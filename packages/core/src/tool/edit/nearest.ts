import { linesOf } from "../../workspace/line-ends.ts"
import type { Counter } from "./line-search.ts"

/** Where in the file the text most likely is that the model meant. Line indexes from 0, `end` exclusive. */
export interface Nearest {
  readonly start: number
  readonly end: number
  /** The first line that differs, from 0 in the file, and what was looked for there. */
  readonly differs?: { readonly line: number; readonly wanted: string }
}

const mostPlaces = 8
/** Of a long line its beginning says enough. */
const longestRead = 500
const longestShown = 200
const mostShown = 12

/**
 * Locates the nearest text, for a message only: every line that also stands in the file votes for where the
 * block would begin, rare lines first; without any, the line that shares most words with the longest one.
 */
export function findNearest(
  lines: readonly string[],
  wanted: readonly string[],
  counter: Counter,
): Nearest | undefined {
  const start = byVotes(lines, wanted, counter) ?? byWords(lines, wanted, counter)
  if (start === undefined) return undefined
  const from = Math.max(0, start)
  const end = Math.min(lines.length, Math.max(start + wanted.length, from + 1))
  for (let line = from; line < end; line++) {
    const want = wanted[line - start] ?? ""
    if (lines[line] !== want) return { start: from, end, differs: { line, wanted: want } }
  }
  return { start: from, end }
}

/** The lines with their numbers, cut to a size for a message. */
export function excerpt(lines: readonly string[], start: number, end: number, most: number = mostShown): string {
  const shown = lines
    .slice(start, Math.min(end, start + most))
    .map((line, index) => `${start + index + 1}\t${cut(line)}`)
  if (end - start > most) shown.push(`(${end - start - most} more lines)`)
  return shown.join("\n")
}

export function cut(line: string): string {
  return line.length > longestShown ? `${line.slice(0, longestShown)}…` : line
}

export function textLines(text: string): string[] {
  return linesOf(text).map((line) => line.text)
}

function byVotes(lines: readonly string[], wanted: readonly string[], counter: Counter): number | undefined {
  const offsets = new Map<string, number[]>()
  for (const [index, line] of wanted.entries()) {
    const key = collapse(line)
    if (key.length < 2) continue
    const at = offsets.get(key) ?? []
    if (at.length < mostPlaces) at.push(index)
    offsets.set(key, at)
  }
  if (offsets.size === 0) return undefined
  const frequency = new Map<string, number>()
  const hits: { line: number; key: string }[] = []
  for (const [line, text] of lines.entries()) {
    counter.comparisons++
    const key = collapse(text)
    if (!offsets.has(key)) continue
    frequency.set(key, (frequency.get(key) ?? 0) + 1)
    hits.push({ line, key })
  }
  const votes = new Map<number, number>()
  for (const { line, key } of hits) {
    for (const offset of offsets.get(key) ?? []) {
      counter.comparisons++
      votes.set(line - offset, (votes.get(line - offset) ?? 0) + 1 / (frequency.get(key) ?? 1))
    }
  }
  return best(votes)
}

function byWords(lines: readonly string[], wanted: readonly string[], counter: Counter): number | undefined {
  const longest = wanted.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), "")
  const words = new Set(wordsOf(longest))
  if (words.size === 0) return undefined
  const scores = new Map<number, number>()
  const offset = wanted.indexOf(longest)
  counter.comparisons += offset + 1
  for (const [index, line] of lines.entries()) {
    counter.comparisons++
    const own = new Set(wordsOf(line))
    let common = 0
    for (const word of own) if (words.has(word)) common++
    const score = common / (own.size + words.size - common)
    if (score >= 0.3) scores.set(index - offset, score)
  }
  return best(scores)
}

function best(scores: ReadonlyMap<number, number>): number | undefined {
  let found: number | undefined
  for (const [at, score] of scores) if (found === undefined || score > (scores.get(found) ?? 0)) found = at
  return found
}

function wordsOf(line: string): string[] {
  return (
    line
      .slice(0, longestRead)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  )
}

function collapse(line: string): string {
  return line.trimStart().slice(0, longestRead).trimEnd().replace(/\s+/g, " ")
}
