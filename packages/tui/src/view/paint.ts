import { RGBA, StyledText, TextAttributes, type TextChunk } from "@opentui/core"
import type { AnsiColour } from "../terminal/ansi-style.ts"
import { type Ink, parseHex } from "../theme/colour.ts"
import type { Paint, Palette } from "../theme/resolve.ts"
import type { Token } from "../theme/theme.ts"
import type { Line, Style, Tone } from "../row/text/span.ts"

/** What a tone is in the palette. */
const tokenOf: Readonly<Record<Tone, Token>> = {
  text: "text",
  muted: "muted",
  accent: "accent",
  warn: "warn",
  error: "error",
  ok: "ok",
  heading: "heading",
  link: "link",
  quote: "muted",
  code: "string",
  comment: "comment",
  keyword: "keyword",
  string: "string",
  number: "number",
  type: "type",
  function: "function",
  variable: "variable",
  operator: "operator",
  punctuation: "punctuation",
}
const groundOf = { added: "diffAddedBg", removed: "diffRemovedBg", selection: "selection", panel: "panel" } as const

/** How the renderer draws a piece of text. */
export interface Look {
  readonly fg: RGBA
  readonly bg: RGBA | undefined
  readonly attributes: number
}

/** A palette as the renderer takes it. Looks are made once. */
export interface Painter {
  ink(token: Token): RGBA
  look(style?: Style): Look
  /** Rows as one text, a line each. */
  text(lines: readonly Line[]): StyledText
}

export function createPainter(palette: Palette): Painter {
  const looks = new Map<string, Look>()
  const painter: Painter = {
    ink: (token) => rgba(palette[token].ink),
    look(style = {}) {
      const key = keyOf(style)
      const known = looks.get(key)
      if (known !== undefined) return known
      const made = lookOf(style, palette)
      looks.set(key, made)
      return made
    },
    text: (lines) => new StyledText(chunks(lines, painter)),
  }
  return painter
}

function chunks(lines: readonly Line[], painter: Painter): TextChunk[] {
  const made: TextChunk[] = []
  for (const [at, line] of lines.entries()) {
    if (at > 0) made.push({ __isChunk: true, text: "\n" })
    for (const span of line.spans) {
      const { fg, bg, attributes } = painter.look(span.style)
      made.push({ __isChunk: true, text: span.text, fg, attributes, ...(bg === undefined ? {} : { bg }) })
    }
  }
  return made
}

function keyOf(style: Style): string {
  const { tone, ground, ansi, bold, dim, italic, underline, inverse, strike } = style
  return [tone, ground, ansi?.fg, ansi?.bg, bold, dim, italic, underline, inverse, strike].join()
}

function lookOf(style: Style, palette: Palette): Look {
  const paint = palette[tokenOf[style.tone ?? "text"]]
  const ground: Paint | undefined = style.ground === undefined ? undefined : palette[groundOf[style.ground]]
  const isBold = style.bold === true || (paint.bold === true && style.ground === undefined)
  const isInverse = (style.inverse === true) !== (ground?.inverse === true)
  const onSelection = style.ground === "selection" && ground?.ink !== "default"
  return {
    fg:
      style.ansi?.fg === undefined
        ? rgba(onSelection ? palette.selectionText.ink : paint.ink)
        : ansiColour(style.ansi.fg),
    bg: style.ansi?.bg !== undefined ? ansiColour(style.ansi.bg) : groundColour(ground),
    attributes:
      flag(isBold, TextAttributes.BOLD) |
      flag(style.dim === true, TextAttributes.DIM) |
      flag(style.italic === true, TextAttributes.ITALIC) |
      flag(style.underline === true || paint.underline === true, TextAttributes.UNDERLINE) |
      flag(isInverse, TextAttributes.INVERSE) |
      flag(style.strike === true, TextAttributes.STRIKETHROUGH),
  }
}

const flag = (isOn: boolean, bit: number) => (isOn ? bit : 0)

function groundColour(ground: Paint | undefined): RGBA | undefined {
  return ground === undefined || ground.ink === "default" ? undefined : rgba(ground.ink)
}

function rgba(ink: Ink): RGBA {
  if (ink === "default") return RGBA.defaultForeground()
  if ("index" in ink) return RGBA.fromIndex(ink.index)
  const [red, green, blue] = ink.rgb
  return RGBA.fromInts(red, green, blue)
}

function ansiColour(colour: AnsiColour): RGBA {
  if (typeof colour === "number") return RGBA.fromIndex(colour)
  const rgb = parseHex(colour)
  return rgb === undefined ? RGBA.defaultForeground() : rgba({ rgb })
}
