import { expandTabs, type Safe, sanitizeSource, ui } from "../terminal/sanitize.ts"
import { codeLines } from "./text/code.ts"
import type { Drawing } from "./text/drawing.ts"
import type { Line, Span, Style, Tone } from "./text/span.ts"
import { wrap } from "./text/wrap.ts"

export interface DiffLine {
  readonly kind: "added" | "removed" | "same"
  /** Of the old file for what was removed, of the new one for the rest; from 1. */
  readonly number: number
  readonly text: string
}

export interface Hunk {
  readonly header: string
  readonly lines: readonly DiffLine[]
}

export interface FileDiff {
  readonly file: string
  readonly hunks: readonly Hunk[]
}

/** The files and hunks of a unified diff. What is none is passed over; nothing here throws. */
export function parseDiff(patch: string): FileDiff[] {
  const files: { file: string; hunks: { header: string; lines: DiffLine[] }[] }[] = []
  let old = 0
  let next = 0
  let isOpen = false
  let left = { old: 0, next: 0 }
  for (const line of patch.split("\n")) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    const inHunk = isOpen && (left.old > 0 || left.next > 0)
    if (header !== null && !inHunk) {
      old = Number(header[1])
      next = Number(header[3])
      left = { old: Number(header[2] ?? 1), next: Number(header[4] ?? 1) }
      isOpen = true
      if (files.length === 0) files.push({ file: "", hunks: [] })
      files.at(-1)?.hunks.push({ header: line, lines: [] })
    } else if (inHunk && /^[ +-]|^$/.test(line)) {
      const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same"
      const number = kind === "removed" ? old : next
      files
        .at(-1)
        ?.hunks.at(-1)
        ?.lines.push({ kind, number, text: line.slice(1) })
      if (kind !== "added") [old, left.old] = [old + 1, left.old - 1]
      if (kind !== "removed") [next, left.next] = [next + 1, left.next - 1]
    } else if (line.startsWith("--- ")) {
      isOpen = false
      files.push({ file: nameOf(line), hunks: [] })
    } else if (line.startsWith("+++ ") && !isOpen) {
      const last = files.at(-1)
      if (last !== undefined && !line.includes("/dev/null")) last.file = nameOf(line)
    }
  }
  return files
}

function nameOf(line: string): string {
  return line
    .slice(4)
    .replace(/\t.*$/, "")
    .replace(/^[ab]\//, "")
}

/** Lines that were added and removed. */
export function countChanges(files: readonly FileDiff[]): { added: number; removed: number } {
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length
  return { added: count("added"), removed: count("removed") }
}

export interface DiffOptions extends Drawing {
  readonly width: number
  /** Lines of diff at most; further hunks give their heads, the rest is counted. */
  readonly limit: number
}

const marks: Readonly<
  Record<DiffLine["kind"], { readonly sign: Safe; readonly tone: Tone; readonly ground?: "added" | "removed" }>
> = {
  added: { sign: ui`+`, tone: "ok", ground: "added" },
  removed: { sign: ui`-`, tone: "error", ground: "removed" },
  same: { sign: ui` `, tone: "muted" },
}

/** A file's hunks as rows: number, sign, code in its colours. The sign says what the colour says. */
export function diffRows({ file, hunks }: FileDiff, options: DiffOptions): Line[] {
  const digits = String(Math.max(1, ...hunks.flatMap((hunk) => hunk.lines.map((line) => line.number)))).length
  const rows: Line[] = []
  let left = options.limit
  for (const [at, hunk] of hunks.entries()) {
    if (left <= 0) {
      rows.push(more(hunks.slice(at), options))
      break
    }
    if (at > 0) rows.push(muted(ui`${options.glyphs.more}`, options))
    rows.push(...hunk.lines.slice(0, left).flatMap((line) => diffRow(line, file, digits, options)))
    const cut = hunk.lines.length - left
    left -= hunk.lines.length
    if (cut > 0)
      rows.push(more([{ header: hunk.header, lines: hunk.lines.slice(-cut) }, ...hunks.slice(at + 1)], options))
    if (cut > 0) break
  }
  return rows
}

function diffRow({ kind, number, text }: DiffLine, file: string, digits: number, options: DiffOptions): Line[] {
  const { sign, tone, ground } = marks[kind]
  const source = sanitizeSource(text)
  const onGround: Style = ground === undefined ? {} : { ground }
  const language = /\.([^./\\]+)$/.exec(file)?.[1] ?? ""
  const code = codeLines(source, language, undefined).lines[0] ?? [{ text: expandTabs(source) }]
  const coloured = code.map((span): Span => ({
    ...span,
    style: { tone: kind === "same" ? "muted" : "text", ...span.style, ...onGround },
  }))
  const label = ui`${String(number).padStart(digits) as Safe} `
  const first: Span[] = [
    { text: label, style: { tone: "muted" } },
    { text: ui`${sign} `, style: { tone, ...onGround, bold: true } },
  ]
  const blank = " ".repeat(digits + 1) as Safe
  const rest: Span[] = [{ text: blank }, { text: ui`  `, style: onGround }]
  return wrap(coloured, options.widths, { width: options.width, mode: "character", first, rest }).map((line) => {
    return ground === undefined ? line : filled(line, options.width, onGround)
  })
}

/** The ground goes to the end of the row. */
function filled(line: Line, width: number, style: Style): Line {
  const room = width - line.width
  if (room <= 0) return line
  return { ...line, spans: [...line.spans, { text: " ".repeat(room) as Safe, style }], width }
}

function more(hunks: readonly Hunk[], options: DiffOptions): Line {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  return muted(ui`${options.glyphs.more} ${lines} more lines of diff`, options)
}

function muted(text: Safe, { widths }: Drawing): Line {
  return { spans: [{ text, style: { tone: "muted" } }], width: widths.of(text) }
}
