import type { Excerpt } from "@cairn/schema/search"
import type { Term } from "./search-query.ts"
import { piecesOf, tokensOf, wordsOf } from "./search-text.ts"

/** Characters shown, and how many of them before the first word that was found. */
const width = 180
const lead = 50

/** Places of a text that are looked at. */
const mostPlaces = 500

interface Span {
  readonly start: number
  readonly end: number
}
type Word = Span & { readonly word: string }
type Place = Span & { readonly term: number }

/** The piece of the text that has the most of the terms; its beginning where none is seen. */
export function excerpt(text: string, terms: readonly Term[]): Excerpt {
  const places = placesOf(text, terms)
  return flatten(text, windowAround(text, bestOf(places)), places)
}

/** Where the terms stand, in the order of their ends. */
function placesOf(text: string, terms: readonly Term[]): Place[] {
  const words: Word[] = []
  const places: Place[] = []
  const numbered = [...terms.entries()]
  for (const { words: found, start, end } of tokensOf(text)) {
    for (const word of found) words.push({ word, start, end })
    const pieces = piecesOf(text.slice(start, end))
    for (const [term, wanted] of numbered) {
      const place = endOf(words, wanted.words, wanted.prefix) ?? (pieces && pieceOf(pieces, start, wanted))
      if (place) places.push({ ...place, term })
    }
    if (places.length >= mostPlaces) break
  }
  return places
}

/** What the phrase covers if the words end with it. */
function endOf(words: readonly Word[], phrase: readonly string[], prefix: boolean): Span | undefined {
  if (!words.at(-1)?.word.startsWith(phrase.at(-1) ?? "")) return undefined
  const first = words.length - phrase.length
  const [start, end] = [words[first], words.at(-1)]
  if (!start || !end) return undefined
  const fits = phrase.every((wanted, n) => {
    const word = words[first + n]?.word
    return word === wanted || (prefix && n === phrase.length - 1 && word?.startsWith(wanted) === true)
  })
  return fits ? { start: start.start, end: end.end } : undefined
}

/** The place of a term inside of a compound name, given as its pieces with spaces between. */
function pieceOf(spaced: string, offset: number, { words, pieces, prefix }: Term): Span | undefined {
  const seen: Word[] = []
  let at = offset
  for (const piece of spaced.split(" ")) {
    for (const word of wordsOf(piece)) seen.push({ word, start: at, end: at + piece.length })
    at += piece.length
    const span = endOf(seen, pieces ?? words, prefix)
    if (span) return span
  }
  return undefined
}

/** The place after which, within the width, the most different terms stand. */
function bestOf(places: readonly Place[]): Place | undefined {
  let best: Place | undefined
  let most = 0
  for (const [n, place] of places.entries()) {
    const near = places.slice(n, n + 50).filter((other) => other.end <= place.start + width - lead)
    const count = new Set(near.map((other) => other.term)).size
    if (count > most) [best, most] = [place, count]
  }
  return best
}

/** From a space before the place to a space after it. */
function windowAround(text: string, place: Place | undefined): Span {
  let start = place ? Math.max(0, place.start - lead) : 0
  if (start > 0) {
    const space = text.slice(start, place?.start).search(/\s/)
    if (space >= 0) start += space + 1
    else if (isLow(text, start)) start++
  }
  let end = Math.min(text.length, Math.max(start + width, Math.min(place?.end ?? 0, start + 2 * width)))
  if (end < text.length) {
    const space = text.slice(end - lead, end).search(/\s\S*$/)
    if (space >= 0 && end - lead + space >= (place?.end ?? 0)) end += space - lead
    else if (isLow(text, end)) end--
  }
  return { start, end }
}

/** The second half of a character that takes two. */
const isLow = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Runs of white space become one space, and the places move with them. */
function flatten(text: string, { start, end }: Span, places: readonly Place[]): Excerpt {
  let flat = start > 0 ? "…" : ""
  const moved: number[] = []
  for (let at = start; at < end; at++) {
    const char = text.charAt(at)
    moved.push(flat.length)
    if (!/\s/.test(char)) flat += char
    else if (flat !== "" && !flat.endsWith(" ") && flat !== "…") flat += " "
  }
  moved.push(flat.length)
  const matches: [number, number][] = []
  for (const place of places.toSorted((a, b) => a.start - b.start)) {
    if (place.end <= start || place.start >= end) continue
    const from = moved[Math.max(place.start, start) - start] ?? 0
    const to = moved[Math.min(place.end, end) - start] ?? flat.length
    const last = matches.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else matches.push([from, to])
  }
  return { text: end < text.length ? `${flat.trimEnd()}…` : flat.trimEnd(), matches }
}
