import type { AnsiStyle } from "../../terminal/ansi-style.ts"
import type { Safe } from "../../terminal/sanitize.ts"

/** What a piece of text means; the theme says how that looks. */
export type Tone =
  | "text"
  | "muted"
  | "accent"
  | "warn"
  | "error"
  | "ok"
  | "heading"
  | "link"
  | "quote"
  | "code"
  | "comment"
  | "keyword"
  | "string"
  | "number"
  | "type"
  | "function"
  | "variable"
  | "operator"
  | "punctuation"

export interface Style extends Omit<AnsiStyle, "fg" | "bg"> {
  readonly tone?: Tone
  /** What is behind the text, to the end of the row. */
  readonly ground?: "added" | "removed" | "selection" | "panel"
  /** Colours that a program asked for; they win over the tone. */
  readonly ansi?: Pick<AnsiStyle, "fg" | "bg">
}

/** Text of one look on one line. */
export interface Span {
  readonly text: Safe
  readonly style?: Style
  /** Where it stands in the source of its block, in UTF-16 units. Absent: it is drawn around the text and never copied. */
  readonly at?: number
  /** How much of the source it is, where that is not its own length. Such a span is copied whole or not at all. */
  readonly length?: number
}

/** One row of the screen. */
export interface Line {
  readonly spans: readonly Span[]
  /** Columns. */
  readonly width: number
  /** The next line goes on with the same line of the source. */
  readonly soft?: true
}

/** The spans' text, without looks. */
export function plainText(spans: readonly Span[]): Safe {
  return spans.map((span) => span.text).join("") as Safe
}

/** A part of a span: `from` and `to` count in its own text. */
export function sliceSpan(span: Span, from: number, to: number): Span {
  if (from === 0 && to === span.text.length) return span
  const text = span.text.slice(from, to) as Safe
  if (span.at === undefined || span.length !== undefined) return { ...span, text }
  return { ...span, text, at: span.at + from }
}
