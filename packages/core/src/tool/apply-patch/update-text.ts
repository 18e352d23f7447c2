import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { commonLineEnd, linesOf } from "../../workspace/line-ends.ts"
import type { Line } from "../../workspace/line-ends.ts"
import { findLines } from "../edit/line-search.ts"
import type { Counter } from "../edit/line-search.ts"
import { excerpt, findNearest } from "../edit/nearest.ts"
import type { Chunk, PatchFailure } from "./types.ts"

/** What of a line counts, from strict to tolerant. */
const keys: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => fold(line.trim()),
]

/**
 * Applies the chunks of one file in their order, each below the one before. Unchanged lines stay as the file
 * has them; added ones get its line ends; the end of the last line stays as it is. What only matches
 * tolerantly must match once. Failures are `context`, with the number of the chunk and its line in the patch.
 */
export function updateText(
  content: string,
  chunks: readonly Chunk[],
  path: string,
  counter: Counter = { comparisons: 0 },
): Result<string, PatchFailure> {
  const lines = linesOf(content)
  const common = commonLineEnd(content) ?? "\n"
  const result: { text: string; end: string }[] = []
  let at = 0
  for (const [index, chunk] of chunks.entries()) {
    const start = locate(lines, chunk, at, counter)
    if (typeof start !== "number") return err(notFound(lines, chunk, at, index, path, start.what, counter))
    result.push(...lines.slice(at, start))
    at = start
    for (const { sign, text } of chunk.lines) {
      const line = lines[at]
      if (sign === "+") result.push({ text, end: (line ?? lines[at - 1])?.end || common })
      else {
        if (sign === " " && line) result.push(line)
        at++
      }
    }
  }
  result.push(...lines.slice(at))
  return ok(joined(result, lines, common))
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
function locate(lines: readonly Line[], chunk: Chunk, from: number, counter: Counter): number | { what: string } {
  let at = from
  for (const header of chunk.headers) {
    const found = seek(lines, [header], at, false, counter)
    if (found === undefined) return { what: `the line of its @@ was not found: ${shown(header)}` }
    if (found === "several") return { what: `the line of its @@ occurs more than once: ${shown(header)}` }
    at = found + 1
  }
  const old = chunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
  if (old.length === 0) return chunk.atEnd || chunk.headers.length === 0 ? lines.length : at
  // The line of the @@ may be the first line of the chunk as well.
  const header = chunk.headers.at(-1)
  const shared = header !== undefined && fold(header.trim()) === fold(old[0]?.trim() ?? "")
  const found = seek(lines, old, shared ? at - 1 : at, chunk.atEnd, counter)
  if (found === undefined) return { what: `its lines were not found${chunk.atEnd ? " at the end of the file" : ""}` }
  return found === "several" ? { what: "its lines were found more than once, white space aside" } : found
}

/** The first place at or below `from`, by the strictest comparison that finds one. */
function seek(
  lines: readonly Line[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
  counter: Counter,
): number | "several" | undefined {
  const start = atEnd ? lines.length - wanted.length : from
  if (start < from) return undefined
  for (const key of keys) {
    const rest: string[] = []
    for (let index = start; index < lines.length; index++) rest.push(key(lines[index]?.text ?? ""))
    const found = findLines(rest, wanted.map(key), counter)
    if (found[0] === undefined) continue
    return key !== keys[0] && found.length > 1 ? "several" : start + found[0]
  }
  return undefined
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
  const wanted = chunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
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
