import { posix } from "node:path"
import { type IgnoreRule, ignoreRule } from "./ignore-rule.ts"

/**
 * Which of the paths would git ignore, given its ignore files by path relative to the root (".gitignore",
 * "lib/.gitignore")? A path that ends in `/` is a directory. Paths outside the root are never ignored.
 */
export function ignored(files: Readonly<Record<string, string>>, paths: readonly string[]): string[] {
  const isIgnored = ignoreMatcher(files)
  return paths.filter(isIgnored)
}

/** A rule and the directory of its file, as names. */
interface PlacedRule extends IgnoreRule {
  readonly base: readonly string[]
}

function ignoreMatcher(files: Readonly<Record<string, string>>): (path: string) => boolean {
  const rules = rulesOf(files)
  const directories = new Map<string, boolean>()
  /** What is below an ignored directory is ignored whatever the rules say of it. */
  const isIgnored = (names: readonly string[], directory: boolean): boolean => {
    for (let depth = 1; depth < names.length; depth++) {
      const key = names.slice(0, depth).join("/")
      const known = directories.get(key) ?? lastWord(rules, names.slice(0, depth), true)
      directories.set(key, known)
      if (known) return true
    }
    return lastWord(rules, names, directory)
  }
  return (path) => {
    const normal = posix.normalize(path)
    if (normal === "." || normal === "./" || normal === ".." || normal.startsWith("../") || normal.startsWith("/"))
      return false
    const directory = normal.endsWith("/")
    return isIgnored((directory ? normal.slice(0, -1) : normal).split("/"), directory)
  }
}

/** All files become one list of rules, parents first, since the last rule that matches decides. */
function rulesOf(files: Readonly<Record<string, string>>): PlacedRule[] {
  const byDepth = Object.keys(files).toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
  return byDepth.flatMap((file) => {
    const directory = posix.dirname(posix.normalize(file))
    const base = directory === "." ? [] : directory.split("/")
    const lines = (files[file] ?? "").replace(/^\uFEFF/, "").split("\n")
    return lines.flatMap((line): PlacedRule[] => {
      const rule = ignoreRule(line.replace(/\r$/, ""))
      return rule ? [{ ...rule, base }] : []
    })
  })
}

function lastWord(rules: readonly PlacedRule[], names: readonly string[], directory: boolean): boolean {
  const found = rules.findLast(({ base, directories, matches }) => {
    if (directories && !directory) return false
    if (base.length === 0) return matches(names)
    return (
      names.length > base.length && base.every((name, at) => name === names[at]) && matches(names.slice(base.length))
    )
  })
  return found !== undefined && !found.negated
}

function depth(path: string): number {
  return posix.normalize(path).split("/").length
}
