import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileState } from "@cairn/schema/history"
import type { Git } from "../../process/git.ts"
import type { BlobStore } from "./blob-store.ts"
import { largestKept } from "./known-files.ts"
import type { StagedFile } from "./staged.ts"

/** A tracked file that was clean: what git had of it was what stood in the working tree. */
export interface CleanFile {
  readonly path: string
  readonly staged: StagedFile
  /** Permission bits that it had, as far as git does not tell. */
  readonly mode: number
}

/** Bytes that one call of git gives at most. */
const mostAtOnce = 32 * 1024 * 1024

/**
 * What clean files held, from git's own store: their contents are stored here. Where git would convert a content on its way
 * into the working tree in a manner that cannot be followed (filters, encodings), or has it not, it is not covered.
 */
export async function cleanStates(
  files: readonly CleanFile[],
  {
    git,
    blobs,
    root,
    signal,
  }: { readonly git: Git; readonly blobs: BlobStore; readonly root: string; readonly signal: AbortSignal },
): Promise<Result<ReadonlyMap<string, FileState>, ToolFailure>> {
  const states = new Map<string, FileState>()
  const wanted = files.filter(({ path, staged }) => {
    const reason = unreadable(staged)
    if (reason !== undefined) states.set(path, { kind: "not_covered", reason })
    return reason === undefined
  })
  const { filtered, converted } = await conversions(wanted, git, root, signal)
  const crlf = wanted.some(isRacy) && (await isCrlf(git, root, signal))
  for (const batch of batches(wanted.filter(({ path }) => !filtered.has(path)))) {
    const stdin = batch.map(({ staged }) => `${staged.oid}\n`).join("")
    const call = { cwd: root, signal, stdin, maxBytes: 3 * mostAtOnce, timeoutMs: 20_000 }
    const said = await git.bytes(["cat-file", "--batch"], call)
    const contents = said.ok ? parseBatch(said.value) : new Map<string, Uint8Array>()
    for (const file of batch) {
      const content = contents.get(file.staged.oid)
      const asItIs = isRacy(file) && !crlf && !converted.has(file.path)
      const state = await stateOf(file, content, asItIs, blobs)
      if (!state.ok) return state
      states.set(file.path, state.value)
    }
  }
  for (const path of filtered)
    states.set(path, { kind: "not_covered", reason: "its content goes through a filter of git" })
  return ok(states)
}

function unreadable({ kind, unseen, size }: StagedFile): string | undefined {
  if (kind === "submodule") return "a submodule"
  if (unseen === "assumed") return "git was told not to look at it"
  return size > largestKept ? "larger than is kept" : undefined
}

/**
 * Of a file that was written in the same moment as the staging area git notes no size, and looks at its content each time:
 * so nothing tells whether the content was converted on its way out.
 */
const isRacy = ({ staged }: CleanFile): boolean => staged.size === 0

async function stateOf(
  { staged, mode }: CleanFile,
  content: Uint8Array | undefined,
  asItIs: boolean,
  blobs: BlobStore,
): Promise<Result<FileState, ToolFailure>> {
  if (!content) return ok({ kind: "not_covered", reason: "git does not have its content" })
  if (staged.kind === "symlink") return ok({ kind: "symlink", target: new TextDecoder().decode(content) })
  const bytes = asItIs ? content : inWorkingTree(content, staged.size)
  if (!bytes) return ok({ kind: "not_covered", reason: "git converts its content" })
  const stored = await blobs.put(bytes)
  if (!stored.ok) return err(stored.error)
  return ok({ kind: "file", ...stored.value, mode })
}

/** The content as it stood in the working tree, known by its size there: as it is, or with each line end as CRLF. */
function inWorkingTree(content: Uint8Array, size: number): Uint8Array | undefined {
  if (content.length === size) return content
  if (content.includes(0)) return undefined
  const text = Buffer.from(content).toString("latin1")
  const converted = Buffer.from(text.replace(/\r?\n/g, "\r\n"), "latin1")
  return converted.length === size ? converted : undefined
}

const asked = ["filter", "text", "eol", "ident", "working-tree-encoding"] as const

/**
 * Paths for which a filter is set, and those whose content git may convert otherwise. An old content may have gone through
 * one that is no longer named: its size tells.
 */
async function conversions(
  files: readonly CleanFile[],
  git: Git,
  root: string,
  signal: AbortSignal,
): Promise<{ readonly filtered: ReadonlySet<string>; readonly converted: ReadonlySet<string> }> {
  const [filtered, converted] = [new Set<string>(), new Set<string>()]
  if (files.length === 0) return { filtered, converted }
  const stdin = files.map(({ path }) => `${path}\0`).join("")
  const call = { cwd: root, signal, stdin, maxBytes: mostAtOnce }
  const said = await git.run(["check-attr", "-z", "--stdin", ...asked], call)
  if (!said.ok) return { filtered: new Set(files.map(({ path }) => path)), converted }
  const fields = said.value.split("\0")
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", name, value = ""] = fields.slice(at, at + 3)
    if (!["unspecified", "unset"].includes(value)) (name === "filter" ? filtered : converted).add(path)
  }
  return { filtered, converted }
}

/** Does git write line ends as CRLF here without being told so by an attribute? In doubt it does. */
async function isCrlf(git: Git, root: string, signal: AbortSignal): Promise<boolean> {
  const said = await git.run(["config", "--get", "core.autocrlf"], { cwd: root, signal })
  if (said.ok) return /^(?:true|yes|on|1)$/i.test(said.value.trim())
  return said.error.exitCode !== 1
}

/** Files whose contents together fit into one answer. */
function batches(files: readonly CleanFile[]): CleanFile[][] {
  const all: CleanFile[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const file of files) {
    bytes += file.staged.size
    if (bytes > mostAtOnce) {
      all.push([])
      bytes = file.staged.size
    }
    all.at(-1)?.push(file)
  }
  return all
}

/** Contents by their id, from `git cat-file --batch`. What git does not have is not in it. */
function parseBatch(answer: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>()
  const text = new TextDecoder()
  for (let at = 0; at < answer.length;) {
    const end = answer.indexOf(10, at)
    if (end < 0) break
    const [oid = "", kind, size] = text.decode(answer.subarray(at, end)).split(" ")
    at = end + 1
    if (kind !== "blob") continue
    const length = Number(size)
    contents.set(oid, answer.subarray(at, at + length))
    at += length + 1
  }
  return contents
}
