import { readdir, readFile, stat } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileContent, FileNode, Files, FindInput } from "@cairn/schema/file"
import { decodeText } from "../encoding.ts"
import { ioFailure, largestText, readSnapshot, shownPath } from "../files.ts"
import { ignored } from "../ignore.ts"
import { contains, resolvePath, type ResolvedPath } from "../paths.ts"
import type { Search } from "../search.ts"
import { ranked } from "./rank.ts"

export interface FilesDeps {
  readonly directory: string
  readonly worktree: string
  readonly search: Pick<Search, "files" | "matches">
  readonly signal: AbortSignal
  /** Do the rules allow it without asking? A real path, or of `external_directory` the pattern of its directory. */
  allows(permission: "read" | "external_directory", path: string): boolean
}

/** Names that one search looks at. */
const mostNames = 50_000
/** Entries of a directory that are listed. */
const mostEntries = 10_000

export function createFiles(deps: FilesDeps): Files {
  return {
    text: (pattern, limit) => {
      const { directory: path, signal } = deps
      const keep = (file: string) => deps.allows("read", join(path, file))
      return deps.search
        .matches(pattern, { path, limit, signal, keep })
        .then((found) => (found.ok ? ok([...found.value.results]) : found))
    },
    find: (input) => find(deps, input),
    list: (path) => list(deps, path),
    read: (path) => read(deps, path),
  }
}

async function find(
  { directory, search, signal }: FilesDeps,
  { query, type, limit }: FindInput,
): Promise<Result<string[], ToolFailure>> {
  const found = await search.files({ path: directory, limit: mostNames, signal })
  if (!found.ok) return found
  const files = found.value.results
  const names = new Set<string>(type === "directory" ? [] : files)
  if (type !== "file") for (const file of files) addParents(names, file)
  return ok(ranked(names, query).slice(0, limit))
}

function addParents(names: Set<string>, file: string): void {
  for (let at = dirname(file); at !== "."; at = dirname(at)) {
    if (names.has(`${at}/`)) return
    names.add(`${at}/`)
  }
}

async function list(deps: FilesDeps, path: string): Promise<Result<FileNode[], ToolFailure>> {
  const place = await resolve(deps, path, "directory")
  if (!place.ok) return place
  const { real } = place.value
  try {
    const entries = (await readdir(real, { withFileTypes: true })).slice(0, mostEntries)
    const shown = entries.filter(({ name }) => name !== ".git")
    const nodes = await Promise.all(
      shown.map(async (entry) => {
        const absolute = join(real, entry.name)
        const directory = entry.isSymbolicLink() ? await isDirectory(absolute) : entry.isDirectory()
        return { name: entry.name, absolute, directory }
      }),
    )
    const left = await ignoredIn(deps, real, nodes)
    const listed = nodes.map(({ name, absolute, directory }): FileNode => ({
      ...{ name, absolute, path: relative(deps.directory, absolute) },
      type: directory ? "directory" : "file",
      ignored: left.has(absolute),
    }))
    return ok(listed.toSorted(inListOrder))
  } catch (error) {
    return err(ioFailure(error, path))
  }
}

function inListOrder(a: FileNode, b: FileNode): number {
  if (a.type !== b.type) return a.type === "directory" ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )

/** By the ignore files from the root of the working tree down to the directory. */
async function ignoredIn(
  { worktree }: FilesDeps,
  directory: string,
  nodes: readonly { readonly absolute: string; readonly directory: boolean }[],
): Promise<ReadonlySet<string>> {
  if (!contains(worktree, directory)) return new Set()
  const files: Record<string, string> = {}
  for (let at = directory; ; at = dirname(at)) {
    const text = await readFile(join(at, ".gitignore"), "utf8").catch(() => undefined)
    if (text !== undefined) files[relative(worktree, join(at, ".gitignore"))] = text
    if (at === worktree) break
  }
  const named = new Map(
    nodes.map((node) => [`${relative(worktree, node.absolute)}${node.directory ? "/" : ""}`, node.absolute]),
  )
  return new Set(ignored(files, [...named.keys()]).flatMap((path) => named.get(path) ?? []))
}

async function read(deps: FilesDeps, path: string): Promise<Result<FileContent, ToolFailure>> {
  const place = await resolve(deps, path, "file")
  if (!place.ok) return place
  const { real } = place.value
  if (!deps.allows("read", real))
    return err({ kind: "denied", message: `The rules do not let ${shownPath(path)} be read without asking.` })
  const snapshot = await readSnapshot(real, largestText)
  if (!snapshot.ok) return snapshot
  const { bytes } = snapshot.value
  const text = decodeText(bytes)
  if (text.ok) return ok({ type: "text", content: text.value.text })
  const mimeType = Bun.file(basename(real)).type
  return ok({ type: "binary", content: Buffer.from(bytes).toString("base64"), encoding: "base64", mimeType })
}

/** Where a path leads, if the rules let it be looked at. */
async function resolve(
  { directory, worktree, allows }: FilesDeps,
  path: string,
  kind: "file" | "directory",
): Promise<Result<ResolvedPath, ToolFailure>> {
  const resolved = await resolvePath(path === "" ? "." : path, directory)
  if (resolved.problem) return err(resolved.problem)
  const { real } = resolved
  const holder = kind === "directory" ? real : dirname(real)
  if (!contains(worktree, real) && !allows("external_directory", holder === "/" ? "/*" : `${holder}/*`))
    return err({ kind: "outside", message: `${shownPath(path)} lies outside of the project.` })
  return resolved.exists ? ok(resolved) : err({ kind: "missing", message: `${shownPath(path)} does not exist.` })
}
