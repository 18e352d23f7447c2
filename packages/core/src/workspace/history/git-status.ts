import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { Git, GitFailure } from "../../process/git.ts"

/** What git says of a working tree. Paths are relative to its root. */
export interface GitStatus {
  /** The commit of HEAD; undefined before the first one. */
  readonly head: string | undefined
  /** Tracked files that differ from HEAD or from what is staged, deleted ones too. */
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
  /** Ignored files, and whole directories with a slash at their end. */
  readonly ignored: readonly string[]
  /** What git says of each submodule that has changed. */
  readonly submodules: ReadonlyMap<string, string>
}

/** Bytes of an answer: some 300,000 paths. */
const longestAnswer = 32 * 1024 * 1024
const patience = 20_000

export interface StatusInput {
  /** Git's patterns of the paths to look at; all when there is none. */
  readonly only?: readonly string[]
  /** `normal`: of a directory without tracked files its name alone, with a slash at its end. */
  readonly untracked?: "all" | "normal"
}

/** Reads the state of a working tree. Writes nothing, also not the staging area that git would refresh. */
export async function readStatus(
  git: Git,
  root: string,
  signal: AbortSignal,
  { only = [], untracked = "all" }: StatusInput = {},
): Promise<Result<GitStatus, GitFailure>> {
  const ignored = untracked === "all" ? "matching" : "traditional"
  const asked = ["--porcelain=v2", "-z", "--branch", "--no-renames", `--untracked-files=${untracked}`]
  const args = ["status", ...asked, `--ignored=${ignored}`, ...(only.length > 0 ? ["--", ...only] : [])]
  const said = await git.run(args, { cwd: root, signal, timeoutMs: patience, maxBytes: longestAnswer })
  return said.ok ? ok(parseStatus(said.value)) : err(said.error)
}

/** Paths whose content differs between two commits. */
export async function changedBetween(
  git: Git,
  root: string,
  [from, to]: readonly [string, string],
  signal: AbortSignal,
): Promise<Result<string[], GitFailure>> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to]
  const said = await git.run(args, { cwd: root, signal, timeoutMs: patience, maxBytes: longestAnswer })
  return said.ok ? ok(said.value.split("\0").filter((path) => path !== "")) : err(said.error)
}

/** The answer of `git status --porcelain=v2 -z --branch` without renames. Pure; lines of an unknown kind are passed over. */
export function parseStatus(text: string): GitStatus {
  let head: string | undefined
  const changed: string[] = []
  const untracked: string[] = []
  const ignored: string[] = []
  const submodules = new Map<string, string>()
  for (const line of text.split("\0")) {
    const kind = line[0]
    if (kind === "?") untracked.push(line.slice(2))
    else if (kind === "!") ignored.push(line.slice(2))
    else if (kind === "#") head = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)?.[1] ?? head
    else if (kind === "1" || kind === "u") {
      // The path comes after 8 or 10 fields, and may hold spaces.
      const path = line
        .split(" ")
        .slice(kind === "1" ? 8 : 10)
        .join(" ")
      if (line[5] === "S") submodules.set(path, line)
      else changed.push(path)
    }
  }
  return { head, changed, untracked, ignored, submodules }
}
