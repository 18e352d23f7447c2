import { join } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { Vcs, VcsFileDiff, VcsInfo, VcsMode } from "@cairn/schema/vcs"
import type { Git, GitCall, GitFailure } from "../../process/git.ts"
import { diffTexts } from "../diff.ts"
import { decodeText } from "../encoding.ts"
import { readSnapshot } from "../files.ts"
import { changedBetween, readStatus } from "../history/git-status.ts"
import { contains, resolvePath } from "../paths.ts"
import type { Location } from "../project.ts"

export interface VcsDeps {
  readonly git: Git
  readonly location: Location
  readonly signal: AbortSignal
  /** Do the rules allow a file (a real path) to be read without asking? */
  readable(path: string): boolean
}

/** Files that are compared in one call; the others are named without lines. */
const mostFiles = 2_000
/** Bytes of a file that is compared line by line. */
const largestFile = 2 * 1024 * 1024

export function createVcs(deps: VcsDeps): Vcs {
  return {
    info: () => info(deps),
    async status() {
      const diffs = await diff(deps, "git")
      return diffs.ok ? ok(diffs.value.map(({ patch: _, ...status }) => status)) : diffs
    },
    diff: (mode, context) => diff(deps, mode, context),
  }
}

async function info(deps: VcsDeps): Promise<VcsInfo> {
  if (deps.location.commonDir === undefined) return {}
  const branch = await said(deps, ["symbolic-ref", "--quiet", "--short", "HEAD"])
  const standard = await defaultBranch(deps)
  return { ...(branch !== undefined && { branch }), ...(standard && { default_branch: standard.name }) }
}

/** What the origin calls its main branch, else the usual names. `ref` is what commits are compared with. */
async function defaultBranch(deps: VcsDeps): Promise<{ name: string; ref: string } | undefined> {
  const remote = await said(deps, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])
  if (remote?.startsWith("origin/")) return { name: remote.slice("origin/".length), ref: `refs/remotes/${remote}` }
  for (const name of ["main", "master"]) {
    const ref = `refs/heads/${name}`
    if ((await said(deps, ["rev-parse", "--verify", "--quiet", ref])) !== undefined) return { name, ref }
  }
  return undefined
}

/** One line of git; undefined when it has none to say. */
async function said(deps: VcsDeps, args: readonly string[]): Promise<string | undefined> {
  const answer = await deps.git.run(args, callOf(deps))
  const line = answer.ok ? answer.value.trim() : ""
  return line === "" ? undefined : line
}

async function diff(deps: VcsDeps, mode: VcsMode, context?: number): Promise<Result<VcsFileDiff[], ToolFailure>> {
  const { git, location, signal } = deps
  if (location.commonDir === undefined) return ok([])
  const status = await readStatus(git, location.worktree, signal)
  if (!status.ok) return err(failed(status.error))
  const { head, changed, untracked } = status.value
  const base = mode === "git" ? head : await forkPoint(deps, head)
  const since = base !== undefined && head !== undefined && base !== head ? ([base, head] as const) : undefined
  const committed = since ? await changedBetween(git, location.worktree, since, signal) : ok([])
  if (!committed.ok) return err(failed(committed.error))
  const paths = [...new Set([...committed.value, ...changed, ...untracked])].toSorted()
  const diffs: VcsFileDiff[] = []
  for (const [index, path] of paths.entries()) {
    const one = await fileDiff(deps, path, { base, whole: index < mostFiles, context })
    if (one) diffs.push(one)
  }
  return ok(diffs)
}

/** Where the branch left the default one; HEAD itself when nobody can say. */
async function forkPoint(deps: VcsDeps, head: string | undefined): Promise<string | undefined> {
  const standard = await defaultBranch(deps)
  if (!standard || head === undefined) return head
  return (await said(deps, ["merge-base", head, standard.ref])) ?? head
}

/** Undefined when both are the same after all. */
async function fileDiff(
  deps: VcsDeps,
  path: string,
  { base, whole, context }: { base: string | undefined; whole: boolean; context: number | undefined },
): Promise<VcsFileDiff | undefined> {
  const before = base === undefined ? undefined : await committedBytes(deps, base, path)
  const after = await presentBytes(deps, path)
  if (before === undefined && after === undefined) return undefined
  const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified"
  const plain = { file: path, additions: 0, deletions: 0, status } as const
  if (!whole || before === "unread" || after === "unread") return plain
  const [old, fresh] = [before, after].map((bytes) => (bytes === undefined ? ok({ text: "" }) : decodeText(bytes)))
  if (!old?.ok || !fresh?.ok) return plain
  if (old.value.text === fresh.value.text && status === "modified") return undefined
  const { patch, additions, deletions } = await diffTexts(path, old.value.text, fresh.value.text, context)
  return { ...plain, additions, deletions, patch }
}

type Held = Uint8Array | "unread" | undefined

async function committedBytes(deps: VcsDeps, commit: string, path: string): Promise<Held> {
  const call = { ...callOf(deps), maxBytes: largestFile }
  const found = await deps.git.bytes(["cat-file", "blob", `${commit}:${path}`], call)
  if (found.ok) return found.value
  return found.error.kind === "too_long" ? "unread" : undefined
}

/** What stands in the working tree. What may not be read, and what leads out of it, is not looked into. */
async function presentBytes({ location, readable }: VcsDeps, path: string): Promise<Held> {
  const resolved = await resolvePath(join(location.worktree, path), location.worktree)
  if (!resolved.exists) return undefined
  if (resolved.problem || !contains(location.worktree, resolved.real) || !readable(resolved.real)) return "unread"
  const snapshot = await readSnapshot(resolved.real, largestFile)
  return snapshot.ok ? snapshot.value.bytes : "unread"
}

const callOf = ({ location, signal }: VcsDeps): GitCall => ({ cwd: location.worktree, signal })

const failed = ({ message }: GitFailure): ToolFailure => ({ kind: "io", message })
