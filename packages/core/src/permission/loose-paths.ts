import { lstatSync } from "node:fs"
import { type CommandContext, named, type PathFacts } from "./command-paths.ts"
import { longestLine } from "./loose-words.ts"
import { type Word, wordOf } from "./shell/syntax.ts"

const mostWords = 2000

/**
 * Notes the paths that a line names which nobody can read: in any of its words, quotes taken off, the home and working
 * directory put in. Absolute names count when something stands there at their first name; so a route such as `/api/users`
 * in a text is none.
 */
export function loosePaths(line: string, context: CommandContext, facts: PathFacts): void {
  const bare = line
    .slice(0, longestLine)
    .replaceAll("\\\n", "")
    .replaceAll(/\$\{HOME\}|\$HOME(?!\w)/g, () => context.home)
    .replaceAll(/\$\{PWD\}|\$PWD(?!\w)/g, () => context.cwd)
    .replaceAll(/["'\\]/g, "")
  const words = new Set(bare.split(/[\s;|&(){}<>`$,:=]+/).map((word) => word.replace(/^(?:-\w|[-\w]*@)(?=[/.~@])/, "")))
  let count = 0
  for (const word of words) {
    if (!looksLikePath(word)) continue
    if (++count > mostWords) {
      facts.unknown = "a line that names too many paths"
      return
    }
    named(word, context, facts)
  }
}

/** A word like `build` can only be a path to something ordinary; what is guarded or elsewhere has a dot, slash or capital. */
function looksLikePath(word: string): boolean {
  if (word === "" || word === "/" || word.startsWith("-")) return false
  if (word.startsWith("/")) return exists(`/${word.split("/", 2)[1] ?? ""}`)
  return /[^a-z0-9_-]/.test(word)
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true // may not be looked at: then there is something
  }
}

/** Plain targets of `>` in front of a here-document: the commonest way to write a file with a line that is not plain. */
export function looseWrites(line: string): Word[] {
  const [head = ""] = line.slice(0, longestLine).split(/<<-?\s*['"\\]?\w/, 1)
  const tail = /<<-?\s*(['"]?)\w+\1([^\n]*)/.exec(line.slice(0, longestLine))?.[2] ?? ""
  return [
    ...`${head}\n${tail}`.matchAll(
      /(?<![<>=\-&\w])(?:\d|&)?>>?\|?[ \t]*(?:"([^"$`\n]+)"|'([^'\n]+)'|([^\s;&|<>()'"$`]+))/g,
    ),
  ].map((match) => {
    const value = match[1] ?? match[2] ?? match[3] ?? ""
    return { ...wordOf(value), tilde: match[3]?.startsWith("~") ?? false }
  })
}
