/** How well a text has the letters of a query, in order. */
export interface Match {
  readonly score: number
  /** Where the letters are, in UTF-16 units, for showing them. */
  readonly places: readonly number[]
}

const bonus = { start: 12, boundary: 8, hump: 6, row: 7, exact: 4, name: 3 }
const gapCost = 1
const lateCost = 0.1
/** Longer texts are compared by their end: paths differ there. */
const longest = 300

/**
 * Whether the query's letters stand in the text in this order, and how well: at starts of words, in a row, in the
 * same case, in a path's last part, early. Undefined when they do not. An empty query matches everything equally. Takes query × text in time.
 */
export function fuzzy(query: string, text: string): Match | undefined {
  if (query === "") return { score: 0, places: [] }
  const offset = Math.max(0, text.length - longest)
  const near = text.slice(offset)
  const wanted = query.toLowerCase()
  const letters = near.toLowerCase()
  // A letter whose small form is longer would move every place behind it.
  if (letters.length !== near.length || !isWithin(wanted, letters)) return undefined
  const found = best(query, wanted, near, letters)
  return found === undefined ? undefined : { score: found.score, places: found.places.map((place) => place + offset) }
}

function isWithin(wanted: string, letters: string): boolean {
  let at = 0
  for (const letter of wanted) {
    at = letters.indexOf(letter, at)
    if (at < 0) return false
    at += letter.length
  }
  return true
}

/** The best way to place the letters: for each letter of the query, the best score that ends at each place. */
function best(query: string, wanted: string, text: string, letters: string): Match | undefined {
  const name = text.lastIndexOf("/") + 1
  let scores: number[] = []
  const came: number[][] = []
  for (let index = 0; index < wanted.length; index++) {
    const next: number[] = Array.from({ length: text.length }, () => -Infinity)
    const from: number[] = Array.from({ length: text.length }, () => -1)
    let bestBefore = -Infinity
    let bestPlace = -1
    for (let at = index; at < text.length; at++) {
      if (index > 0) {
        bestBefore -= gapCost
        const previous = scores[at - 1] ?? -Infinity
        if (previous >= bestBefore) [bestBefore, bestPlace] = [previous, at - 1]
      }
      if (letters[at] !== wanted[index]) continue
      const inRow = index > 0 ? (scores[at - 1] ?? -Infinity) + bonus.row : -Infinity
      const jumped = index > 0 ? bestBefore : -at * lateCost
      const own = worth(text, at) + (text[at] === query[index] ? bonus.exact : 0) + (at >= name ? bonus.name : 0)
      next[at] = Math.max(inRow, jumped) + own
      from[at] = inRow >= jumped ? at - 1 : bestPlace
    }
    came.push(from)
    scores = next
  }
  const top = Math.max(...scores)
  if (top === -Infinity) return undefined
  const places = [scores.indexOf(top)]
  for (let index = wanted.length - 1; index > 0; index--) places.unshift(came[index]?.[places[0] ?? 0] ?? 0)
  return { score: top - text.length * lateCost, places }
}

function worth(text: string, at: number): number {
  if (at === 0) return bonus.start
  const before = text[at - 1] ?? ""
  if (/[\s/\\._:#-]/.test(before)) return bonus.boundary
  return /\p{Lu}/u.test(text[at] ?? "") && /\p{Ll}/u.test(before) ? bonus.hump : 0
}

export interface Ranked<T> {
  readonly item: T
  readonly places: readonly number[]
}

/** The items that match, best first; among equals in their order, which is that of use. At most `limit`. */
export function rank<T>(query: string, items: readonly T[], textOf: (item: T) => string, limit: number): Ranked<T>[] {
  const found: { item: T; match: Match; order: number }[] = []
  for (const [order, item] of items.entries()) {
    const match = fuzzy(query, textOf(item))
    if (match !== undefined) found.push({ item, match, order })
  }
  return found
    .toSorted((a, b) => b.match.score - a.match.score || a.order - b.order)
    .slice(0, limit)
    .map(({ item, match }) => ({ item, places: match.places }))
}
