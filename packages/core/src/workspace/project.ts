import { readFile, realpath, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Git } from "../process/git.ts"

/** Where a directory is, seen without starting git. All paths are real. */
export interface Location {
  readonly directory: string
  /** Root of the working tree; the directory itself outside of git. */
  readonly worktree: string
  /** Git's directory of this working tree (a linked one has its own), and the one that all its working trees share. */
  readonly gitDir?: string
  readonly commonDir?: string
}

/** `provisional`: the hash of the common directory stands in for a root commit that is not there yet. */
export interface ProjectID {
  readonly id: string
  readonly provisional: boolean
}

const rootCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** A walk over the whole history of a large repository, in the background. */
const historyMs = 120_000

/** Finds the working tree and git's directories by a few looks at the disk. A directory that is none is an error. */
export async function locate(path: string): Promise<Result<Location, SetupError>> {
  const directory = await realpath(path).catch(() => undefined)
  if (directory === undefined) return err({ kind: "directory", message: `${path} does not exist or cannot be read.` })
  if (!(await isDirectory(directory))) return err({ kind: "directory", message: `${path} is not a directory.` })
  for (let level = directory; ; level = dirname(level)) {
    const found = await repositoryAt(level)
    if (found === "broken") break
    if (found) return ok({ directory, worktree: level, ...found })
    if (level === dirname(level)) break
  }
  return ok({ directory, worktree: directory })
}

/** True for an id that will not change any more: the repository has a root commit. */
export const isRootCommit = (id: string): boolean => rootCommit.test(id)

/** The id of a project before git was asked: a hash of the common directory, or of the directory outside of git. */
export const provisionalID = ({ commonDir, directory }: Location): string => hash(commonDir ?? directory)

/**
 * The id of the project that a location belongs to: the smallest root commit of HEAD; without one (no commit yet, a
 * shallow clone, git missing or refusing) a hash of the common directory; outside of git a hash of the directory.
 */
export async function computeProjectID(location: Location, git: Git, signal: AbortSignal): Promise<ProjectID> {
  const { commonDir, directory, worktree } = location
  if (commonDir === undefined) return { id: hash(directory), provisional: false }
  const instead = { id: hash(commonDir), provisional: true }
  if (await exists(join(commonDir, "shallow"))) return instead
  const call = { cwd: worktree, signal, timeoutMs: historyMs }
  const listed = await git.run(["rev-list", "--max-parents=0", "HEAD", "--"], call)
  const roots = listed.ok ? listed.value.split("\n").filter((line) => rootCommit.test(line)) : []
  const smallest = roots.toSorted()[0]
  return smallest === undefined ? instead : { id: smallest, provisional: false }
}

/** Is a real directory below the root of a repository? */
export async function isInRepository(directory: string): Promise<boolean> {
  const location = await locate(directory)
  return location.ok && location.value.commonDir !== undefined
}

type Repository = { readonly gitDir: string; readonly commonDir: string }

/** "broken": a `.git` file that leads nowhere. Git refuses to work there, so no repository further up counts. */
async function repositoryAt(level: string): Promise<Repository | "broken" | undefined> {
  const dotGit = join(level, ".git")
  const info = await stat(dotGit).catch(() => undefined)
  if (info?.isFile()) return (await repositoryIn(resolve(level, await linkOf(dotGit)))) ?? "broken"
  // A bare repository, or a place inside of `.git`, is its own root.
  return (info?.isDirectory() ? await repositoryIn(dotGit) : undefined) ?? (await repositoryIn(level))
}

async function repositoryIn(path: string): Promise<Repository | undefined> {
  const gitDir = await realpath(path).catch(() => undefined)
  if (gitDir === undefined || !(await exists(join(gitDir, "HEAD")))) return undefined
  const shared = await firstLine(join(gitDir, "commondir"))
  const commonDir = shared === "" ? gitDir : await realpath(resolve(gitDir, shared)).catch(() => undefined)
  if (commonDir === undefined) return undefined
  const complete = (await isDirectory(join(commonDir, "objects"))) && (await isDirectory(join(commonDir, "refs")))
  return complete ? { gitDir, commonDir } : undefined
}

/** Where a `.git` file leads; a file that says nothing leads nowhere. */
async function linkOf(file: string): Promise<string> {
  return /^gitdir: *(.+)$/.exec(await firstLine(file))?.[1] ?? "\0"
}

/** Empty for a file that is missing, unreadable, or too large to be what it should be. */
async function firstLine(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isFile() || info.size > 8_192) return ""
  const text = await readFile(path, "utf8").catch(() => "")
  return text.split("\n", 1)[0]?.trimEnd() ?? ""
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
}

/** Marked, so that it can never be taken for a commit. */
function hash(path: string): string {
  return `path-${new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 40)}`
}
