/** Longest pattern that is tried; a longer one matches nothing. */
export const longestPattern = 65_536

/** Why a glob cannot mean what was written: a bracket or brace that is not closed. Undefined when it can. */
export function globProblem(pattern: string): string | undefined {
  const braces: number[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === "\\") at++
    else if (char === "{") braces.push(at)
    else if (char === "}") braces.pop()
    else if (char === "[") {
      const end = /^\[[!^]?(?:\\.|[^\]\\])*\]/s.exec(pattern.slice(at))
      if (!end) return unclosed("[", at, pattern)
      at += end[0].length - 1
    }
  }
  const open = braces[0]
  return open === undefined ? undefined : unclosed("{", open, pattern)
}

const unclosed = (bracket: string, at: number, pattern: string) =>
  `The glob ${JSON.stringify(pattern.slice(0, 200))} has a ${bracket} that is not closed, at character ${at + 1}. Close it, or write \\${bracket} for a name that holds one.`

/**
 * A matcher for what people type: without a `/` it means a name at any depth; a leading `./` or `/` is the start, of the
 * path too. `*` and `?` stay within a name, `**` crosses directories, `{a,b}` alternatives, `[a-z]` and `[!a]` classes,
 * `\` quotes. Names that begin with a dot are like any other.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > longestPattern) return () => false
  const glob = new Bun.Glob(pattern.includes("/") ? fromStart(pattern) : `**/${pattern}`)
  return (path) => glob.match(fromStart(path))
}

const fromStart = (path: string) => path.replace(/^\.?\/+/, "")

/**
 * The directory that a glob starts in, and the glob that is left, tied to it: "src/**" is "src" and "./**"; a plain name
 * ("*.ts") starts in "." and stays untied. So `..` and absolute globs name a real place, and a search opens only what it must.
 */
export function splitGlob(pattern: string): { readonly base: string; readonly rest: string } {
  const names = pattern.split("/")
  const special = names.findIndex((name) => /[*?[\]{}!\\]/.test(name))
  const end = special < 0 ? names.length - 1 : special
  if (names.length === 1) return { base: ".", rest: pattern }
  const base = names.slice(0, end).join("/")
  return { base: base === "" ? (end === 0 ? "." : "/") : base, rest: `./${names.slice(end).join("/")}` }
}
