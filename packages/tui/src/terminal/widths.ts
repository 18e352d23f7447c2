/** Columns of characters, as they will be drawn. A character is what the user sees as one (a grapheme cluster). */
export interface Widths {
  /** Columns of a text without line ends. */
  of(text: string): number
  /** Its characters in order, each with its columns. */
  characters(text: string): readonly Character[]
}

export interface Character {
  readonly text: string
  readonly width: number
}

/** Columns of each of these characters. */
export type MeasureCharacters = (characters: readonly string[]) => readonly number[]

const plain = /^[\x20-\x7e]*$/
const segmenter = new Intl.Segmenter()
/** Characters that are remembered. A text in Chinese uses some 3,000. */
const most = 20_000

/** Widths by a measure that is asked once for each character that is not ASCII. */
export function createWidths(measure: MeasureCharacters): Widths {
  const known = new Map<string, number>()
  const learn = (characters: readonly string[]) => {
    const all = [...new Set(characters)]
    let missing = all.filter((character) => !known.has(character))
    if (missing.length === 0) return
    if (known.size + missing.length > most) {
      known.clear()
      missing = all
    }
    const widths = measure(missing)
    missing.forEach((character, at) => known.set(character, widths[at] ?? 0))
  }
  const widthOf = (character: string) => (plain.test(character) ? character.length : (known.get(character) ?? 0))
  const split = (text: string) => {
    const characters = Array.from(segmenter.segment(text), ({ segment }) => segment)
    learn(characters.filter((character) => !plain.test(character)))
    return characters
  }
  return {
    of(text) {
      if (plain.test(text)) return text.length
      return split(text).reduce((sum, character) => sum + widthOf(character), 0)
    },
    characters(text) {
      if (plain.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }))
      return split(text).map((character) => ({ text: character, width: widthOf(character) }))
    },
  }
}
