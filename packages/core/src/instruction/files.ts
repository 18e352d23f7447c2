import type { Dirent } from "node:fs"
import { readdir, realpath } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import type { Instruction } from "./define.ts"
import { readStart, realInside } from "./read-start.ts"

/** Where instructions are looked for. */
export interface InstructionPlaces {
  readonly directory: string
  readonly worktree: string
  readonly home: string
  /** `cairn` and `opencode` below the XDG config directory. */
  readonly configDir: string
  readonly opencodeConfigDir: string
}

/** Names of instruction files; the first that is found counts. */
export const instructionNames = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"] as const

/**
 * The project's files from the worktree root down to the directory, all of the first name that has a hit. A longer file
 * is cut and says so; one that cannot be read, or is a link out of the project, is passed over.
 */
export async function projectFiles({ worktree, directory }: InstructionPlaces): Promise<Instruction[]> {
  const way = waysDown(worktree, directory)
  const listings = await Promise.all(way.map(filesIn))
  for (const name of instructionNames) {
    const paths = way.filter((_, index) => listings[index]!.has(name)).map((place) => join(place, name))
    const taken = await Promise.all(paths.map((path) => projectFile(path, [worktree, directory])))
    const found = taken.filter((one) => one !== undefined)
    if (found.length > 0) return found
  }
  return []
}

/** The first of the user's own files. */
export async function userFile(places: InstructionPlaces): Promise<Instruction | undefined> {
  const { configDir, opencodeConfigDir, home } = places
  for (const path of [
    join(configDir, "AGENTS.md"),
    join(opencodeConfigDir, "AGENTS.md"),
    join(home, ".claude", "CLAUDE.md"),
  ]) {
    const text = await readStart(path)
    if (text !== undefined) return { path, real: await realpath(path), text, from: "user" }
  }
  return undefined
}

/** A file of the project: a repository must not put a private file into the prompt by a link to it. */
export async function projectFile(path: string, roots: readonly string[]): Promise<Instruction | undefined> {
  const real = await realInside(path, roots)
  const text = real === undefined ? undefined : await readStart(path)
  return real === undefined || text === undefined ? undefined : { path, real, text, from: "project" }
}

/** Names of what is no directory. */
export async function filesIn(directory: string): Promise<Set<string>> {
  const entries: Dirent[] = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return new Set(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name))
}

/** The directories from `root` down to `directory`, both included; `directory` alone when it is not below `root`. */
export function waysDown(root: string, directory: string): string[] {
  const way = relative(root, directory)
  if (way === ".." || way.startsWith(`..${sep}`) || resolve(root, way) !== resolve(directory)) return [directory]
  const places = [directory]
  for (let at = directory; at !== root && dirname(at) !== at;) places.unshift((at = dirname(at)))
  return places
}
