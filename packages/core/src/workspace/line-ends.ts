export type LineEnd = "\n" | "\r\n" | "\r"

/** One line of a text: `text` without its end, and where both stand in the whole. The last line may have no end. */
export interface Line {
  readonly text: string
  readonly end: LineEnd | ""
  readonly start: number
}

/** All lines, in order; `""` has none, and a text that ends with a line end has no empty line after it. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  // A text without carriage returns, nearly all there are, is cut by the fast search alone.
  let carriage = text.indexOf("\r")
  while (start < text.length) {
    if (carriage !== -1 && carriage < start) carriage = text.indexOf("\r", start)
    const feed = text.indexOf("\n", start)
    const at = carriage !== -1 && (feed === -1 || carriage < feed) ? carriage : feed
    if (at === -1) {
      lines.push({ text: text.slice(start), end: "", start })
      break
    }
    const end: LineEnd = at === feed ? "\n" : text[at + 1] === "\n" ? "\r\n" : "\r"
    lines.push({ text: text.slice(start, at), end, start })
    start = at + end.length
  }
  return lines
}

/** Index of the line that holds this offset. */
export function lineAt(lines: readonly Line[], offset: number): number {
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lines[middle]?.start ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The line end that all lines have, `mixed`, or `none` for a text of at most one unended line. */
export function lineEndOf(text: string): LineEnd | "mixed" | "none" {
  if (!text.includes("\r")) return text.includes("\n") ? "\n" : "none"
  let found: LineEnd | undefined
  for (const match of text.matchAll(/\r\n?|\n/g)) {
    const end = match[0] as LineEnd
    if (found !== undefined && end !== found) return "mixed"
    found = end
  }
  return found ?? "none"
}

/** The most frequent line end; undefined when there is none. */
export function commonLineEnd(text: string): LineEnd | undefined {
  const count = new Map<LineEnd, number>()
  for (const match of text.matchAll(/\r\n?|\n/g)) {
    const end = match[0] as LineEnd
    count.set(end, (count.get(end) ?? 0) + 1)
  }
  return [...count].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

export function withLineEnds(text: string, end: LineEnd): string {
  return end === "\n" && !text.includes("\r") ? text : text.replace(/\r\n?|\n/g, end)
}
