/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** What a place is painted with: a colour, a place of the terminal's own palette, or whatever the terminal has there. */
export type Ink = { readonly rgb: Rgb } | { readonly index: number } | "default"

/** `#rgb` or `#rrggbb`; undefined for anything else. */
export function parseHex(text: string): Rgb | undefined {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(text)
  const long = short === null ? /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?:ff)?$/i.exec(text) : null
  const digits = short === null ? long?.slice(1) : short.slice(1).map((digit) => digit + digit)
  if (digits === undefined) return undefined
  const [red = 0, green = 0, blue = 0] = digits.map((each) => Number.parseInt(each, 16))
  return [red, green, blue]
}

const levels = [0, 95, 135, 175, 215, 255]

/** The nearest of the 240 colours that every terminal of 256 has in the same place: a cube, and a row of greys. */
export function nearest256([red, green, blue]: Rgb): number {
  const step = (value: number) =>
    levels.reduce((best, level, at) => {
      return Math.abs(level - value) < Math.abs((levels[best] ?? 0) - value) ? at : best
    }, 0)
  const [r, g, b] = [step(red), step(green), step(blue)]
  const cube: Rgb = [levels[r] ?? 0, levels[g] ?? 0, levels[b] ?? 0]
  const average = (red + green + blue) / 3
  const grey = Math.max(0, Math.min(23, Math.round((average - 8) / 10)))
  const shade = 8 + grey * 10
  const wanted: Rgb = [red, green, blue]
  return distance(wanted, [shade, shade, shade]) < distance(wanted, cube) ? 232 + grey : 16 + 36 * r + 6 * g + b
}

function distance(a: Rgb, b: Rgb): number {
  return a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0)
}

/** Of a colour of the 256 beyond the first sixteen, which are the user's own. */
export function rgbOf256(index: number): Rgb {
  if (index >= 232) {
    const shade = 8 + (index - 232) * 10
    return [shade, shade, shade]
  }
  const at = index - 16
  return [levels[Math.floor(at / 36)] ?? 0, levels[Math.floor(at / 6) % 6] ?? 0, levels[at % 6] ?? 0]
}
