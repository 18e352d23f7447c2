import { realpath, stat } from "node:fs/promises"
import { join, resolve, sep } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import { Deadline } from "@cairn/kernel/deadline"
import type { Log } from "@cairn/kernel/log"
import { until } from "@cairn/kernel/task"
import { contains } from "../workspace/paths.ts"
import type { Instruction } from "./define.ts"
import { isForeign } from "./foreign.ts"
import { readStart } from "./read-start.ts"

/** One entry of `instructions` in the config: a glob, a path or a web address. */
export interface NamedInstruction {
  readonly entry: string
  /** Who says it. Only the user may name what lies elsewhere: see `trusted`. */
  readonly layer: "user" | "project" | "override"
  /** Where a relative entry starts: the directory of the config file. */
  readonly base: string
}

export interface GlobDeps {
  readonly worktree: string
  readonly home: string
  /** The user trusts the project: what its config names may lie outside of it. */
  readonly trusted: boolean
  readonly clock: Clock
  readonly log: Log
}

/** Files of one entry that are used at most, and that are looked at. */
const mostFiles = 50
const mostHits = 2_000
const scanMs = 5_000

/** Is it to be fetched, rather than looked for on the disk? */
export const isAddress = (entry: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(entry)

/**
 * The files that an entry names, in the order of their paths: below the config file's directory, or below the worktree
 * where nothing is found there. Bounded in number and time; what an untrusted project names must really lie in it.
 */
export async function namedFiles(named: NamedInstruction, deps: GlobDeps, signal: AbortSignal): Promise<Instruction[]> {
  const { entry, base } = named
  for (const start of new Set([base, deps.worktree])) {
    const pattern = entry === "~" || entry.startsWith("~/") ? join(deps.home, entry.slice(1)) : entry
    const paths = await matches(pattern, start, deps, signal)
    if (paths.length > mostFiles) {
      deps.log.warn("an entry of instructions names too many files", { entry, files: paths.length, used: mostFiles })
    }
    const taken = await Promise.all(paths.slice(0, mostFiles).map((path) => take(path, named, deps)))
    const found = taken.filter((one) => one !== undefined)
    if (found.length > 0) return found
  }
  deps.log.info("an entry of instructions names no file", { entry })
  return []
}

async function take(
  path: string,
  { layer }: NamedInstruction,
  { worktree, trusted }: GlobDeps,
): Promise<Instruction | undefined> {
  const [real, root] = await Promise.all([path, worktree].map((one) => realpath(one).catch(() => undefined)))
  if (real === undefined) return undefined
  const inside = root !== undefined && contains(root, real)
  if (layer === "project" && !trusted && !inside) return undefined
  const text = await readStart(real)
  return text === undefined ? undefined : { path, real, text, from: inside ? "project" : "user" }
}

/** Paths that a glob matches, sorted. The part before its first wildcard is taken as it is. */
async function matches(pattern: string, start: string, deps: GlobDeps, signal: AbortSignal): Promise<string[]> {
  const segments = pattern.split("/")
  const wild = segments.findIndex((segment) => /[*?[{]/.test(segment))
  if (wild < 0) return [resolve(start, pattern)]
  const cwd = resolve(start, `${segments.slice(0, wild).join("/")}${pattern.startsWith("/") ? "/" : ""}`)
  const found: string[] = []
  using deadline = new Deadline(deps.clock, `looking for ${pattern}`, scanMs, signal)
  try {
    const scan = new Bun.Glob(segments.slice(wild).join("/")).scan({ cwd, dot: true, onlyFiles: false })
    for await (const name of until(scan, deadline.signal)) {
      if (isForeign(name)) continue
      if (found.push(`${cwd === sep ? "" : cwd}/${name}`) >= mostHits) break
    }
  } catch (error) {
    deps.log.warn("an entry of instructions could not be looked up", { entry: pattern, error })
  }
  const files = await Promise.all(found.map(isFile))
  return found.filter((_, index) => files[index]).toSorted()
}

/** Also by a link: the glob itself would leave links out. */
const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isFile(),
    () => false,
  )
