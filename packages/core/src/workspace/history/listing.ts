import { basename, dirname, join } from "node:path"
import type { Git } from "../../process/git.ts"
import { shownPath } from "../files.ts"
import { contains } from "../paths.ts"
import type { Location } from "../project.ts"
import { readStatus } from "./git-status.ts"
import { isPassedOver, walkFiles } from "./walk-files.ts"

/** Most files that are looked at before and after a command. */
export const mostListed = 20_000

/** Files of a working tree that a command could change without git having their content, absolute. */
export interface Listing {
  /** `git`: a tracked file that is not here is clean. `walk`: what is not here does not exist. */
  readonly kind: "git" | "walk"
  readonly head: string | undefined
  readonly files: readonly string[]
  /** Directories that are known to have been there. */
  readonly directories: ReadonlySet<string>
  readonly submodules: ReadonlyMap<string, string>
  /** There are more files than are looked at. */
  readonly cut: boolean
  /** What is not looked at, in words. */
  readonly uncovered: readonly string[]
}

interface ListDeps {
  readonly git: Git
  readonly location: Location
  /** Directories of our own, and the home directory: a working tree that is one of them is not watched. */
  readonly own: readonly string[]
  readonly home: string
}

/** Lists by git what is dirty, untracked or ignored; without git all files. Writes nothing. */
export async function listFiles(deps: ListDeps, signal: AbortSignal): Promise<Listing> {
  const { git, location, own } = deps
  const { worktree, gitDir } = location
  if (worktree === deps.home || worktree === "/") return nothingOf(worktree)
  const watched = (path: string) => isWatched(path, own)
  if (gitDir === undefined) return await walked(worktree, signal, watched, [])
  const status = await readStatus(git, worktree, signal)
  signal.throwIfAborted()
  if (!status.ok)
    return await walked(worktree, signal, watched, [`git did not say what is changed (${status.error.message})`])
  const { head, changed, untracked, ignored, submodules } = status.value
  const names = [...changed, ...untracked, ...ignored].filter((path) => !path.endsWith("/"))
  const files = names.map((path) => join(worktree, path)).filter(watched)
  const below = await ignoredBelow(worktree, ignored, mostListed - files.length, signal)
  const all = [...files, ...below.files.filter(watched)]
  const repositories = untracked.filter((path) => path.endsWith("/"))
  const directories = new Set([...below.directories])
  for (const path of all) addParents(directories, path, worktree)
  return {
    kind: "git",
    head,
    files: all.slice(0, mostListed),
    directories,
    submodules,
    cut: all.length > mostListed || below.cut,
    uncovered: [
      ...unreadableNames(names),
      ...repositories.slice(0, 10).map((path) => `the repository in ${shownPath(path)}`),
      ...passedOverNote(below.passedOver),
      ...(all.length > mostListed || below.cut ? [`all but ${mostListed} of the files that git has not`] : []),
    ],
  }
}

/** The files in ignored directories, those of builds and dependencies aside. */
export async function ignoredBelow(worktree: string, ignored: readonly string[], most: number, signal: AbortSignal) {
  const files: string[] = []
  const directories: string[] = []
  const passedOver: string[] = []
  let cut = false
  for (const path of ignored) {
    if (!path.endsWith("/") || !isReadable(path)) continue
    const directory = join(worktree, path.slice(0, -1))
    if (isPassedOver(basename(directory))) {
      passedOver.push(directory)
      continue
    }
    const found = await walkFiles(directory, Math.max(0, most - files.length), signal)
    files.push(...found.files)
    directories.push(...found.directories)
    passedOver.push(...found.passedOver)
    cut ||= found.cut
    if (cut) break
  }
  return { files, directories, passedOver, cut }
}

async function walked(
  root: string,
  signal: AbortSignal,
  watched: (path: string) => boolean,
  notes: readonly string[],
): Promise<Listing> {
  const { files, directories, passedOver, cut } = await walkFiles(root, mostListed, signal)
  return {
    kind: "walk",
    head: undefined,
    files: files.filter(watched),
    directories: new Set(directories),
    submodules: new Map(),
    cut,
    uncovered: [
      ...notes,
      ...unreadableNames(files),
      ...passedOverNote(passedOver),
      ...(cut ? [`all but ${mostListed} files`] : []),
    ],
  }
}

/** A place that holds everything of a user is nobody's project. */
function nothingOf(worktree: string): Listing {
  const uncovered = [`anything: ${worktree} is no project`]
  return {
    kind: "walk",
    head: undefined,
    files: [],
    directories: new Set(),
    submodules: new Map(),
    cut: true,
    uncovered,
  }
}

/** A file that can be named, and is not one of ours. */
export const isWatched = (path: string, own: readonly string[]): boolean => isReadable(path) && !isOurs(path, own)

/** Files that Cairn writes itself: its data, and what it is about to rename. */
const isOurs = (path: string, own: readonly string[]): boolean =>
  /^\.cairn-.*\.tmp$/.test(basename(path)) || own.some((directory) => contains(directory, path))

function addParents(directories: Set<string>, path: string, root: string): void {
  for (let at = dirname(path); at.length > root.length && !directories.has(at); at = dirname(at)) directories.add(at)
}

/** A name that is no valid UTF-8 has been replaced on its way here: nothing can be done by it. */
export const isReadable = (path: string): boolean => !path.includes("\ufffd")

function unreadableNames(paths: readonly string[]): string[] {
  const names = paths.filter((path) => !isReadable(path))
  return names.length === 0 ? [] : [`names that are no valid UTF-8, such as ${shownPath(names[0] ?? "")}`]
}

function passedOverNote(directories: readonly string[]): string[] {
  const names = [...new Set(directories.map((path) => basename(path)))].filter((name) => !name.startsWith(".git"))
  return names.length === 0
    ? []
    : [`directories of builds and dependencies (${names.toSorted().slice(0, 10).join(", ")})`]
}
