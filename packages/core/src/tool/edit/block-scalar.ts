import type { Counter } from "./line-search.ts"
import type { Note } from "./types.ts"

/** `key: |`, `- >-`, with a tag or an anchor before the sign and a comment behind it. */
const opening = /(?:[:?-]|^---)(?:\s+[!&][^\s]*)*\s+[|>](?:[1-9]?[-+]?|[-+][1-9])(?:\s+#.*|\s*)$/
/** Longer lines are not read so closely. */
const longest = 500

/** Notes the lines of YAML's block scalars: those below the line that opens one, as far as they are indented more than it. */
export function readBlockScalars(texts: readonly string[], note: Note, counter: Counter): void {
  for (let index = 0; index < texts.length; index++) {
    counter.comparisons++
    const text = texts[index] ?? ""
    if (text.length > longest || !/[|>]/.test(text) || !opening.test(text)) continue
    const column = columnOf(text)
    let last = index
    for (let line = index + 1; line < texts.length; line++) {
      counter.comparisons++
      const below = texts[line] ?? ""
      if (below.trim() === "") continue
      if (below.search(/\S/) <= column) break
      last = line
    }
    for (let line = index + 1; line <= last; line++) note(line, 0, Infinity)
    index = last
  }
}

/** Where the key stands, or the last dash of an entry that has no key. Everything, below `---`. */
function columnOf(text: string): number {
  if (text.startsWith("---")) return -1
  const dashes = /^\s*(?:-\s+)*/.exec(text)?.[0] ?? ""
  return /^[|>!&]/.test(text.slice(dashes.length)) ? dashes.lastIndexOf("-") : dashes.length
}
