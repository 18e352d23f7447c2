import { shownPath } from "../../workspace/files.ts"

interface Directory {
  readonly directories: Map<string, Directory>
  readonly files: string[]
}

const empty = (): Directory => ({ directories: new Map(), files: [] })

/** Relative paths as an indented tree: directories with a slash, before the files beside them, each in the order of names. */
export function treeLines(paths: readonly string[]): string[] {
  const root = empty()
  for (const path of paths) {
    const names = path.split("/")
    const file = names.pop() ?? ""
    let at = root
    for (const name of names) {
      const below = at.directories.get(name) ?? empty()
      at.directories.set(name, below)
      at = below
    }
    at.files.push(file)
  }
  return linesOf(root, "  ")
}

function linesOf({ directories, files }: Directory, indent: string): string[] {
  const below = [...directories].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [
    ...below.flatMap(([name, inside]) => [`${indent}${shownPath(name)}/`, ...linesOf(inside, `${indent}  `)]),
    ...files.toSorted().map((name) => `${indent}${shownPath(name)}`),
  ]
}
