import { entriesIn } from "./glob-words.ts"

/** Most entries that are looked at below one command's directories. */
const mostLookedAt = 5000

export interface Below {
  readonly paths: readonly string[]
  /** Nothing was left out. */
  readonly complete: boolean
}

/** Everything below directories (real paths), links not followed, but for what others wrote: `.git`, `node_modules`. */
export function pathsBelow(directories: Iterable<string>): Below {
  const paths: string[] = []
  const open = [...directories]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const entry of entriesIn(path)) {
      if (paths.length >= mostLookedAt) return { paths, complete: false }
      const below = `${path === "/" ? "" : path}/${entry.name}`
      paths.push(below)
      if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules") open.push(below)
    }
  }
  return { paths, complete: true }
}
