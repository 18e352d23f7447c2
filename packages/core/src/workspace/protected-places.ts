import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { contains } from "./paths.ts"
import { nameMatcher, type UserPlaces } from "./protection.ts"
import { type ProtectedPath, protectedPaths } from "./protected-paths.ts"
import { realOf } from "./real-of.ts"

/** A place of the table as it is for one worktree. */
export interface ProtectedPlace {
  /** Absolute, without `/**`; as the table names it, so perhaps a link. */
  readonly path: string
  readonly row: ProtectedPath
}

/** The places directly in `root` that are there. */
export function placesIn(root: string): ProtectedPlace[] {
  return anywhere().flatMap((row) => expanded(root, fixedOf(row)).map((path) => ({ path, row })))
}

/** The user's own places of the table that really lie in one of these directories. */
export function userPlacesIn(directories: readonly string[], places: UserPlaces): ProtectedPlace[] {
  return protectedPaths.flatMap((row) => {
    if (row.scope === "any" || row.scope === "root") return []
    return places[row.scope].flatMap((place) => {
      const path = join(place, fixedOf(row))
      const real = realOf(path)
      return real !== undefined && directories.some((directory) => contains(directory, real))
        ? [{ path: real, row }]
        : []
    })
  })
}

const anywhere = () => protectedPaths.filter(({ scope }) => scope === "any")

const fixedOf = ({ path }: ProtectedPath): string => path.replace(/\/\*\*$/, "")

/** The paths that a name with `*` in its parts stands for now. */
function expanded(root: string, fixed: string): string[] {
  return fixed.split("/").reduce<string[]>(
    (found, name) =>
      found.flatMap((at) => {
        if (!name.includes("*")) return isThere(join(at, name)) ? [join(at, name)] : []
        const matcher = nameMatcher(name)
        // The shell's `*` spares hidden names; the table's does not need to.
        return namesIn(at)
          .filter((one) => matcher.test(one))
          .map((one) => join(at, one))
      }),
    [root],
  )
}

/** A link that leads nowhere is there. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A file stands where a directory was expected.
    return false
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
