import { type Safe, ui } from "../../terminal/sanitize.ts"
import type { Widths } from "../../terminal/widths.ts"
import type { Span } from "./span.ts"

/** Glyphs that everything is drawn with; the plain ones where the terminal has no others. */
export interface Glyphs {
  readonly bullet: Safe
  readonly bar: Safe
  readonly rule: Safe
  readonly cross: Safe
  readonly prompt: Safe
  /** Something that was looked at. */
  readonly dot: Safe
  /** Something that was changed. */
  readonly pen: Safe
  readonly folded: Safe
  readonly unfolded: Safe
  readonly yes: Safe
  readonly no: Safe
  readonly open: Safe
  readonly current: Safe
  /** One after the other while data arrives. */
  readonly turning: readonly [Safe, Safe, Safe, Safe]
  readonly minus: Safe
  readonly arrow: Safe
  readonly down: Safe
  readonly more: Safe
}

export const unicodeGlyphs: Glyphs = {
  bullet: ui`•`,
  bar: ui`│`,
  rule: ui`─`,
  cross: ui`┼`,
  prompt: ui`❯`,
  dot: ui`·`,
  pen: ui`✎`,
  folded: ui`▸`,
  unfolded: ui`▾`,
  yes: ui`✓`,
  no: ui`✗`,
  open: ui`○`,
  current: ui`●`,
  turning: [ui`◐`, ui`◓`, ui`◑`, ui`◒`],
  minus: ui`−`,
  arrow: ui`→`,
  down: ui`↓`,
  more: ui`…`,
}
export const asciiGlyphs: Glyphs = {
  bullet: ui`*`,
  bar: ui`|`,
  rule: ui`-`,
  cross: ui`+`,
  prompt: ui`>`,
  dot: ui`.`,
  pen: ui`e`,
  folded: ui`>`,
  unfolded: ui`v`,
  yes: ui`+`,
  no: ui`x`,
  open: ui`o`,
  current: ui`@`,
  turning: [ui`*`, ui`*`, ui`*`, ui`*`],
  minus: ui`-`,
  arrow: ui`->`,
  down: ui`v`,
  more: ui`...`,
}

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
