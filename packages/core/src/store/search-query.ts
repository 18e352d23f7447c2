import { type Result, err, ok } from "@cairn/kernel/result"
import { fold, piecesOf, wordsOf } from "./search-text.ts"

/** One word or phrase that is looked for. */
export interface Term {
  /** Words that follow each other, as `wordsOf` gives them. */
  readonly words: readonly string[]
  /** The same as parts of one compound name, where the term is such a name. */
  readonly pieces?: readonly string[]
  /** The last word may go on. */
  readonly prefix: boolean
}

const longest = 1_000
const mostTerms = 32

/** Below this many characters a bare word means itself alone: too much begins with it. */
const shortestPrefix = 3

/**
 * Takes a search apart: bare words match the beginnings of words, `word*` also when it is short, "quoted words" match as
 * they are, in this order. Everything else is taken for a separator. The error is a sentence for the user.
 */
export function parseSearch(query: string): Result<Term[], string> {
  if (query.length > longest) return err(`The text to search for is too long: at most ${longest} characters`)
  const terms: Term[] = []
  for (const { 1: quoted, 2: bare, 3: star } of query.matchAll(/["“”„]([^"“”„]*)["“”„]?|([^\s"“”„*]+)(\*)?/gu)) {
    const text = (quoted ?? bare ?? "").toWellFormed()
    const words = wordsOf(text)
    if (words.length === 0) continue
    const pieces = words.length === 1 ? piecesOf(fold(text)) : undefined
    const prefix = star !== undefined || (bare !== undefined && goesOn(words.at(-1) ?? ""))
    terms.push({ words, prefix, ...(pieces !== undefined && { pieces: wordsOf(pieces) }) })
  }
  if (terms.length > mostTerms) return err(`There are too many words to search for: at most ${mostTerms}`)
  if (terms.length === 0) return err("There is nothing to search for: a word has letters or digits")
  return ok(terms)
}

const goesOn = (word: string) => word.length >= shortestPrefix && /\p{L}/u.test(word)

/** The expression of the full-text engine for parts that have every term. Of words alone, so it can have no syntax of theirs. */
export function expressionOf(terms: readonly Term[]): string {
  return terms.map((term) => `(${alternatives(term).join(" OR ")})`).join(" AND ")
}

function alternatives({ words, pieces, prefix }: Term): string[] {
  const phrase = (of: readonly string[]) => `"${of.join(" ")}"${prefix ? " *" : ""}`
  return [phrase(words), ...(pieces ? [`pieces : ${phrase(pieces)}`] : [])]
}
