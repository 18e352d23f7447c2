/** Text as it arrives: grows at its end while it is read. A reader that needs more than there is yields. */
export interface Cursor {
  text: string
  /** Index of the next character. */
  at: number
  /** No more text will come. */
  ended: boolean
}

/**
 * A reader over a cursor. It yields when it needs text that has not come yet, and decides only by the characters
 * themselves: so the result does not depend on where the text was cut into deltas. What it yields are the characters
 * without which more text is of no use to it; nothing when any is.
 */
export type Scan<T> = Generator<string | undefined, T, void>

/** Gives text to a reader. */
export interface Feed {
  push(text: string): void
  /** No more text will come. */
  end(): void
  /** What was pushed and not given to the reader yet joins the cursor's text. */
  join(): void
  /** Characters that the cursor and the feed hold. */
  readonly held: number
}

/** No reader is left asleep longer than so many characters. */
const longestSleep = 20_000

/** Joins deltas only when the reader can use them: a long call in small deltas would be copied at each otherwise. */
export function createFeed(cursor: Cursor, scan: Scan<void>): Feed {
  let asleep: string[] = []
  let length = 0
  let wanted: string | undefined
  const join = () => {
    cursor.text += asleep.join("")
    asleep = []
    length = 0
  }
  return {
    push(text) {
      asleep.push(text)
      length += text.length
      const chars = wanted
      if (chars !== undefined && length < longestSleep && ![...chars].some((char) => text.includes(char))) return
      join()
      wanted = scan.next().value ?? undefined
    },
    end() {
      join()
      cursor.ended = true
      scan.next()
    },
    join,
    get held() {
      return cursor.text.length + length
    },
  }
}

/** Are there `count` characters from here? False only at the end of the text. */
export function* more(cursor: Cursor, count = 1): Scan<boolean> {
  while (cursor.text.length - cursor.at < count) {
    if (cursor.ended) return false
    yield undefined
  }
  return true
}

/** The next character; undefined at the end. */
export function* peek(cursor: Cursor): Scan<string | undefined> {
  return (yield* more(cursor)) ? cursor.text[cursor.at] : undefined
}

/** Moves behind `literal` if it stands here. */
export function* take(cursor: Cursor, literal: string): Scan<boolean> {
  for (let index = 0; index < literal.length; index++) {
    if (!(yield* more(cursor, index + 1)) || cursor.text[cursor.at + index] !== literal[index]) return false
  }
  cursor.at += literal.length
  return true
}

/** The first of `literals` that stands here, moved behind. */
export function* takeAny(cursor: Cursor, literals: readonly string[]): Scan<string | undefined> {
  for (const literal of literals) if (yield* take(cursor, literal)) return literal
  return undefined
}

/** Moves behind the characters that `fits` (a test of one character) and gives them, at most `most`. */
export function* run(cursor: Cursor, fits: RegExp, most = Number.POSITIVE_INFINITY): Scan<string> {
  const from = cursor.at
  while (cursor.at - from < most) {
    const char = yield* peek(cursor)
    if (char === undefined || !fits.test(char)) break
    cursor.at++
  }
  return cursor.text.slice(from, cursor.at)
}

export function* spaces(cursor: Cursor): Scan<void> {
  yield* run(cursor, /\s/)
}

/** What stands before `literal`, moved behind both; undefined, and not moved, when it is not within `most` characters. */
export function* upTo(cursor: Cursor, literal: string, most = Number.POSITIVE_INFINITY): Scan<string | undefined> {
  const start = cursor.at
  let from = start
  for (;;) {
    const found = cursor.text.indexOf(literal, from)
    const reached = found < 0 ? cursor.text.length - literal.length : found
    if (reached - start > most) return undefined
    if (found >= 0) {
      cursor.at = found + literal.length
      return cursor.text.slice(start, found)
    }
    if (cursor.ended) return undefined
    from = Math.max(start, cursor.text.length - literal.length + 1)
    yield Number.isFinite(most) ? undefined : literal.at(-1)
  }
}

/** Moves to the next `char`, or to the end. */
export function* skipTo(cursor: Cursor, char: string): Scan<void> {
  for (;;) {
    const found = cursor.text.indexOf(char, cursor.at)
    cursor.at = found < 0 ? cursor.text.length : found
    if (found >= 0 || cursor.ended) return
    yield char
  }
}
