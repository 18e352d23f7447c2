import type { Language } from "./languages.ts"
import type { Tone } from "./span.ts"

/** A piece of a text that has a colour; offsets count from the start of the text. */
export interface Coloured {
  readonly from: number
  readonly to: number
  readonly tone: Tone
}

/** What a text ends in the middle of, for the text that goes on with it. */
export interface Inside {
  readonly close: string
  readonly tone: "comment" | "string"
}

export interface Highlighted {
  readonly pieces: readonly Coloured[]
  readonly inside: Inside | undefined
}

const patterns = new WeakMap<Language, RegExp>()

/**
 * The colours of a text, by its lexical grammar alone: comments, strings, numbers, words. Takes its length in time, has no
 * worker and no state but `inside`, so a text in pieces has the colours of the whole.
 */
export function highlight(text: string, language: Language, inside?: Inside): Highlighted {
  const pieces: Coloured[] = []
  let open = inside
  let at = 0
  if (open !== undefined) {
    const end = endOf(text, 0, open.close)
    pieces.push({ from: 0, to: end.to, tone: open.tone })
    if (!end.found) return { pieces, inside: open }
    at = end.to
    open = undefined
  }
  const pattern = patternOf(language)
  pattern.lastIndex = at
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { line, block, long, quote, number, word } = match.groups ?? {}
    const from = match.index
    let to = from + match[0].length
    if (block !== undefined || long !== undefined) {
      const tone = block === undefined ? "string" : "comment"
      const close = closeOf(language, block ?? long ?? "")
      const end = endOf(text, to, close)
      to = end.to
      pattern.lastIndex = to
      pieces.push({ from, to, tone })
      if (!end.found) return { pieces, inside: { close, tone } }
      continue
    }
    if (line !== undefined) pieces.push({ from, to, tone: "comment" })
    else if (quote !== undefined) pieces.push({ from, to, tone: "string" })
    else if (number !== undefined) pieces.push({ from, to, tone: "number" })
    else if (word !== undefined) {
      const tone = toneOf(word, text[to] === "(", language)
      if (tone !== undefined) pieces.push({ from, to: from + word.length, tone })
    }
    if (match[0] === "") pattern.lastIndex++
  }
  return { pieces, inside: undefined }
}

function toneOf(word: string, called: boolean, { keywords, anyCase }: Language): Tone | undefined {
  if (keywords.has(anyCase ? word.toLowerCase() : word)) return "keyword"
  if (called) return "function"
  return /^[A-Z][A-Za-z0-9]*[a-z]/.test(word) ? "type" : undefined
}

/** Where what is open ends. A backslash before a quote keeps it open; comments know no backslash. */
function endOf(text: string, from: number, close: string): { to: number; found: boolean } {
  const escapes = /["'`]/.test(close)
  let at = from
  while (true) {
    const found = text.indexOf(close, at)
    if (found < 0) return { to: text.length, found: false }
    if (!escapes || !isEscaped(text, found, from)) return { to: found + close.length, found: true }
    at = found + 1
  }
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0
  while (at - 1 - slashes >= from && text[at - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}

function closeOf(language: Language, open: string): string {
  return language.block.find(([opened]) => opened === open)?.[1] ?? open
}

function patternOf(language: Language): RegExp {
  const known = patterns.get(language)
  if (known !== undefined) return known
  const any = (list: readonly string[]) => list.map((each) => RegExp.escape(each)).join("|")
  const parts: string[] = []
  if (language.block.length > 0) parts.push(`(?<block>${any(language.block.map(([open]) => open))})`)
  if (language.line.length > 0) parts.push(`(?<line>(?:${any(language.line)})[^\\n]*)`)
  if (language.longQuotes.length > 0) parts.push(`(?<long>${any(language.longQuotes)})`)
  const strings = language.quotes.map((quote) => `${quote}(?:\\\\.|[^\\\\\\n${quote}])*(?:${quote}|$)`)
  if (strings.length > 0) parts.push(`(?<quote>${strings.join("|")})`)
  parts.push("(?<number>(?<![\\w$])(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\w*)")
  parts.push("(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)")
  const pattern = new RegExp(parts.join("|"), "gmu")
  patterns.set(language, pattern)
  return pattern
}
