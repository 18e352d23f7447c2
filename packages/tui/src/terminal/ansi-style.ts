/** A colour that a program asked for: a number of the palette of 256, or `#rrggbb`. */
export type AnsiColour = number | `#${string}`

/** What a program asked its text to look like. Absent means the terminal's own. */
export interface AnsiStyle {
  readonly fg?: AnsiColour
  readonly bg?: AnsiColour
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly inverse?: true
  readonly strike?: true
}

/** The style after a "select graphic rendition" sequence with these parameters; undefined when nothing is left of it. */
export function applySgr(style: AnsiStyle | undefined, parameters: string): AnsiStyle | undefined {
  const codes = parameters.split(/[;:]/).map((each) => (each === "" ? 0 : Number(each)))
  let next: AnsiStyle = style ?? {}
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const { colour, used } = extended(codes.slice(at + 1))
      at += used
      if (colour !== undefined) next = { ...next, [code === 38 ? "fg" : "bg"]: colour }
    } else next = simple(next, code)
  }
  return Object.keys(next).length === 0 ? undefined : next
}

type Flag = Exclude<keyof AnsiStyle, "fg" | "bg">
const on: Readonly<Record<number, Flag>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
}
const off: Readonly<Record<number, readonly (keyof AnsiStyle)[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
  39: ["fg"],
  49: ["bg"],
}

function simple(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return {}
  const flag = on[code]
  if (flag !== undefined) return { ...style, [flag]: true }
  const gone = off[code]
  if (gone !== undefined) {
    return Object.fromEntries(Object.entries(style).filter(([name]) => !gone.includes(name as keyof AnsiStyle)))
  }
  const colour = paletteOf(code)
  return colour === undefined ? style : { ...style, ...colour }
}

function paletteOf(code: number): AnsiStyle | undefined {
  if (code >= 30 && code <= 37) return { fg: code - 30 }
  if (code >= 40 && code <= 47) return { bg: code - 40 }
  if (code >= 90 && code <= 97) return { fg: code - 90 + 8 }
  if (code >= 100 && code <= 107) return { bg: code - 100 + 8 }
  return undefined
}

/** What follows 38 or 48: `5;n` or `2;r;g;b`. A value that is out of range is no colour, but its parameters are used up. */
function extended(rest: readonly number[]): { colour: AnsiColour | undefined; used: number } {
  if (rest[0] === 5) return { colour: isByte(rest[1]) ? rest[1] : undefined, used: 2 }
  if (rest[0] !== 2) return { colour: undefined, used: rest.length }
  const parts = rest.slice(1, 4)
  if (parts.length < 3 || !parts.every(isByte)) return { colour: undefined, used: 4 }
  return { colour: `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`, used: 4 }
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255
}
