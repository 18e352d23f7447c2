import type { TextMatch } from "@cairn/schema/file"
import { startOfCharacter, wholeLength } from "../process/capture.ts"

/** A line that matched. `line` counts from 1; 0 when it was too long to be told. `text` is cut around the match. */
export interface Hit {
  readonly path: string
  readonly line: number
  readonly text: string
}

const widest = 400
const before = 100
const utf8 = new TextDecoder()

/** A `match` record of `rg --json`, with its path relative; undefined for its other records. */
export function parseHit(record: string, cut: boolean): Hit | undefined {
  if (!record.startsWith(`{"type":"match"`)) return undefined
  if (cut) return { path: pathOf(record), line: 0, text: "[a line too long to show]" }
  const { data } = JSON.parse(record) as { data: Match }
  return { path: relative(decode(data.path).text), line: data.line_number ?? 0, text: excerpt(data) }
}

/** Characters of a line that programs get. */
const longestLine = 4_096

/** A `match` record of `rg --json` as programs get it, its path relative; undefined for other records. A very long line is cut. */
export function parseMatch(record: string): TextMatch | undefined {
  if (!record.startsWith(`{"type":"match"`)) return undefined
  const { data } = JSON.parse(record) as { data: Match }
  const { text, bytes } = decode(data.lines)
  const cut = text.length > longestLine
  const end = cut ? Buffer.byteLength(text.slice(0, longestLine)) : bytes.length
  return {
    path: { text: relative(decode(data.path).text) },
    lines: { text: cut ? text.slice(0, longestLine) : text },
    line_number: data.line_number ?? 0,
    absolute_offset: data.absolute_offset,
    submatches: data.submatches
      .filter((each) => each.end <= end)
      .map((each) => ({ match: { text: decode(each.match).text }, start: each.start, end: each.end })),
  }
}

/** Text, or base64 of bytes that are not UTF-8. */
type Coded = { readonly text: string } | { readonly bytes: string }
interface Match {
  readonly path: Coded
  readonly lines: Coded
  readonly line_number: number | null
  readonly absolute_offset: number
  readonly submatches: readonly { readonly match: Coded; readonly start: number; readonly end: number }[]
}

function decode(coded: Coded): { text: string; bytes: Uint8Array } {
  const bytes = "text" in coded ? Buffer.from(coded.text) : Buffer.from(coded.bytes, "base64")
  return { text: "text" in coded ? coded.text : utf8.decode(bytes), bytes }
}

function excerpt(match: Match): string {
  const { text, bytes } = decode(match.lines)
  const line = text.split("\n", 1)[0]!.replace(/\r$/, "")
  if (line.length <= widest) return line
  const start = match.submatches[0]?.start ?? 0
  const from = start <= widest - before ? 0 : start - before
  const window = bytes.subarray(from, Math.min(from + widest, Buffer.byteLength(line)))
  const whole = window.subarray(from === 0 ? 0 : startOfCharacter(window), wholeLength(window))
  return `${from === 0 ? "" : "…"}${utf8.decode(whole)}${from + widest < Buffer.byteLength(line) ? "…" : ""}`
}

/** From the beginning of a record that was cut. */
function pathOf(record: string): string {
  const quoted = /"path":\{"text":("(?:[^"\\]|\\.)*")\}/.exec(record)?.[1]
  return quoted === undefined ? "?" : relative(JSON.parse(quoted) as string)
}

function relative(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path
}
