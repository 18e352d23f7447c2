import type { Counter } from "./line-search.ts"
import type { Note } from "./types.ts"

/** `key: |`, `- >-`, with a tag or an anchor before the sign and a comment behind it. */
const opening = /(?:[:?-]|^---)(?:\s+[!&][^\s]*)*\s+[|>](?:[1-9]?[-+]?|[-+][1-9])(?:\s+#.*|\s*)$/
/** Longer lines are not read so closely. */
const longest = 500

/** Below a line that ends like this stands code, or YAML of the kind that has no block scalars. */
const bracket = /[{([]\s{0,9}(?:\/\/.*)?$/

/** Notes the lines of YAML's block scalars: those below the line that opens one, as far as they are indented more than it. */
export function readBlockScalars(texts: readonly string[], note: Note, counter: Counter): void {
  const above: { readonly column: number; readonly bracketed: boolean }[] = []
  for (let index = 0; index < texts.length; index++) {
    counter.comparisons++
    const text = texts[index] ?? ""
    const indent = text.search(/\S/)
    if (indent === -1) continue
    while ((above.at(-1)?.column ?? -1) >= indent) above.pop()
    const bracketed = above.at(-1)?.bracketed ?? false
    above.push({ column: indent, bracketed: bracketed || (text.length <= longest && bracket.test(text)) })
    if (bracketed || text.length > longest || !/[|>]/.test(text) || !opening.test(text)) continue
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
