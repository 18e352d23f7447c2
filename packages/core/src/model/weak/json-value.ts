import { type Cursor, more, peek, run, type Scan } from "./cursor.ts"

/** Moves behind a string in single or double quotes. False, and moved to the end, when it breaks off. */
function* skipString(cursor: Cursor): Scan<boolean> {
  const quote = cursor.text[cursor.at++] ?? ""
  const plain = quote === "'" ? /[^'\\]*/y : /[^"\\]*/y
  for (;;) {
    plain.lastIndex = cursor.at
    cursor.at += plain.exec(cursor.text)?.[0].length ?? 0
    const char = cursor.text[cursor.at]
    if (char === undefined) {
      if (cursor.ended) return false
      yield `${quote}\\`
    }
    if (char === quote) {
      cursor.at++
      return true
    }
    if (char === "\\") cursor.at = (yield* more(cursor, 2)) ? cursor.at + 2 : cursor.text.length
  }
}

/** The string that stands here, without its quotes and as it is written; undefined when none does or it breaks off. */
export function* readString(cursor: Cursor): Scan<string | undefined> {
  const quote = yield* peek(cursor)
  if (quote !== '"' && quote !== "'") return undefined
  const from = cursor.at + 1
  return (yield* skipString(cursor)) ? cursor.text.slice(from, cursor.at - 1) : undefined
}

/**
 * Moves behind a JSON value, as loosely as models write it (line breaks in strings, single quotes, commas too many).
 * False when it breaks off: at the end of the text, or before something that can be no JSON.
 */
export function* skipValue(cursor: Cursor): Scan<boolean> {
  const open: string[] = []
  for (;;) {
    const char = yield* peek(cursor)
    if (char === undefined) return false
    if (char === '"' || char === "'") {
      if (!(yield* skipString(cursor))) return false
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]")
      cursor.at++
      continue
    } else if (char === "}" || char === "]") {
      if (open.pop() !== char) return false
      cursor.at++
    } else if (/[\s,:]/.test(char) && open.length > 0) {
      cursor.at++
      continue
    } else if ((yield* run(cursor, /[\w+.-]/)) === "") return false
    if (open.length === 0) return true
  }
}
