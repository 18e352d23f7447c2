import { likelyOpen } from "./likely.ts"
import type { Counter } from "./line-search.ts"
import { quotesOf, quotesOutsideComments, triples } from "./quotes.ts"
import type { Quotes } from "./quotes.ts"
import { differsWithin, readUnquoted } from "./unquoted.ts"
import type { Ranges } from "./unquoted.ts"

/** What is known of the literals in a file, each an entry per line as a set of quotes. */
export interface Literals {
  readonly lines: readonly Quotes[]
  /** May be left unclosed by the line, the quotes in its comments aside. */
  readonly left: readonly number[]
  /** Where a literal of this kind may be open at the start of the line. */
  readonly open: readonly number[]
  /** Where one is most likely open at the start of the line; has one entry more than lines. */
  readonly likely: readonly number[]
  /** The literals that are not between quotes. */
  readonly unquoted: Ranges
  /** Stands on this line or a later one; has one entry more than lines. */
  readonly laterHas: readonly number[]
  /** Is left unclosed on this line or a later one; has one entry more than lines. */
  readonly laterFirm: readonly number[]
}

/** A simple quote left open is taken for an apostrophe after so many lines without another. */
const farthest = 200
const simple = 3
/** Longer lines are not read so closely. */
const longestPlain = 2_000
const comment = /^\s*(?:\/\/|\/\*|\*|#|--|;)/

/** Reads a file once, in several ways at once, since none is right for every language. */
export function readLiterals(texts: readonly string[], counter: Counter): Literals {
  const lines: Quotes[] = []
  const left: number[] = []
  const open: number[] = []
  let parity = 0
  let withoutComments = 0
  let nearest = 0
  const likely = likelyOpen(texts, counter)
  let lastSimple = 0
  for (const [index, text] of texts.entries()) {
    counter.comparisons++
    const quotes = quotesOf(text, counter)
    if (index - lastSimple > farthest) {
      parity &= ~simple
      withoutComments &= ~simple
      nearest &= ~simple
    }
    open.push(parity | withoutComments | nearest | (likely[index] ?? 0))
    lines.push(quotes)
    left.push(quotesOutsideComments(text, quotes.odd, counter))
    if (quotes.has === 0) continue
    const { firm } = quotes
    if ((firm & simple) !== 0) lastSimple = index
    parity ^= firm
    if (!comment.test(text)) withoutComments ^= firm
    nearest = (nearest & ~firm) | quotes.opens
  }
  const laterHas = Array.from({ length: texts.length + 1 }, () => 0)
  const laterFirm = laterHas.slice()
  for (let index = texts.length - 1; index >= 0; index--) {
    laterHas[index] = (laterHas[index + 1] ?? 0) | (lines[index]?.has ?? 0)
    laterFirm[index] = (laterFirm[index + 1] ?? 0) | (lines[index]?.firm ?? 0)
  }
  return { lines, left, open, likely, unquoted: readUnquoted(texts, counter), laterHas, laterFirm }
}

/**
 * Whether white space that differs between `wanted` and the file's lines from `first` on may stand inside a
 * string literal: between two quotes of a line, or where a literal over several lines may be open. Rather
 * true than false. The indentation is left out: `indentedInLiteral` tells of it.
 */
export function differsInLiteral(
  wanted: readonly string[],
  there: readonly string[],
  first: number,
  literals: () => Literals,
): boolean {
  let known: Literals | undefined
  let left = 0
  let done = 0
  for (const [index, line] of wanted.entries()) {
    const where = difference(line, there[index] ?? "")
    if (!where) continue
    if (where.between) return true
    known ??= literals()
    // What the earlier lines of the block may have left open.
    for (; done < index; done++) left = leftOpen(left, known.left[first + done] ?? 0)
    const at = first + index
    const from = where.before ? at : at + 1
    const has = known.laterHas[from] ?? 0
    if ((left & has) !== 0 || ((known.open[at] ?? 0) & (known.laterFirm[from] ?? 0)) !== 0) return true
    if (where.before && isLikely(known, at)) return true
    const own = known.left[at] ?? 0
    if (where.after && ((own & (known.laterHas[at + 1] ?? 0)) !== 0 || isLikely(known, at + 1))) return true
    if (differsWithin(line, there[index] ?? "", known.unquoted.get(at) ?? [])) return true
  }
  return false
}

/**
 * Whether every line of the block begins inside a literal over several lines, so that no code tells how far the block
 * was moved. Blank lines say nothing.
 */
export function indentedInLiteral(there: readonly string[], first: number, literals: () => Literals): boolean {
  const known = literals()
  return there.every((line, index) => {
    const at = first + index
    if (line.trim() === "" || isLikely(known, at)) return true
    if (((known.open[at] ?? 0) & (known.laterFirm[at] ?? 0)) !== 0) return true
    return known.unquoted.get(at)?.some(({ from }) => from === 0) ?? false
  })
}

/** A literal is most likely open before the line, and closed later. */
function isLikely(known: Literals, line: number): boolean {
  return ((known.likely[line] ?? 0) & (known.laterHas[line] ?? 0)) !== 0
}

/** Triple quotes are no apostrophes: the second closes the first. Of others that is not certain. */
function leftOpen(left: number, odd: number): number {
  return ((left ^ odd) & triples) | ((left | odd) & ~triples)
}

/** Where the white space of two lines differs that are equal without it, by the quotes of the line. */
function difference(a: string, b: string): { before: boolean; between: boolean; after: boolean } | undefined {
  if (a === b) return undefined
  const [plainA, plainB] = [plain(a), plain(b)]
  if (plainA && plainB) {
    const between = plainA.inside !== plainB.inside
    const before = plainA.outside !== plainB.outside
    return before || between ? { before, between, after: false } : undefined
  }
  const mine = parts(a)
  const theirs = parts(b)
  // The white space of a blank line is no indentation.
  const after = mine.after !== theirs.after || a.trim() === ""
  const before = mine.before !== theirs.before
  const between = mine.between !== theirs.between
  return before || between || after ? { before, between, after } : undefined
}

const plainLine = [
  /^[^'"`\\]*(?:(?<![\w'"])'[^'"`\\]*'(?![\w'"])[^'"`\\]*)+$/,
  /^[^'"`\\]*(?:(?<![\w'"])"[^'"`\\]*"(?![\w'"])[^'"`\\]*)+$/,
]

/**
 * A line whose literals cannot be read in two ways: quotes of one kind, each pair apart from words, and no escapes. What
 * stands inside them, and what stands outside, the indentation aside.
 */
function plain(line: string): { inside: string; outside: string } | undefined {
  const text = line.trimStart()
  if (text.length > longestPlain || !plainLine.some((pattern) => pattern.test(text))) return undefined
  const pieces = text.split(/['"]/)
  return {
    inside: pieces.filter((_, index) => index % 2 === 1).join("\0"),
    outside: pieces.filter((_, index) => index % 2 === 0).join("\0"),
  }
}

/** The line without its indentation: before the first quote, up to the last one, and after it. */
function parts(line: string): { before: string; between: string; after: string } {
  const text = line.trimStart()
  const first = text.search(/['"`]/)
  if (first === -1) return { before: "", between: "", after: text }
  const end = Math.max(text.lastIndexOf("'"), text.lastIndexOf('"'), text.lastIndexOf("`")) + 1
  return { before: text.slice(0, first), between: text.slice(first, end), after: text.slice(end) }
}
