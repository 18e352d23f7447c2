/** Longest pattern that is tried; a longer one matches nothing. */
export const longestPattern = 65_536

/**
 * Does a glob match a path, both relative and with `/`? `*` and `?` stay within a name, `**` crosses directories,
 * `{a,b}` alternatives, `[a-z]` and `[!a]` classes, `\` quotes. Names that begin with a dot are like any other.
 */
export function matchGlob(pattern: string, path: string): boolean {
  return pattern.length <= longestPattern && new Bun.Glob(pattern).match(path)
}

/** A matcher for what people type: without a `/` it means a name at any depth; a leading `./` or `/` is the start. */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > longestPattern) return () => false
  const rooted = pattern.replace(/^\.?\/+/, "")
  const glob = new Bun.Glob(pattern.includes("/") ? rooted : `**/${rooted}`)
  return (path) => glob.match(path)
}
