/** Columns that a text without escapes takes on a terminal. */
export function textWidth(text: string): number {
  return Bun.stringWidth(text)
}

/** The text cut to `width` columns, the last of which is `…` when something is gone. Takes no escapes. */
export function truncate(text: string, width: number): string {
  if (text.length <= width && /^[\x20-\x7e]*$/.test(text)) return text
  if (width === Infinity || textWidth(text) <= width) return text
  let kept = ""
  let used = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = textWidth(segment)
    if (used + wide > width - 1) break
    kept += segment
    used += wide
  }
  return `${kept}…`
}

/** `truncate` from the other end, for names that differ in what they end with: paths, models. */
export function truncateStart(text: string, width: number): string {
  if (width === Infinity || textWidth(text) <= width) return text
  let kept = ""
  let used = 0
  for (const { segment } of [...new Intl.Segmenter().segment(text)].toReversed()) {
    const wide = textWidth(segment)
    if (used + wide > width - 1) break
    kept = segment + kept
    used += wide
  }
  return `…${kept}`
}

/** Fills with spaces up to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)))
}
