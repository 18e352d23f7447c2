import type { Counter } from "./line-search.ts"

/** What one line says about literals, as sets of quotes: bits 1 `'`, 2 `"`, 4 `` ` ``, 8 `'''`, 16 `"""`. */
export interface Quotes {
  /** Stand on the line. */
  readonly has: number
  /** May be left unclosed by the line, by any way to read it. */
  readonly odd: number
  /** Are left unclosed by the likeliest way to read it. */
  readonly firm: number
  /** Those of `firm` that look as if they begin a literal and not as if they end one. */
  readonly opens: number
}

export const backtick = 4
export const triples = 24

const none: Quotes = { has: 0, odd: 0, firm: 0, opens: 0 }
const marks = ["'", '"', "`"] as const
/** No way to read it leaves anything open: no escapes, each pair of quotes apart from words and without others inside. */
const closed = /^[^'"`\\]*(?:(?<![\w'"`<&])(['"`])[^'"`\\]*\1(?![\w'"`])[^'"`\\]*)+$/
const longestClosed = 2_000
const fence = /^\s*`{3,}[^`]*$/
const apostrophes =
  /(?<=[A-Za-z]{2}|\bI)'(?=(?:t|s|re|ve|ll|d|m)\b)|(?<=[<&])'(?=[A-Za-z_])(?![A-Za-z_][A-Za-z0-9_]{0,40}')/g
const beforeOpening = /(?:[=([{,:+?|&>]|\b(?:return|echo|yield))\s{0,9}$|\w$/
const afterClosing = /^\s*(?:$|[;,)\]}.|&>+:?])/

/** The ways to read one line on its own, without knowing the language. Linear in the line. */
export function quotesOf(line: string, counter: Counter): Quotes {
  if (!/['"`]/.test(line)) return none
  if (line.length <= longestClosed && closed.test(line)) return { ...none, has: present(line) }
  // The fence of a Markdown block is no literal.
  const text = fence.test(line) ? line.replaceAll("`", "") : line
  const single = text.replace(/"""|'''/g, "")
  const triple = (parity(text, '"""', counter) ? 16 : 0) | (parity(text, "'''", counter) ? 8 : 0)
  const unescaped = single.replace(/\\[\s\S]/g, "")
  const likely = unescaped.replace(apostrophes, "")
  let odd = triple
  for (const reading of new Set([single, unescaped, single.replace(apostrophes, ""), likely])) {
    odd |= parities(reading, counter) | unclosed(reading)
  }
  const firm = triple | unclosed(likely)
  return { has: present(text), odd, firm, opens: firm && opening(text, firm) }
}

const commentLine = /^\s*(?:\/\/|#+(?:[\s!]|$)|--\s|;+\s|\*+(?:[\s/]|$))/
const trailingComment = /^[^'"`]*?\s(?:\/\/|#|--)\s/

/**
 * Those of `odd` that stay when the comments of the line are left out. Triple quotes always do: a comment may hold the one
 * that ends a literal.
 */
export function quotesOutsideComments(line: string, odd: number, counter: Counter): number {
  if ((odd & ~triples) === 0) return odd
  if (commentLine.test(line)) return odd & triples
  if (/^\s*\{?\/\*/.test(line)) {
    const end = line.indexOf("*/")
    const rest = end === -1 ? 0 : quotesOf(line.slice(end + 2), counter).odd
    return (odd & triples) | (rest & ~triples)
  }
  // What follows the sign may still be code of another language: only words with an apostrophe are surely prose.
  const before = trailingComment.exec(line)?.[0]
  if (before === undefined) return odd
  return /['"`]/.test(line.slice(before.length).replace(apostrophes, "")) ? odd : odd & triples
}

function present(text: string): number {
  let found = (text.includes("'''") ? 8 : 0) | (text.includes('"""') ? 16 : 0)
  for (const [bit, quote] of marks.entries()) if (text.includes(quote)) found |= 1 << bit
  return found
}

/** What stays when each quote is closed by the next of its kind. An unclosed quote hides nothing after it. */
function unclosed(text: string): number {
  return /['"`]/.test(text) ? present(text.replace(/'[^']*'|"[^"]*"|`[^`]*`/g, "")) & 7 : 0
}

function parities(text: string, counter: Counter): number {
  let found = 0
  for (const [bit, quote] of marks.entries()) if (parity(text, quote, counter)) found |= 1 << bit
  return found
}

function parity(text: string, quote: string, counter: Counter): boolean {
  let odd = false
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + quote.length)) {
    counter.comparisons++
    odd = !odd
  }
  return odd
}

function opening(text: string, kinds: number): number {
  let found = 0
  for (const [bit, quote] of [...marks, "'''", '"""'].entries()) {
    if ((kinds & (1 << bit)) === 0) continue
    const at = text.lastIndexOf(quote)
    const before = text.slice(Math.max(0, at - 20), at)
    const after = text.slice(at + quote.length, at + quote.length + 20)
    if (quote === "`" && endsTemplate(before, after)) continue
    if (begins(before, after)) found |= 1 << bit
  }
  return found
}

/** A word before it may be a tag, but no template begins like this. */
function endsTemplate(before: string, after: string): boolean {
  return /\w$/.test(before) && /^[,;)\]]/.test(after)
}

function begins(before: string, after: string): boolean {
  if (before.trim() === "") return !/^\s/.test(after) && !afterClosing.test(after)
  if (after.trim() === "" && /\s$/.test(before)) return true
  return beforeOpening.test(before) || !afterClosing.test(after)
}
