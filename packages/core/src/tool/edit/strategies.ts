import { lineAt, linesOf, withLineEnds } from "../../workspace/line-ends.ts"
import type { Line } from "../../workspace/line-ends.ts"
import { visibleMarks } from "./byte-order-mark.ts"
import { escapeModes, escapesIn, unescape } from "./escape.ts"
import { findLines } from "./line-search.ts"
import type { Counter } from "./line-search.ts"
import { differsInLiteral, indentedInLiteral, readLiterals } from "./literal.ts"
import type { Literals } from "./literal.ts"
import { mostOccurrences } from "./messages.ts"
import { applyShift, uniformShift } from "./shift.ts"
import { findText } from "./text-search.ts"
import type { Span, Strategy } from "./types.ts"

/** A place in the content, and the text for it or why it may not be replaced. */
export interface Candidate extends Span {
  readonly replacement: string | { readonly reason: string }
}

export interface Task {
  readonly content: string
  readonly lines: readonly Line[]
  readonly oldString: string
  readonly newString: string
  readonly replaceAll: boolean
  readonly counter: Counter
}

export interface Found {
  readonly strategy: Strategy
  readonly candidates: readonly Candidate[]
}

/** The first strategy that finds a place, with all places it finds. */
export function search(task: Task): Found | undefined {
  const exact = exactly(task)
  if (exact.length > 0) return { strategy: "exact", candidates: exact }
  const ended = byLineEnds(task)
  // Blank text alone says nothing of where it was meant.
  if (ended || task.oldString.trim() === "") return ended
  return byLines(task, block(task.oldString), task.newString) ?? byEscapes(task) ?? byBlankBoundary(task)
}

/** The text as it stands. It may begin and end within a line, but never between the two halves of a line end. */
function exactly({ content, oldString, newString, replaceAll, counter }: Task): Candidate[] {
  const found: Candidate[] = []
  let free = 0
  for (const start of findText(content, oldString, counter)) {
    const end = start + oldString.length
    const splits =
      (content[start - 1] === "\r" && oldString[0] === "\n") || (oldString.endsWith("\r") && content[end] === "\n")
    if (splits || start < free) continue
    found.push({ start, end, replacement: newString })
    if (replaceAll) free = end
    else if (found.length >= mostOccurrences) break
  }
  return found
}

/** The text with every line end taken for the same. */
function byLineEnds({ content, lines, oldString, newString, replaceAll, counter }: Task): Found | undefined {
  if (!content.includes("\r") && !oldString.includes("\r")) return undefined
  const plain = withLineEnds(content, "\n")
  const starts: number[] = []
  let at = 0
  for (const line of lines) {
    counter.comparisons++
    starts.push(at)
    at += line.text.length + (line.end === "" ? 0 : 1)
  }
  const plainLines = lines.map((line, index) => ({ ...line, start: starts[index] ?? 0 }))
  const original = (offset: number): number => {
    if (offset >= plain.length) return content.length
    const index = lineAt(plainLines, offset)
    return (lines[index]?.start ?? 0) + offset - (starts[index] ?? 0)
  }
  const found = exactly({
    content: plain,
    lines,
    oldString: withLineEnds(oldString, "\n"),
    newString,
    replaceAll,
    counter,
  })
  if (found.length === 0) return undefined
  const candidates = found.map(({ start, end, replacement }) => ({
    start: original(start),
    end: original(end),
    replacement,
  }))
  return { strategy: "line_ends", candidates }
}

/** A block of whole lines to look for. With `ended` its last line end belongs to it. */
interface Block {
  readonly lines: readonly string[]
  readonly ended: boolean
}

function block(text: string): Block {
  const lines = linesOf(text)
  return { lines: lines.map((line) => line.text), ended: lines.at(-1)?.end !== "" }
}

type LineStrategy = "line_ends" | "trailing_space" | "indentation" | "inner_whitespace"

/** What of a line counts, per strategy. Each sees less than the one before. */
const keys: Readonly<Record<LineStrategy, (line: string) => string>> = {
  line_ends: (line) => line,
  trailing_space: (line) => visibleMarks(line).trimEnd(),
  indentation: (line) => visibleMarks(line).trim(),
  inner_whitespace: (line) => visibleMarks(line).trim().replace(/\s+/g, " "),
}
const lineStrategies: readonly LineStrategy[] = ["line_ends", "trailing_space", "indentation", "inner_whitespace"]

/** Equals no line: none holds a line end. */
const unlike = "\n"

/** What two lines share that are equal but for white space. Spares most lines the reading to their end. */
function head(line: string): string {
  return /\S{0,32}/.exec(line.trimStart().slice(0, 32))?.[0] ?? ""
}

function byLines(task: Task, wanted: Block, newString: string): Found | undefined {
  for (const strategy of lineStrategies) {
    const key = keys[strategy]
    const heads = new Set(wanted.lines.map(head))
    const found = findLines(
      task.lines.map(({ text }) => (strategy !== "inner_whitespace" || heads.has(head(text)) ? key(text) : unlike)),
      wanted.lines.map(key),
      task.counter,
    )
    if (found.length > 0) return { strategy, candidates: placed(task, wanted, newString, found) }
  }
  return undefined
}

function placed(task: Task, wanted: Block, newString: string, found: readonly number[]): Candidate[] {
  const { lines, counter } = task
  let read: Literals | undefined
  const literals = () => (read ??= readLiterals(texts(lines, 0, lines.length), counter))
  const places: Candidate[] = []
  // Two places are ambiguous whatever would become of them, and of overlapping ones only the first counts.
  const told = found.length > 1 && !task.replaceAll
  let free = 0
  for (const first of told ? found.slice(0, mostOccurrences) : found) {
    if (!told && first < free) continue
    const last = first + wanted.lines.length - 1
    free = last + 1
    const start = lines[first]?.start ?? 0
    const bare = (lines[last]?.start ?? 0) + (lines[last]?.text.length ?? 0)
    const end = wanted.ended ? bare + (lines[last]?.end.length ?? 0) : bare
    if (told) {
      places.push({ start, end, replacement: newString })
      continue
    }
    // The file does not end its last line: neither does the new text.
    const fitted = wanted.ended && lines[last]?.end === "" ? newString.replace(/(\r\n?|\n)$/, "") : newString
    const there = texts(lines, first, last + 1)
    counter.comparisons += there.length
    places.push({ start, end, replacement: moved(wanted.lines, there, first, fitted, literals) })
  }
  return places
}

function moved(
  wanted: readonly string[],
  there: readonly string[],
  first: number,
  newString: string,
  literals: () => Literals,
): Candidate["replacement"] {
  const shift = uniformShift(wanted, there)
  if (!shift) return { reason: "the indentation differs by another amount from line to line" }
  if (differsInLiteral(wanted, there, first, literals)) {
    return { reason: "the white space inside a string literal differs" }
  }
  if (shift.add !== shift.remove && indentedInLiteral(there, first, literals)) {
    return { reason: "the indentation inside a string literal differs" }
  }
  return (
    applyShift(newString, shift) ?? {
      reason: "the indentation differs, and newString has a line that is indented less than oldString",
    }
  )
}

/** The text escaped once too often: found by what its escapes mean, and the new text read alike. */
function byEscapes(task: Task): Found | undefined {
  for (const mode of escapeModes(task.oldString)) {
    const oldString = unescape(task.oldString, mode)
    if (oldString.trim() === "") continue
    const inner = { ...task, oldString, newString: unescape(task.newString, mode) }
    const exact = exactly(inner)
    const found =
      exact.length > 0 ? exact : (byLineEnds(inner) ?? byLines(inner, block(oldString), inner.newString))?.candidates
    if (!found) continue
    const known = escapesIn(task.oldString)
    const unknown = [...escapesIn(task.newString)].find((char) => !known.has(char))
    if (unknown === undefined) return { strategy: "escapes", candidates: found }
    const reason = `it was escaped once too often, and for \\${unknown} in newString that leaves open what is meant`
    return { strategy: "escapes", candidates: found.map(({ start, end }) => ({ start, end, replacement: { reason } })) }
  }
  return undefined
}

/** The text without the blank lines at its start and end. As many go from the new text, if it has them. */
function byBlankBoundary(task: Task): Found | undefined {
  const old = linesOf(task.oldString)
  const lead = old.findIndex((line) => line.text.trim() !== "")
  const trail = old.length - 1 - old.findLastIndex((line) => line.text.trim() !== "")
  if (lead <= 0 && trail <= 0) return undefined
  const fresh = linesOf(task.newString)
  let from = 0
  while (from < lead && fresh[from]?.text.trim() === "") from++
  let to = fresh.length
  while (to > from && fresh.length - to < trail && fresh[to - 1]?.text.trim() === "") to--
  const kept = fresh.slice(from, to)
  const newString = kept.map((line) => line.text + line.end).join("")
  const core = old.slice(lead, old.length - trail)
  const ended = core.at(-1)?.end !== "" && kept.at(-1)?.end !== ""
  const found = byLines(task, { lines: core.map((line) => line.text), ended }, newString)
  return found && { strategy: "blank_boundary", candidates: found.candidates }
}

function texts(lines: readonly Line[], from: number, to: number): string[] {
  const found: string[] = []
  for (let index = from; index < to; index++) found.push(lines[index]?.text ?? "")
  return found
}
