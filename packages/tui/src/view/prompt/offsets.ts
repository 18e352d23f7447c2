import type { Widths } from "../../terminal/widths.ts"

/** The textarea counts a text in columns, line ends as one; we count in UTF-16 units. */
export function columnsAt(text: string, units: number, widths: Widths): number {
  return text
    .slice(0, units)
    .split("\n")
    .reduce((sum, line, at) => sum + widths.of(line) + (at > 0 ? 1 : 0), 0)
}

/** The place in UTF-16 units; in the middle of a wide character, its start. */
export function unitsAt(text: string, columns: number, widths: Widths): number {
  let left = columns
  let units = 0
  for (const [at, line] of text.split("\n").entries()) {
    if (at > 0) {
      if (left === 0) return units
      left--
      units++
    }
    const width = widths.of(line)
    if (left > width) {
      left -= width
      units += line.length
      continue
    }
    for (const character of widths.characters(line)) {
      if (left < character.width || left === 0) return units
      left -= character.width
      units += character.text.length
    }
    if (left === 0) return units
  }
  return units
}
