import { classAt, type NameMatcher, nameMatcher } from "./ignore-name.ts"

/** One line of an ignore file. */
export interface IgnoreRule {
  readonly negated: boolean
  /** Only directories. */
  readonly directories: boolean
  /** Does it match a path, given as names below the directory of its file? At most names × pieces of the rule. */
  matches(names: readonly string[]): boolean
}

/** Any number of names, none too. */
const anyDepth = Symbol("**")
type Piece = NameMatcher | typeof anyDepth

/** Undefined for a comment, a blank line, and what no path can match. */
export function ignoreRule(line: string): IgnoreRule | undefined {
  if (line.startsWith("#")) return undefined
  const negated = line.startsWith("!")
  const text = withoutTrailingSpace(negated ? line.slice(1) : line)
  const directories = text.endsWith("/")
  const body = directories ? text.slice(0, -1) : text
  if (body === "") return undefined
  // A slash anywhere but at the end ties a rule to the directory of its file.
  const tied = body.includes("/")
  const names = namesOf(body.startsWith("/") ? body.slice(1) : body)
  if (!names || names.includes("")) return undefined
  const pieces: Piece[] = tied ? names.map(pieceOf) : [anyDepth, nameMatcher(body)]
  // At the end it means what lies inside, not the directory itself.
  if (pieces.at(-1) === anyDepth) pieces.push(nameMatcher("*"))
  return { negated, directories, matches: (path) => matchPieces(pieces, path) }
}

const pieceOf = (name: string): Piece => (/^\*{2,}$/.test(name) ? anyDepth : nameMatcher(name))

/** The names of a pattern. A slash inside a class separates nothing; undefined when a class does not end. */
function namesOf(body: string): string[] | undefined {
  const chars = [...body]
  const names: string[] = []
  let name = ""
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ""
    if (char === "/" || (char === "\\" && chars[at + 1] === "/")) {
      if (char !== "/") at++
      names.push(name)
      name = ""
      continue
    }
    let end = char === "\\" ? at + 1 : at
    if (char === "[") {
      const found = classAt(chars, at + 1)
      if (!found) return undefined
      end = found.end
    }
    name += chars.slice(at, end + 1).join("")
    at = end
  }
  return [...names, name]
}

/** Goes forward; on a mismatch the last `**` takes one name more. Earlier ones never need to be tried again. */
function matchPieces(pieces: readonly Piece[], names: readonly string[]): boolean {
  let at = 0
  let next = 0
  let wide = -1
  let taken = 0
  while (at < names.length) {
    const piece = pieces[next]
    if (piece === anyDepth) {
      wide = next++
      taken = at
    } else if (piece?.(names[at] ?? "")) {
      at++
      next++
    } else if (wide >= 0) {
      next = wide + 1
      at = ++taken
    } else {
      return false
    }
  }
  return next === pieces.length
}

/** Spaces at the end do not count, unless a backslash stands before them. */
function withoutTrailingSpace(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === " ") end--
  if (end === text.length) return text
  let slashes = 0
  while (text[end - 1 - slashes] === "\\") slashes++
  return text.slice(0, slashes % 2 === 1 ? end + 1 : end)
}
