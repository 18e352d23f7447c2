import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { commonLineEnd, linesOf } from "../../workspace/line-ends.ts"
import type { Line } from "../../workspace/line-ends.ts"
import { splitMark, visibleMarks } from "../edit/byte-order-mark.ts"
import type { Counter } from "../edit/line-search.ts"
import { excerpt, findNearest } from "../edit/nearest.ts"
import { indexLines } from "./line-finder.ts"
import type { LineIndex } from "./line-finder.ts"
import type { Chunk, PatchFailure } from "./types.ts"

/** What of a line counts, from strict to tolerant. */
const keys: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => visibleMarks(line).trimEnd(),
  (line) => visibleMarks(line).trim(),
  (line) => fold(visibleMarks(line).trim()),
]

/** The file and what the patch looks for in it, indexed by each key when that is first needed. */
interface Search {
  readonly lines: readonly Line[]
  index(level: number): LineIndex
  readonly counter: Counter
}

/**
 * Applies the chunks of one file in their order, each below the one before. Unchanged lines stay as the file
 * has them; a line that replaces another takes its end, further ones that of the line before; the end of the
 * last line stays as it is, and so does a byte order mark. Of several places the first one counts, by the strictest comparison that finds any.
 * Failures are `context`, with the number of the chunk and its line in the patch. `counter` counts the steps of the search.
 */
export function updateText(
  content: string,
  given: readonly Chunk[],
  path: string,
  counter: Counter = { comparisons: 0 },
): Result<string, PatchFailure> {
  const { mark, body } = splitMark(content)
  const lines = linesOf(body)
  const common = commonLineEnd(body) ?? "\n"
  const chunks = given.map((chunk) => withoutMarks(chunk, body))
  const search = createSearch(lines, chunks, counter)
  const result: { text: string; end: string }[] = []
  let at = 0
  for (const [index, chunk] of chunks.entries()) {
    const start = locate(search, chunk, at)
    if (typeof start !== "number") return err(notFound(lines, chunk, at, index, path, start.what, counter))
    for (; at < start; at++) result.push(lines[at] ?? { text: "", end: "" })
    for (const run of runsOf(chunk)) {
      const previous = lines[at - 1]?.end || lines[at]?.end || common
      const removed = lines.slice(at, at + run.removed)
      for (const [place, text] of run.added.entries()) {
        result.push({ text, end: (removed[place] ?? removed.at(-1))?.end || previous })
      }
      at += run.removed
      const line = lines[at]
      if (run.unchanged && line) result.push(line)
      if (run.unchanged) at++
    }
  }
  for (; at < lines.length; at++) result.push(lines[at] ?? { text: "", end: "" })
  return ok(mark + joined(result, lines, common))
}

/** A byte order mark that was copied along with the first line belongs to the file, and stays. */
function withoutMarks(chunk: Chunk, body: string): Chunk {
  const copied = chunk.lines.some(({ sign, text }) => sign !== "+" && splitMark(text).mark !== "")
  if (!copied || body.includes("\ufeff")) return chunk
  return { ...chunk, lines: chunk.lines.map((line) => ({ ...line, text: splitMark(line.text).body })) }
}

/** Lines that are removed and added side by side, with the unchanged line that ends them, if any does. */
interface Run {
  removed: number
  readonly added: string[]
  unchanged: boolean
}

function runsOf({ lines }: Chunk): Run[] {
  const runs: Run[] = []
  let run: Run | undefined
  for (const { sign, text } of lines) {
    if (!run) runs.push((run = { removed: 0, added: [], unchanged: false }))
    if (sign === "+") run.added.push(text)
    else if (sign === "-") run.removed++
    else {
      run.unchanged = true
      run = undefined
    }
  }
  return runs
}

function createSearch(lines: readonly Line[], chunks: readonly Chunk[], counter: Counter): Search {
  const texts = lines.map((line) => line.text)
  const wanted = chunks.flatMap((chunk) => [...chunk.headers.map((header) => [header]), oldLines(chunk)])
  const indexes: LineIndex[] = []
  return {
    lines,
    counter,
    index: (level) => (indexes[level] ??= indexLines(texts, wanted, keys[level] ?? String, counter)),
  }
}

function oldLines(chunk: Chunk): string[] {
  return chunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
}

/** Puts lines together; the last one ends as the last one of the file did. */
function joined(result: readonly { text: string; end: string }[], lines: readonly Line[], common: string): string {
  const ended = lines.length === 0 || lines.at(-1)?.end !== ""
  return result
    .map(({ text, end }, index) =>
      index === result.length - 1 ? text + (ended ? end || common : "") : text + (end || common),
    )
    .join("")
}

/** Index of the first line of the chunk, or what could not be found. */
function locate(search: Search, chunk: Chunk, from: number): number | { what: string } {
  let at = from
  for (const header of chunk.headers) {
    const found = seek(search, [header], at)
    if (found === undefined) return { what: `the line of its @@ was not found: ${shown(header)}` }
    at = found + 1
  }
  const old = oldLines(chunk)
  if (old.length === 0) return chunk.atEnd || chunk.headers.length === 0 ? search.lines.length : at
  const below = (start: number) => (chunk.atEnd ? atEndOf(search, old, start) : seek(search, old, start))
  // Only where nothing below the line of the @@ fits may that line itself be the first of the chunk.
  const found = below(at) ?? (chunk.headers.length > 0 ? below(at - 1) : undefined)
  return found ?? { what: `its lines were not found${chunk.atEnd ? " at the end of the file" : ""}` }
}

/** The first place at or below `from`, by the strictest comparison that finds one. */
function seek(search: Search, wanted: readonly string[], from: number): number | undefined {
  for (const level of keys.keys()) {
    const found = search.index(level).first(wanted, from)
    if (found !== undefined) return found
  }
  return undefined
}

/** The place where `wanted` is the end of the file, when that is at or below `from`. */
function atEndOf({ lines, counter }: Search, wanted: readonly string[], from: number): number | undefined {
  const start = lines.length - wanted.length
  if (start < from) return undefined
  const fits = (key: (line: string) => string) =>
    wanted.every((text, index) => {
      counter.comparisons++
      return key(text) === key(lines[start + index]?.text ?? "")
    })
  return keys.some(fits) ? start : undefined
}

function notFound(
  lines: readonly Line[],
  chunk: Chunk,
  from: number,
  index: number,
  path: string,
  what: string,
  counter: Counter,
): PatchFailure {
  const below = from === 0 ? "" : ` below line ${from}`
  const brief = `${path}: hunk ${index + 1} (line ${chunk.at} of the patch) does not apply${below}: ${what}. Nothing was written.`
  const texts = lines.map((line) => line.text)
  const wanted = oldLines(chunk)
  const nearest = findNearest(texts, wanted.length > 0 ? wanted : chunk.headers, counter)
  if (!nearest) return { kind: "context", brief, message: brief }
  const near = excerpt(texts, nearest.start, nearest.end)
  return {
    kind: "context",
    brief,
    message: `${brief} The nearest text is at lines ${nearest.start + 1}-${nearest.end}:\n${near}`,
  }
}

/** Typographic characters as the plain ones that models write for them. */
function fold(line: string): string {
  return line
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/\u2026/g, "...")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ")
}

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
}
