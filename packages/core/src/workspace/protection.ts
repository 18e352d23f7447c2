import { lstatSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { contains } from "./paths.ts"
import type { ResolvedPath } from "./paths.ts"
import { protectedPaths, unprotectedPaths } from "./protected-paths.ts"
import type { ProtectedPath, ProtectedScope } from "./protected-paths.ts"

/** The directories of the user that the table speaks of. Absolute; there may be several of each. */
export type UserPlaces = Readonly<Record<Exclude<ProtectedScope, "any" | "root">, readonly string[]>>

/** The user's places by the XDG variables and by their defaults, also where a place is a symbolic link. */
export function userPlaces(
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): UserPlaces {
  const at = (variable: string, usual: string) => real([env[variable], `${home}/${usual}`])
  return {
    home: real([home]),
    config: at("XDG_CONFIG_HOME", ".config"),
    data: at("XDG_DATA_HOME", ".local/share"),
    state: at("XDG_STATE_HOME", ".local/state"),
  }
}

/**
 * Says why writing `real` always asks, or undefined when it does not. Names are compared without case and
 * without invisible characters, since some file systems take `.GIT` for `.git`. A place of the table that
 * is a symbolic link protects its target too.
 */
export function isProtected(
  real: string,
  worktree: string,
  places: UserPlaces = userPlaces(),
): ProtectedPath | undefined {
  const names = split(real)
  const direct = protectedPaths.find((row) => matchesRow(row, names, places))
  if (direct) return isExcepted(names) ? undefined : direct
  return protectedPaths.find((row) => linkedPlaces(row, worktree, places).some((place) => contains(place, real)))
}

/** The same for a resolved path: its target, and every link on the way to it. */
export function protectionOf(
  resolved: ResolvedPath,
  worktree: string,
  places: UserPlaces = userPlaces(),
): ProtectedPath | undefined {
  for (const path of [resolved.real, ...resolved.links]) {
    const row = isProtected(path, worktree, places)
    if (row) return row
  }
  return undefined
}

function matchesRow(row: ProtectedPath, names: readonly string[], places: UserPlaces): boolean {
  const pattern = split(row.path)
  if (row.scope === "any") return names.some((_, start) => matchesAt(pattern, names, start))
  if (row.scope === "root") return matchesAt(pattern, names, 0)
  return places[row.scope].some((place) => {
    const root = split(place)
    return root.every((name, index) => names[index] === name) && matchesAt(pattern, names, root.length)
  })
}

/** Does the pattern cover all of `names` from `start` on? A directory above a pattern is not covered. */
function matchesAt(pattern: readonly string[], names: readonly string[], start: number): boolean {
  const open = pattern.at(-1) === "**"
  const fixed = open ? pattern.slice(0, -1) : pattern
  const length = names.length - start
  if (open ? length < fixed.length : length !== fixed.length) return false
  return fixed.every((part, index) => matchesName(part, names[start + index] ?? ""))
}

function matchesName(part: string, name: string): boolean {
  if (!part.includes("*")) return part === name
  const [head = "", tail = ""] = part.split("*")
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail)
}

function isExcepted(names: readonly string[]): boolean {
  return unprotectedPaths.some((path) => {
    const pattern = split(path)
    const start = names.length - pattern.length
    // The same file below another protected directory (`.git/hooks/.cairn/plans/x.md`) stays protected.
    return (
      start >= 0 &&
      matchesAt(pattern, names, start) &&
      !protectedPaths.some((row) => row.scope === "any" && covers(row, names, start))
    )
  })
}

function covers(row: ProtectedPath, names: readonly string[], end: number): boolean {
  const above = names.slice(0, end)
  return above.some((_, start) => matchesAt(split(row.path), above, start))
}

/** Targets of those fixed places of a row that are symbolic links (`~/.bashrc` in a dotfiles repository). */
function linkedPlaces(row: ProtectedPath, worktree: string, places: UserPlaces): string[] {
  const fixed = row.path.replace(/\/\*\*$/, "")
  if (fixed.includes("*") || row.scope === "root") return []
  const roots = row.scope === "any" ? [worktree] : places[row.scope]
  return roots.flatMap((root) => {
    const place = `${root}/${fixed}`
    return isLink(place) ? real([place]).slice(1) : []
  })
}

/** Each path that is given, and where it really leads if that is another. */
function real(paths: readonly (string | undefined)[]): string[] {
  const found = new Set<string>()
  for (const path of paths) {
    if (path === undefined || !path.startsWith("/")) continue
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
    found.add(plain)
    const target = realOf(plain)
    if (target !== undefined) found.add(target)
  }
  return [...found]
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch {
    // A file stands where a directory was expected (`.git` of a linked worktree), or it may not be looked at.
    return false
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

// Format characters that HFS+ ignores in names.
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

function split(path: string): string[] {
  return path
    .normalize("NFC")
    .replace(invisible, "")
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "")
}
