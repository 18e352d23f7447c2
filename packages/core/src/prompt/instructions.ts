import type { Dirent } from "node:fs"
import { constants } from "node:fs"
import { open, readdir, realpath } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { contains } from "../workspace/paths.ts"

/** A file of instructions as it goes into the prompt. */
export interface Instruction {
  readonly path: string
  readonly text: string
  /** The project's files describe the project; the user's own speak for the user. */
  readonly from: "project" | "user"
}

export interface InstructionPlaces {
  readonly directory: string
  readonly worktree: string
  readonly home: string
  /** `cairn` and `opencode` below the XDG config directory. */
  readonly configDir: string
  readonly opencodeConfigDir: string
}

const names = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"] as const
/** Most bytes of one file. */
const largest = 32 * 1024

/**
 * The project's files from the worktree root down to the directory, all of the first name that has a hit, then the
 * first of the user's own. A longer file is cut and says so; one that cannot be read, or is a link out of the project,
 * is passed over.
 */
export async function findInstructions(places: InstructionPlaces): Promise<Instruction[]> {
  const found: Instruction[] = []
  const way = waysDown(places.worktree, places.directory)
  const listings = await Promise.all(way.map(filesIn))
  for (const name of names) {
    const paths = way.filter((_, index) => listings[index]!.has(name)).map((place) => join(place, name))
    for (const path of paths) if (await isInside(path, places)) await take(path, "project", found)
    if (found.length > 0) break
  }
  for (const path of [
    join(places.configDir, "AGENTS.md"),
    join(places.opencodeConfigDir, "AGENTS.md"),
    join(places.home, ".claude", "CLAUDE.md"),
  ]) {
    if (found.some((one) => one.path === path) || (await take(path, "user", found))) break
  }
  return found
}

/** A repository must not put a private file into the prompt by a link to it. */
async function isInside(path: string, { worktree, directory }: InstructionPlaces): Promise<boolean> {
  const [target, ...roots] = await Promise.all(
    [path, worktree, directory].map((one) => realpath(one).catch(() => undefined)),
  )
  return target !== undefined && roots.some((root) => root !== undefined && contains(root, target))
}

async function take(path: string, from: Instruction["from"], found: Instruction[]): Promise<boolean> {
  const text = await readStart(path)
  if (text === undefined || text.trim() === "") return false
  found.push({ path, text, from })
  return true
}

/** The beginning of a regular file, or undefined. Never waits for a pipe, never reads more than it shows. */
async function readStart(path: string): Promise<string | undefined> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const info = await handle.stat()
    if (!info.isFile()) return undefined
    const buffer = Buffer.alloc(Math.min(info.size, largest))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    const text = decode(buffer.subarray(0, bytesRead))
      .replace(/^\uFEFF/, "")
      .trim()
    const left = info.size - bytesRead
    return left > 0 ? `${text}\n[${left} more bytes of ${path} were cut: read the file for them]` : text
  } catch {
    return undefined // not there, or not ours to read: instructions are optional
  }
}

/** UTF-8 without half a character at the end. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes, { stream: true })
}

async function filesIn(directory: string): Promise<Set<string>> {
  const entries: Dirent[] = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return new Set(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name))
}

function waysDown(root: string, directory: string): string[] {
  const way = relative(root, directory)
  if (way === ".." || way.startsWith(`..${sep}`) || resolve(root, way) !== resolve(directory)) return [directory]
  const places = [directory]
  for (let at = directory; at !== root && dirname(at) !== at;) places.unshift((at = dirname(at)))
  return places
}
