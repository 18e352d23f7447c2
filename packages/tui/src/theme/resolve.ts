import type { Depth } from "../terminal/caps.ts"
import { ansi16 } from "./ansi16.ts"
import { type Ink, nearest256, type Rgb, rgbOf256 } from "./colour.ts"
import { isDark, lifted, readable } from "./contrast.ts"
import { grounds, type Inks, type Mode, type Theme, type Token, tokenNames } from "./theme.ts"

/** How a token is drawn: its ink, and what says the same without colour. */
export interface Paint {
  readonly ink: Ink
  readonly bold?: true
  readonly underline?: true
  readonly inverse?: true
}

/** Every token as this terminal shows it. */
export type Palette = Readonly<Record<Token, Paint>>

export interface Surroundings {
  readonly mode: Mode
  readonly depth: Depth
  /** The terminal's own background, once it is known. */
  readonly background?: Rgb
}

const assumed: Readonly<Record<Mode, Rgb>> = { dark: [16, 16, 16], light: [250, 250, 250] }

/** What stands on which ground; everything else stands on the background and on panels. */
const ownGround: Partial<Record<Token, Token>> = {
  selectionText: "selection",
  diffAdded: "diffAddedBg",
  diffRemoved: "diffRemovedBg",
}

/** Fits a theme to the terminal: fewer colours, and text that can be read on what is behind it. */
export function resolveTheme(theme: Theme, surroundings: Surroundings): Palette {
  const { depth, mode } = surroundings
  const inks = theme[mode]
  const paints = tokenNames.map((token): [Token, Paint] => {
    if (depth === "none") return [token, { ink: "default", ...withoutColour[token] }]
    const ink = depth === "16" ? sixteen(inks, token, mode) : fitted(readableInk(inks, token, surroundings), depth)
    return [token, token === "selection" && ink === "default" ? { ink, inverse: true } : { ink }]
  })
  return Object.fromEntries(paints) as Palette
}

/** What a token is without colours; where nothing stands, a glyph or a word says it already. */
const withoutColour: Partial<Record<Token, Omit<Paint, "ink">>> = {
  accent: { bold: true },
  warn: { bold: true },
  error: { bold: true },
  heading: { bold: true },
  link: { underline: true },
  selection: { inverse: true },
  diffAdded: { bold: true },
  diffRemoved: { bold: true },
}

/** Never the nearest match: red and green have to be red and green. A theme that names places of the palette keeps them. */
function sixteen(inks: Inks, token: Token, mode: Mode): Ink {
  const ink = inks[token]
  if (ink === "default") return ink
  return "index" in ink && ink.index < 16 ? ink : ansi16(token, mode)
}

function fitted(ink: Ink, depth: "truecolor" | "256"): Ink {
  return depth === "256" && ink !== "default" && "rgb" in ink ? { index: nearest256(ink.rgb) } : ink
}

function readableInk(inks: Inks, token: Token, { mode, depth, background }: Surroundings): Ink {
  const ink = inks[token]
  // What is the terminal's own, its user chose.
  if (ink === "default" || "index" in ink || isGround(token)) return ink
  const shown = (rgb: Rgb) => (depth === "256" ? rgbOf256(nearest256(rgb)) : rgb)
  const behind = groundsOf(token, inks).map((ground) => {
    const own = rgbOf(inks[ground])
    return own === undefined ? (background ?? assumed[mode]) : shown(own)
  })
  // A border is seen, not read.
  const wanted = token === "border" ? 1.5 : readable
  let { rgb } = ink
  // The nearest of 256 colours may be a darker one: then a lighter one is asked for.
  for (let ask = wanted; ask < 12; ask += 0.5) {
    for (const ground of behind) rgb = lifted(rgb, ground, ask)
    if (behind.every((ground) => isReadable(shown(rgb), ground, wanted))) break
  }
  return { rgb }
}

function isReadable(colour: Rgb, ground: Rgb, wanted: number): boolean {
  return lifted(colour, ground, wanted) === colour
}

function groundsOf(token: Token, inks: Inks): readonly Token[] {
  const own = ownGround[token]
  if (own === undefined) return ["background", "panel"]
  return inks[own] === "default" ? ["background"] : [own]
}

const isGround = (token: Token) => grounds.some((ground) => ground === token)

function rgbOf(ink: Ink): Rgb | undefined {
  return ink !== "default" && "rgb" in ink ? ink.rgb : undefined
}

/** The mode for a background. */
export function modeOf(background: Rgb): Mode {
  return isDark(background) ? "dark" : "light"
}
