import { type AnsiStyle, applySgr } from "./ansi-style.ts"
import { CellLine } from "./cell-line.ts"

declare const checked: unique symbol
/**
 * Text that may be drawn. What a model, a tool, a file or the server wrote becomes it only here; our own words by `ui`.
 * It holds line feeds, and nothing else that a terminal would obey, that reorders or that cannot be seen.
 */
export type Safe = string & { readonly [checked]: true }

declare const tabbed: unique symbol
/** The same with its tabs, and as many lines as what it was made of: what is copied has to be what was written. */
export type Source = string & { readonly [tabbed]: true }

/** A piece of a line, and what the program that wrote it asked it to look like. */
export interface AnsiSpan {
  readonly text: Safe
  readonly style?: AnsiStyle
}

/** Columns of a line; what is beyond is counted, not shown. */
const longestLine = 4_000
/** Room for the count. */
const cutAt = longestLine - 40
const tabStop = 4

/** Our own words, with numbers and safe text between: ui`${count} more lines`. */
export function ui(words: TemplateStringsArray, ...values: readonly (Safe | number)[]): Safe {
  return words.reduce((text, word, at) => text + String(values[at - 1] ?? "") + word) as Safe
}

/** A whole text, made harmless; it may have many lines. What a progress bar overwrote is gone, as on a terminal. Idempotent. */
export function sanitize(text: string): Safe {
  if (isPlain(text)) return text as Safe
  return linesOf(text)
    .map((line) => line.map((span) => span.text).join(""))
    .join("\n") as Safe
}

/** The same for text that is laid out by us; `expandTabs` makes its lines ready to draw. */
export function sanitizeSource(text: string): Source {
  if (!special.test(text.replaceAll("\t", "")) && !hasLongLine(text)) return text as string as Source
  return linesOf(text, "tabs")
    .map((line) => line.map((span) => span.text).join(""))
    .join("\n") as string as Source
}

/** One line of a source, with its tabs as the spaces up to the next of every four columns. */
export function expandTabs(line: Source): Safe {
  if (!line.includes("\t")) return line as string as Safe
  let text = ""
  for (const [at, piece] of line.split("\t").entries()) {
    if (at > 0) text += spacesAt(Bun.stringWidth(text))
    text += piece
  }
  return text as Safe
}

const spacesAt = (column: number) => " ".repeat(tabStop - (column % tabStop))

/** The same on one line: line ends become spaces. For titles, names and paths. */
export function sanitizeLine(text: string): Safe {
  return sanitize(text).replaceAll(/\s*\n\s*/g, " ") as Safe
}

/** The lines of a program's output, with its colours and without its other orders. */
export function sanitizeAnsi(text: string): readonly (readonly AnsiSpan[])[] {
  if (isPlain(text)) return text.split("\n").map((line) => (line === "" ? [] : [{ text: line as Safe }]))
  return linesOf(text)
}

/** What is not shown as it is: orders, marks that reorder or cannot be seen, halves of characters. */
const hidden =
  "[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]|\\p{Surrogate}|\\p{NChar}"
const accents = "[\\p{M}--[\\u{e0000}-\\u{e0fff}]]"
const special = new RegExp(`${hidden}|${accents}{21}`, "v")
/** Flags of regions are written with tag characters, which elsewhere hide text. */
const flag = "\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{1,6}\\u{e007f}"
const shown = new RegExp(`${flag}|${accents}{21,}|${hidden}`, "gv")

function isPlain(text: string): boolean {
  return !special.test(text) && !hasLongLine(text)
}

/** Whether some line may take more columns than are shown. */
function hasLongLine(text: string): boolean {
  if (text.length * 2 <= longestLine) return false
  for (let from = 0; from < text.length;) {
    const found = text.indexOf("\n", from)
    const end = found < 0 ? text.length : found
    if ((end - from) * 2 > longestLine) return true
    from = end + 1
  }
  return false
}

/** One order of a terminal at a time. A sequence is whole or it is shown. */
const order = new RegExp(
  [
    "\\u001b\\[(?<parameters>[0-?]*)[ -/]*(?<final>[@-~])",
    // Window titles, clipboards, images, private messages: until BEL or ST, on one line.
    "\\u001b[\\]P_^X][^\\n\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)",
    "\\u001b[ -/]*[0-OQ-WYZ\\\\`-~]",
    "(?<back>\\u0008+)",
    "(?<feed>\\r*\\n)",
    "(?<home>\\r+)",
    "(?<tab>\\t)",
  ].join("|"),
  "gu",
)

/** The lines as a terminal would leave them: carriage returns and backspaces applied, other orders dropped. */
function linesOf(text: string, tabs: "spaces" | "tabs" = "spaces"): AnsiSpan[][] {
  const lines: AnsiSpan[][] = []
  let line = new CellLine()
  let style: AnsiStyle | undefined
  let from = 0
  const write = (until: number) => {
    if (until > from) line.write(visible(text.slice(from, until)), style)
  }
  for (const match of text.matchAll(order)) {
    write(match.index)
    from = match.index + match[0].length
    const { parameters, final, back, feed, home, tab } = match.groups ?? {}
    if (final === "m") style = applySgr(style, parameters ?? "")
    else if (final === "K") line.erase(parameters ?? "")
    else if (back !== undefined) line.back(back.length)
    else if (home !== undefined) line.home()
    else if (tab !== undefined) line.write(tabs === "tabs" ? tab : spacesAt(line.column), style)
    else if (feed !== undefined) {
      lines.push(spansOf(line))
      line = new CellLine()
    }
  }
  write(text.length)
  lines.push(spansOf(line))
  return lines
}

function visible(text: string): string {
  return text.replace(shown, (match) => {
    const code = match.codePointAt(0) ?? 0
    if (code === 0x1f3f4) return match
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return "\u2421"
    if (noCharacter.test(match)) return "\ufffd"
    const marks = [...match]
    // A letter with a thousand accents.
    if (marks.length > 1) return marks.slice(0, 20).join("")
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`
  })
}
const noCharacter = /\p{Surrogate}|\p{NChar}/u

function spansOf(line: CellLine): AnsiSpan[] {
  const spans: AnsiSpan[] = []
  let room = line.isLong ? roomOf(line) : Infinity
  let hiddenBytes = 0
  for (const { text, style } of line.runs()) {
    const kept = room === Infinity ? text : cut(text, room)
    room -= room === Infinity ? 0 : Bun.stringWidth(kept)
    hiddenBytes += kept.length === text.length ? 0 : Buffer.byteLength(text.slice(kept.length))
    if (kept !== "") spans.push(style === undefined ? { text: kept as Safe } : { text: kept as Safe, style })
    if (kept.length < text.length) room = 0
  }
  if (hiddenBytes > 0) spans.push({ text: `… ${amount(hiddenBytes)} more` as Safe })
  return spans
}

/** Infinity for a line that fits after all. */
function roomOf(line: CellLine): number {
  let width = 0
  for (const { text } of line.runs()) width += Bun.stringWidth(text)
  return width > longestLine ? cutAt : Infinity
}

/** As much of the text as `width` columns take, in whole characters. */
function cut(text: string, width: number): string {
  if (width <= 0) return ""
  if (Bun.stringWidth(text) <= width) return text
  let used = 0
  let end = 0
  for (const { segment } of characters.segment(text)) {
    used += Bun.stringWidth(segment)
    if (used > width) break
    end += segment.length
  }
  return text.slice(0, end)
}
const characters = new Intl.Segmenter()

function amount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
