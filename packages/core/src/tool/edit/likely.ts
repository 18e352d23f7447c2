import type { Counter } from "./line-search.ts"
import { backtick } from "./quotes.ts"

/** What is between quotes is passed over as one, and so is what `comment` begins. */
const tokens = {
  "#": /"""|'''|'[^']*'|"[^"]*"|#/g,
  "//": /"""|'''|`|'[^']*'|"[^"]*"|\/\*.*?\*\/|\/\//g,
} as const
type Comment = keyof typeof tokens

const closers: Readonly<Record<string, { readonly kind: number }>> = {
  "`": { kind: backtick },
  '"""': { kind: 16 },
  "'''": { kind: 8 },
}

/**
 * The literals over several lines that are most likely open before each line, and after the last one: as a compiler
 * would read the file, by the kind of comments that it has. With both kinds in it, by either.
 */
export function likelyOpen(texts: readonly string[], counter: Counter): number[] {
  const found = Array.from({ length: texts.length + 1 }, () => 0)
  counter.comparisons += texts.length
  if (!texts.some((text) => /`|"""|'''/.test(text))) return found
  for (const comment of commentsOf(texts)) {
    let open = 0
    for (const [index, text] of texts.entries()) {
      open = afterLine(text, open, comment, counter)
      found[index + 1] = (found[index + 1] ?? 0) | open
    }
  }
  return found
}

function commentsOf(texts: readonly string[]): readonly Comment[] {
  const hash = texts.some((text) => /^\s*#/.test(text))
  const slash = texts.some((text) => /^\s*(?:\/\/|\/\*)/.test(text))
  return hash === slash ? ["#", "//"] : hash ? ["#"] : ["//"]
}

/** The one literal that is open after the line. What stands inside another is no quote, and an escaped quote is none. */
function afterLine(line: string, state: number, comment: Comment, counter: Counter): number {
  counter.comparisons++
  if (!/['"`]/.test(line)) return state
  const text = line.replace(/\\[\s\S]/g, "__")
  const token = tokens[comment]
  let open = state
  let at = 0
  while (true) {
    counter.comparisons++
    if (open !== 0) {
      const mark = open === backtick ? "`" : open === 16 ? '"""' : "'''"
      const end = text.indexOf(mark, at)
      if (end === -1) return open
      at = end + mark.length
      open = 0
    }
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found === undefined || found === "#" || found === "//") return 0
    at = token.lastIndex
    open = closers[found]?.kind ?? 0
  }
}
