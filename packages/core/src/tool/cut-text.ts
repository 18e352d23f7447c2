export interface OutputLimits {
  readonly maxLines: number
  /** Of UTF-8. */
  readonly maxBytes: number
}

export interface Counted {
  readonly bytes: number
  readonly lines: number
}

/** `left` counts what is not in `text`. */
export type CutText = { readonly text: string; readonly truncated: boolean; readonly left: Counted }

/**
 * Cuts a text to whole lines within the limits; a single line that is too long is cut between characters. `text` may
 * already be the first or last part of a longer one, whose size `total` tells.
 */
export function cutText(text: string, total: Counted, limits: OutputLimits, direction: "head" | "tail"): CutText {
  const none = { bytes: 0, lines: 0 }
  if (total.lines <= limits.maxLines && total.bytes <= limits.maxBytes) return { text, truncated: false, left: none }
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")
  // Of a part, the line at the cut is not whole; it is only of use when there is no other.
  const isPart = Buffer.byteLength(text) < total.bytes
  if (isPart && lines.length > 1) lines.splice(direction === "head" ? -1 : 0, 1)
  const ordered = direction === "head" ? lines : lines.toReversed()
  const kept: string[] = []
  let bytes = 0
  for (const line of ordered) {
    const size = Buffer.byteLength(line) + 1
    if (kept.length === limits.maxLines || bytes + size > limits.maxBytes) break
    kept.push(line)
    bytes += size
  }
  if (kept.length === 0) {
    const piece = pieceOf(ordered[0] ?? "", limits.maxBytes, direction)
    return {
      text: piece,
      truncated: true,
      left: { bytes: total.bytes - Buffer.byteLength(piece), lines: total.lines - 1 },
    }
  }
  const whole = (direction === "head" ? kept : kept.toReversed()).join("\n")
  return {
    text: whole,
    truncated: true,
    left: { bytes: Math.max(0, total.bytes - bytes), lines: total.lines - kept.length },
  }
}

function pieceOf(line: string, maxBytes: number, direction: "head" | "tail"): string {
  const bytes = Buffer.from(line)
  if (bytes.length <= maxBytes) return line
  if (direction === "tail") {
    let start = bytes.length - maxBytes
    while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++
    return bytes.subarray(start).toString()
  }
  let end = maxBytes
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}
