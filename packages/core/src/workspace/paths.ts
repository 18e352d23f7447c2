import { lstat, readlink, realpath } from "node:fs/promises"
import { dirname } from "node:path"
import type { ToolFailure } from "@cairn/schema/error"
import { homeOrRoot } from "./user-home.ts"

/**
 * Where a path that somebody wrote really leads. Check and use `real`, never `asked`. A path that cannot
 * lead anywhere (a loop of links, a NUL byte, a name that is too long) carries a `problem`; its `real` is
 * then only good for a message.
 */
export interface ResolvedPath {
  readonly asked: string
  /** Absolute, without links, `.` and `..`. Of a missing path: the real parent that exists, then the rest. */
  readonly real: string
  readonly exists: boolean
  /** The symbolic links that were followed, each as a path whose parent is real. */
  readonly links: readonly string[]
  readonly problem?: ToolFailure
}

const ownMemory = new RegExp(`^/proc/${process.pid}(?:/task/\\d+)?/(?:environ|mem|auxv|map_files|maps|smaps)(?:/|$)`)
const longestPath = 4096
const longestName = 255
const mostLinks = 40

/**
 * Follows `input` (relative to `base`; a leading `~/` is the home directory) as the system would: link by
 * link, with `..` applied after the links. A dangling link leads to its target. Never throws for a bad path.
 */
export async function resolvePath(input: string, base: string, home: string = homeOrRoot()): Promise<ResolvedPath> {
  const expanded = input === "~" ? home : input.startsWith("~/") ? `${home}/${input.slice(2)}` : input
  // No path.join here: it would apply `..` before the links are known.
  const path = expanded.startsWith("/") ? expanded : `${base}/${expanded}`
  const problem = unusable(input, path)
  if (problem) return { asked: input, real: lexical(path), exists: false, links: [], problem }
  const plain = lexical(path)
  if (!hasParentStep(path)) {
    const real = await realpath(plain).catch(() => undefined)
    if (real === plain && !ownMemory.test(real)) return { asked: input, real, exists: true, links: [] }
  }
  const walked = await walk(path)
  if (walked.problem)
    return { asked: input, real: walked.real, exists: false, links: walked.links, problem: walked.problem }
  if (ownMemory.test(walked.real)) {
    const message = `${walked.real} shows what Cairn keeps for itself, keys among it.`
    return {
      asked: input,
      real: walked.real,
      exists: false,
      links: walked.links,
      problem: { kind: "refused", message },
    }
  }
  return { asked: input, links: walked.links, ...(await asStored(walked.real)) }
}

/** True when `path` is `root` or lies below it, by path component. Both are absolute and real. */
export function contains(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`)
}

function unusable(input: string, path: string): ToolFailure | undefined {
  if (input === "") return { kind: "invalid_arguments", message: "The path is empty." }
  if (input.includes("\0")) return { kind: "invalid_arguments", message: "The path contains a NUL byte." }
  if (Buffer.byteLength(path) >= longestPath) {
    return { kind: "invalid_arguments", message: `The path is longer than ${longestPath} bytes: ${path.slice(0, 80)}…` }
  }
  const long = path.split("/").find((name) => Buffer.byteLength(name) > longestName)
  if (long === undefined) return undefined
  return {
    kind: "invalid_arguments",
    message: `A name in the path is longer than ${longestName} bytes: ${long.slice(0, 80)}…`,
  }
}

interface Walk {
  readonly real: string
  readonly links: readonly string[]
  readonly problem?: ToolFailure
}

async function walk(path: string): Promise<Walk> {
  const rest = path.split("/").reverse()
  const links: string[] = []
  let real = "/"
  while (rest.length > 0) {
    const name = rest.pop() ?? ""
    if (name === "" || name === ".") continue
    if (name === "..") {
      real = dirname(real)
      continue
    }
    const next = real === "/" ? `/${name}` : `${real}/${name}`
    const target = await linkTarget(next)
    if (target === undefined) {
      real = next
      continue
    }
    links.push(next)
    if (links.length > mostLinks) {
      const message = `${path} goes through more than ${mostLinks} symbolic links, or in a circle (at ${next}).`
      return { real: next, links, problem: { kind: "refused", message } }
    }
    if (target.startsWith("/")) real = "/"
    rest.push(...target.split("/").reverse())
  }
  return { real, links }
}

/** Undefined for what is no link, and for what cannot be seen: the system then says so at the time of use. */
async function linkTarget(path: string): Promise<string | undefined> {
  const info = await lstat(path).catch(() => undefined)
  return info?.isSymbolicLink() ? await readlink(path).catch(() => undefined) : undefined
}

/** Names as the file system has them (case, unicode form), as far down as something exists. */
async function asStored(path: string): Promise<{ real: string; exists: boolean }> {
  let missing = ""
  let known = path
  while (known !== "/") {
    const stored = await realpath(known).catch(() => undefined)
    if (stored !== undefined) return { real: `${stored === "/" ? "" : stored}${missing}`, exists: missing === "" }
    missing = known.slice(dirname(known) === "/" ? 0 : dirname(known).length) + missing
    known = dirname(known)
  }
  return { real: missing === "" ? "/" : missing, exists: missing === "" }
}

function hasParentStep(path: string): boolean {
  return path.includes("..") && path.split("/").includes("..")
}

/** The path without empty and `.` steps; `..` is applied without looking at the disk. */
function lexical(path: string): string {
  const names: string[] = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return `/${names.join("/")}`
}
