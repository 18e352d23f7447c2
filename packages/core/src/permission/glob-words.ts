import { type Dirent, lstatSync, readdirSync } from "node:fs"
import { nameMatcher } from "../workspace/protection.ts"

const mostFound = 500
const mostSeen = 20_000

/**
 * The paths that a shell pattern stands for on the disk now: `pattern` is absolute, and the paths begin as it does. Empty
 * when nothing matches; undefined when there is too much to look at.
 */
export function expandGlob(pattern: string): string[] | undefined {
  let found = [""]
  let seen = 0
  for (const name of pattern.split("/").slice(1)) {
    if (!/[*?[]/.test(name)) {
      found = found.map((path) => `${path}/${name}`)
      if (seen > 0) found = found.filter(exists)
      continue
    }
    const matcher = nameMatcher(name)
    const next: string[] = []
    for (const path of found) {
      const names = namesIn(path === "" ? "/" : path)
      seen += names.length
      if (seen > mostSeen) return undefined
      for (const one of names) if (matcher.test(one)) next.push(`${path}/${one}`)
      if (next.length > mostFound) return undefined
    }
    found = next
  }
  return found
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // a file where a directory was expected
  }
}

/** The names in a directory; none when it cannot be read. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** What stands in a directory; nothing when it cannot be read. */
export function entriesIn(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}
