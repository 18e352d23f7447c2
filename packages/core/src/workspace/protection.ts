import { lstatSync, readdirSync } from "node:fs"
import { contains } from "./paths.ts"
import type { ResolvedPath } from "./paths.ts"
import { protectedPaths, unprotectedPaths } from "./protected-paths.ts"
import type { ProtectedPath, ProtectedScope } from "./protected-paths.ts"
import { realOf } from "./real-of.ts"
import { homeOrRoot } from "./user-home.ts"

/** The directories of the user that the table speaks of. Absolute; there may be several of each. */
export type UserPlaces = Readonly<Record<Exclude<ProtectedScope, "any" | "root">, readonly string[]>>

/** The user's places by the XDG variables and by their defaults, also where a place is a symbolic link. */
export function userPlaces(
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homeOrRoot(),
): UserPlaces {
  const at = (variable: string, usual: string) => real([env[variable], `${home}/${usual}`])
  return {
    home: real([home]),
    config: at("XDG_CONFIG_HOME", ".config"),
    data: at("XDG_DATA_HOME", ".local/share"),
    state: at("XDG_STATE_HOME", ".local/state"),
  }
}

/** The table for one worktree. Links that lead out of its places are looked up once: keep it for one decision only. */
export interface Protection {
  /** Why writing `real` always asks, or undefined when it does not. */
  of(real: string): ProtectedPath | undefined
  /** A row with a place below `real`: who replaces, fills or moves that directory changes it. */
  below(real: string): ProtectedPath | undefined
  /** A row that a path with shell patterns in its names could be, or lie above. */
  reachedBy(pattern: string): ProtectedPath | undefined
}

/**
 * Names are compared without case and without invisible characters, since some file systems take `.GIT` for `.git`. A
 * place of the table that is a symbolic link protects its target too, and a file of the table goes by all its hard links.
 */
export function createProtection(worktree: string, places: UserPlaces = userPlaces()): Protection {
  let found: { row: ProtectedPath; place: string }[] | undefined
  const linked = () => (found ??= linkedPlaces(worktree, places))
  let files: ReadonlyMap<string, ProtectedPath> | undefined
  const bySecondName = (real: string) => {
    const id = fileWithNames(real)
    return id === undefined ? undefined : (files ??= protectedFiles(worktree, places)).get(id)
  }
  return {
    of(real) {
      const names = split(real)
      const direct = rowOf(names, places, "whole")
      if (direct) return isExcepted(names) ? undefined : direct
      return linked().find(({ place }) => contains(place, real))?.row ?? bySecondName(real)
    },
    below(real) {
      const names = split(real)
      return rowOf(names, places, "above") ?? linked().find(({ place }) => place !== real && contains(real, place))?.row
    },
    reachedBy(pattern) {
      const names = split(pattern).map((name) => (/[*?[]/.test(name) ? nameMatcher(name) : name))
      return rowOf(names, places, "whole") ?? rowOf(names, places, "above")
    },
  }
}

/** One question to `createProtection(…).of`. */
export function isProtected(
  real: string,
  worktree: string,
  places: UserPlaces = userPlaces(),
): ProtectedPath | undefined {
  return createProtection(worktree, places).of(real)
}

/** The same for a resolved path: its target, and every link on the way to it. */
export function protectionOf(
  resolved: ResolvedPath,
  worktree: string,
  places: UserPlaces = userPlaces(),
): ProtectedPath | undefined {
  const protection = createProtection(worktree, places)
  for (const path of [resolved.real, ...resolved.links]) {
    const row = protection.of(path)
    if (row) return row
  }
  return undefined
}

// Format characters that HFS+ ignores in names.
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

type Name = string | RegExp
/** `whole`: the row covers the path. `above`: the path is a directory on the way to what the row covers. */
type Fit = "whole" | "above"

interface Row {
  readonly row: ProtectedPath
  readonly fixed: readonly string[]
  /** It and all below it. */
  readonly open: boolean
}

const rows: readonly Row[] = protectedPaths.map((row) => {
  const names = split(row.path)
  const open = names.at(-1) === "**"
  return { row, open, fixed: open ? names.slice(0, -1) : names }
})
const anywhere = rows.filter(({ row }) => row.scope === "any")
const elsewhere = rows.filter(({ row }) => row.scope !== "any")
/** By the first name; those with a pattern there by the empty name. */
const byFirst = Map.groupBy(anywhere, ({ fixed }) => (fixed[0]!.includes("*") ? "" : fixed[0]!))

function rowOf(names: readonly Name[], places: UserPlaces, fit: Fit): ProtectedPath | undefined {
  for (const [start, name] of names.entries()) {
    if (typeof name !== "string" && startsWild(name)) continue
    const some = typeof name === "string" ? [...(byFirst.get(name) ?? []), ...(byFirst.get("") ?? [])] : anywhere
    const found = some.find((row) => matchesAt(row, names, start, fit))
    if (found) return found.row
  }
  return elsewhere.find((row) => matchesPlace(row, names, places, fit))?.row
}

function matchesPlace(row: Row, names: readonly Name[], places: UserPlaces, fit: Fit): boolean {
  const { scope } = row.row
  if (scope === "root") return matchesAt(row, names, 0, fit)
  if (scope === "any") return false
  return places[scope].some((place) => {
    const root = split(place)
    const inside = root.every((part, index) => index >= names.length || isName(part, names[index]!))
    if (!inside) return false
    return names.length <= root.length ? fit === "above" : matchesAt(row, names, root.length, fit)
  })
}

/** Does the row, read from `start` on, cover all of `names`, or go on below them? */
function matchesAt({ fixed, open }: Row, names: readonly Name[], start: number, fit: Fit): boolean {
  const length = names.length - start
  if (fit === "above") {
    return length > 0 && length < fixed.length && names.slice(start).every((name, index) => isName(fixed[index]!, name))
  }
  if (open ? length < fixed.length : length !== fixed.length) return false
  return fixed.every((part, index) => isName(part, names[start + index]!))
}

function isName(part: string, name: Name): boolean {
  if (typeof name !== "string") return name.test(part.replace("*", "x"))
  if (!part.includes("*")) return part === name
  const [head = "", tail = ""] = part.split("*")
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail)
}

/**
 * A shell pattern of one name as an expression. Like the shell's, it meets a leading dot only with a dot, unless `hidden`.
 * What differs from shell to shell (classes by name, ranges of letters) is taken for anything.
 */
export function nameMatcher(pattern: string, hidden = false): RegExp {
  const source = pattern.replaceAll(
    /\[([!^]?)(\]?(?:\[[:.=][^\]/]*\]|[^\]/])*)\]|[\s\S]/g,
    (text: string, not?: string, members?: string) => {
      if (members !== undefined) {
        if (/\[[:.=]/.test(members) || /[a-z]-|-[a-z]/i.test(members)) return "[\\s\\S]"
        return `[${not ? "^" : ""}${members.replaceAll(/[\\\]^[]/g, "\\$&")}]`
      }
      if (text === "*") return "[\\s\\S]*"
      return text === "?" ? "[\\s\\S]" : text.replaceAll(/[$()+.[\]\\^{|}]/g, "\\$&")
    },
  )
  const dot = !hidden && /^[*?[]/.test(pattern) ? "(?!\\.)" : ""
  try {
    return new RegExp(`^${dot}${source}$`)
  } catch {
    return new RegExp(`^${dot}`) // a class of its own kind (`[9-0]`): take it for anything
  }
}

/** Such a pattern says too little where a row begins; what exists is found by looking. */
const startsWild = (name: RegExp): boolean => name.source.startsWith("^(?!")

function isExcepted(names: readonly string[]): boolean {
  return unprotectedPaths.some((path) => {
    const fixed = split(path)
    const start = names.length - fixed.length
    const plain = { row: protectedPaths[0]!, fixed, open: false }
    // The same file below another protected directory (`.git/hooks/.cairn/plans/x.md`) stays protected.
    return (
      start >= 0 &&
      matchesAt(plain, names, start, "whole") &&
      !anywhere.some((row) => names.slice(0, start).some((_, at) => matchesAt(row, names.slice(0, start), at, "whole")))
    )
  })
}

/** Targets of those fixed places of the table that are symbolic links (`~/.bashrc` in a dotfiles repository). */
function linkedPlaces(worktree: string, places: UserPlaces): { row: ProtectedPath; place: string }[] {
  const names = new Map<string, ReadonlySet<string>>()
  const namesIn = (root: string) => {
    const known = names.get(root) ?? new Set(namesOf(root))
    names.set(root, known)
    return known
  }
  return protectedPaths.flatMap((row) => {
    const fixed = row.path.replace(/\/\*\*$/, "")
    if (fixed.includes("*") || row.scope === "root") return []
    const [first = ""] = fixed.split("/", 1)
    const roots = row.scope === "any" ? [worktree] : places[row.scope]
    return roots.flatMap((root) => {
      const place = `${root}/${fixed}`
      const linked = namesIn(root).has(first) && isLink(place)
      return linked
        ? real([place])
            .slice(1)
            .map((target) => ({ row, place: target }))
        : []
    })
  })
}

/** What tells a file from others, of one that has several names. */
function fileWithNames(path: string): string | undefined {
  try {
    const info = lstatSync(path, { throwIfNoEntry: false })
    return info?.isFile() && info.nlink > 1 ? `${info.dev}:${info.ino}` : undefined
  } catch {
    return undefined // it may not be looked at: then it is not written either
  }
}

const mostFiles = 500

/** The files with several names that stand at the places of the table now, or right below one of its directories. */
function protectedFiles(worktree: string, places: UserPlaces): Map<string, ProtectedPath> {
  const found = new Map<string, ProtectedPath>()
  for (const row of protectedPaths) {
    const fixed = row.path.replace(/\/\*\*$/, "")
    if (fixed.includes("*")) continue
    const roots = row.scope === "any" ? [worktree] : row.scope === "root" ? [""] : places[row.scope]
    for (const root of roots) {
      const place = `${root}/${fixed}`
      const below = fixed === row.path ? [] : namesOf(place).slice(0, mostFiles)
      for (const path of [place, ...below.map((name) => `${place}/${name}`)]) {
        const id = fileWithNames(path)
        if (id !== undefined) found.set(id, row)
      }
    }
  }
  return found
}

/** None when the directory is missing or may not be read. */
function namesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
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

function split(path: string): string[] {
  return path
    .normalize("NFC")
    .replace(invisible, "")
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "")
}
