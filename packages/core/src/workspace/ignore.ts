import { posix } from "node:path"
import createMatcher from "ignore"

/**
 * Which of the paths would git ignore, given its ignore files by path relative to the root (".gitignore",
 * "lib/.gitignore")? A path that ends in `/` is a directory. Paths outside the root are never ignored.
 */
export function ignored(files: Readonly<Record<string, string>>, paths: readonly string[]): string[] {
  const isIgnored = ignoreMatcher(files)
  return paths.filter(isIgnored)
}

/** All files become one list of rules, parents first, since the last rule that matches decides. */
function ignoreMatcher(files: Readonly<Record<string, string>>): (path: string) => boolean {
  const byDepth = Object.keys(files).toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
  const matcher = createMatcher({ ignorecase: false })
  for (const file of byDepth) {
    const directory = posix.dirname(posix.normalize(file))
    for (const line of (files[file] ?? "").replace(/^\uFEFF/, "").split("\n"))
      matcher.add(ruleIn(directory, line.replace(/\r$/, "")))
  }
  return (path) => {
    const normal = posix.normalize(path)
    if (normal === "." || normal === "./" || normal === ".." || normal.startsWith("../") || normal.startsWith("/"))
      return false
    return matcher.ignores(normal)
  }
}

/** A rule of a file in `directory`, as a rule of the root. */
function ruleIn(directory: string, line: string): string[] {
  if (directory === "." || line.startsWith("#") || line.trim() === "") return [line]
  const negated = line.startsWith("!")
  const rule = negated ? line.slice(1) : line
  const prefix = `/${directory.replace(/[\\*?[\]!#]/g, "\\$&")}`
  // A slash anywhere but at the end ties a rule to its directory.
  const tied = /\/./.test(rule.trimEnd())
  const body = tied ? rule.replace(/^\//, "") : `**/${rule}`
  return [`${negated ? "!" : ""}${prefix}/${body}`]
}

function depth(path: string): number {
  return posix.normalize(path).split("/").length
}
