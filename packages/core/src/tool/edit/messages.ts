import { lineAt } from "../../workspace/line-ends.ts"
import type { Line } from "../../workspace/line-ends.ts"
import type { Counter } from "./line-search.ts"
import { cut, excerpt, findNearest, textLines } from "./nearest.ts"
import type { EditInput, MatchFailure, Span, Strategy } from "./types.ts"

const mostListed = 10
const mostRewritten = 40
/** Looking for more places of an ambiguous text helps nobody. */
export const mostOccurrences = 100

export function identical(): MatchFailure {
  const message = "The edit changes nothing: oldString and newString are the same text."
  return { kind: "identical", message, brief: message }
}

export function ambiguous(lines: readonly Line[], found: readonly Span[], strategy: Strategy): MatchFailure {
  const at = found.slice(0, mostListed).map(({ start }) => lineAt(lines, start) + 1)
  const more = found.length > mostListed ? " …" : ""
  const how = strategy === "exact" ? "" : " (but for white space, escapes or line ends)"
  const message = `oldString occurs ${found.length >= mostOccurrences ? "at least " : ""}${found.length} times${how}, at lines ${at.join(", ")}${more}. Add lines around it until it is unique, or set replaceAll to change every occurrence.`
  return { kind: "ambiguous", message, brief: message }
}

export function refused(lines: readonly Line[], span: Span, reason: string): MatchFailure {
  const first = lineAt(lines, span.start)
  const last = lineAt(lines, Math.max(span.start, span.end - 1)) + 1
  const brief = `oldString resembles lines ${first + 1}-${last}, but ${reason}. Give the text exactly as the file has it.`
  const text = excerpt(
    lines.slice(first, last).map((line) => line.text),
    0,
    last - first,
  ).replace(/^\d+(?=\t)/gm, (number) => String(Number(number) + first))
  return { kind: "refused", brief, message: `${brief} The file has:\n${text}` }
}

export function notFound(lines: readonly Line[], input: EditInput, counter: Counter): MatchFailure {
  const brief = `oldString was not found in the file (${lines.length} lines). It must match the file exactly.`
  const texts = lines.map((line) => line.text)
  const nearest = findNearest(texts, textLines(input.oldString), counter)
  if (!nearest)
    return { kind: "not_found", brief, message: `${brief} Nothing in the file resembles it: read the file again.` }
  const where = `The nearest text is at lines ${nearest.start + 1}-${nearest.end}:\n${excerpt(texts, nearest.start, nearest.end)}`
  const { differs } = nearest
  const wanted =
    differs &&
    `\nLine ${differs.line + 1} is the first that differs: oldString has ${JSON.stringify(cut(differs.wanted))}.`
  return { kind: "not_found", brief, message: `${brief} ${where}${wanted ?? ""}` }
}

/** What to say after repeated failures on one file: the text around the nearest place, and what to do with it. */
export function rewriteAdvice(content: string, input: EditInput, times: number): string {
  const lines = textLines(content)
  const nearest = findNearest(lines, textLines(input.oldString), { comparisons: 0 })
  const middle = nearest ? (nearest.start + nearest.end) >> 1 : 0
  const start = Math.max(0, middle - mostRewritten / 2)
  const text = excerpt(lines, start, Math.min(lines.length, start + mostRewritten), mostRewritten)
  return `\nThis is failed edit number ${times} of this file in a row. Replace the whole block, copied from the current text below, or rewrite the file:\n${text}`
}
