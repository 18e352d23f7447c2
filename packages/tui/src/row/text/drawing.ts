import { type Safe, ui } from "../../terminal/sanitize.ts"
import type { Widths } from "../../terminal/widths.ts"
import type { Span } from "./span.ts"

/** Glyphs that text is drawn with; the plain ones where the terminal has no others. */
export interface Glyphs {
  readonly bullet: Safe
  readonly bar: Safe
  readonly rule: Safe
  readonly cross: Safe
}

export const unicodeGlyphs: Glyphs = { bullet: ui`•`, bar: ui`│`, rule: ui`─`, cross: ui`┼` }
export const asciiGlyphs: Glyphs = { bullet: ui`*`, bar: ui`|`, rule: ui`-`, cross: ui`+` }

/** What lines are made with. */
export interface Drawing {
  readonly widths: Widths
  readonly glyphs: Glyphs
}

/** What stands before the lines of something: quote bars, list marks, their room. */
export interface Margin {
  readonly first: readonly Span[]
  readonly rest: readonly Span[]
}
