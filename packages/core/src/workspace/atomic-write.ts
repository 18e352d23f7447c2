import { constants } from "node:fs"
import { access, link, lstat, mkdir, open, rename, rmdir, unlink } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { loadAttributes } from "./attributes.ts"
import type { Attributes } from "./attributes.ts"
import {
  codeOf,
  contentHash,
  ioFailure,
  leadsTo,
  parentStays,
  pickStat,
  readSnapshot,
  shownPath,
  swapped,
} from "./files.ts"
import type { FileSnapshot, FileStat } from "./files.ts"
import type { WriteGuard } from "./write-guard.ts"

/** A change of one file that is ready and not yet visible. Disposing removes whatever was prepared. */
export interface PreparedChange extends AsyncDisposable {
  readonly path: string
  /** Permission bits of the file once the change is visible; 0 when it is removed. */
  readonly mode: number
  /** The topmost directory that had to be made for the file. */
  readonly madeDirectory: string | undefined
  /** Makes the change visible. The file must still be what it was when the change was planned, else `changed`. */
  commit(): Promise<Result<FileStat | undefined, ToolFailure>>
  /** Takes a committed change back. A file that somebody changed since is left alone: `changed`. */
  rollback(): Promise<Result<void, ToolFailure>>
}

/** The calls that a test replaces in order to see the ways round them. */
export interface WriteOperations {
  readonly rename: typeof rename
  readonly link: typeof link
  readonly attributes: () => Promise<Attributes>
  /** Tells the temp files of one writer from those of all others. Without it each has a random name. */
  readonly tempName?: () => string
  /** Keeps other processes of ours from writing the same. Without it nothing does. */
  readonly alone?: WriteGuard["alone"]
}

/** Runs short work while no other process of ours writes these paths. */
export async function alone<T>(
  operations: Pick<WriteOperations, "alone">,
  paths: readonly string[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return operations.alone ? await operations.alone(paths, signal, work) : await work()
}

export function createWriteOperations(guard?: WriteGuard): WriteOperations {
  let attributes: Promise<Attributes> | undefined
  return { rename, link, attributes: () => (attributes ??= loadAttributes()), ...(guard && { alone: guard.alone }) }
}

/*
 * How a write goes:
 *
 *     temp file beside the target ──► same bytes as planned? ──► rename        (replace)
 *                                                            └─► link, unlink  (create)
 *     not possible or not wanted ────────────────────────────► in place        (write, then cut)
 *
 * No fsync: the promise is against the death of a process, not of the power; journaling file systems order
 * a rename after the data, and a flush would cost more than the whole step.
 */

/** Codes by which the system says that a file cannot be renamed over, though it may be writable itself. */
const noRename = new Set(["EXDEV", "EBUSY", "EACCES", "EPERM", "EROFS", "ENAMETOOLONG"])
/** Codes by which the system says that a file cannot get a second name there. */
export const noLink: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
  "EXDEV",
  "EACCES",
])

/** Permission bits of a new file before the umask. */
const newFileMode = 0o666

/**
 * Prepares `bytes` as the content of `path` (a real path). `before` is the file as it was read, or undefined
 * when it did not exist. Mode and owner stay; the file is rewritten in place when a rename would lose
 * something: other hard links, another owner, attributes that cannot be copied. Missing parents are created.
 * A new file gets `mode` when that is given (it takes the place of another), else the usual one.
 */
export async function prepareWrite(
  path: string,
  bytes: Uint8Array,
  before: FileSnapshot | undefined,
  operations: WriteOperations,
  mode?: number,
): Promise<Result<PreparedChange, ToolFailure>> {
  try {
    // A rename would get round the mode of a file that its owner made read-only.
    if (before) await access(path, constants.W_OK)
    if (before === undefined && !(await parentStays(path))) return err(swapped(path))
    const created = before ? undefined : await mkdir(dirname(path), { recursive: true })
    const inPlace = before !== undefined && (await losesByRename(before, operations))
    const temp = inPlace ? undefined : await writeTemp(path, bytes, before, mode, operations)
    const given = temp?.mode ?? mode ?? (before?.stat.mode ?? 0) & 0o7777
    return ok(change({ path, bytes, before, operations, mode, given, temp: temp?.path, created }))
  } catch (error) {
    return err(parentFailure(error, path))
  }
}

interface Plan {
  readonly path: string
  readonly bytes: Uint8Array
  readonly before: FileSnapshot | undefined
  readonly operations: WriteOperations
  readonly mode: number | undefined
  /** The mode that the file is going to have. */
  readonly given: number
  /** The finished temp file, or undefined when the file is to be rewritten in place. */
  temp: string | undefined
  /** The topmost parent directory that did not exist. */
  readonly created: string | undefined
}

function change(plan: Plan): PreparedChange {
  const { path, bytes, before, operations } = plan
  let committed = false
  return {
    path,
    mode: plan.given,
    madeDirectory: plan.created,
    async commit() {
      const changed = await differs(path, before)
      if (changed) return err(changed)
      try {
        if (before === undefined) await create(plan)
        else await replace(plan, before)
        committed = true
        return ok(pickStat(await lstat(path)))
      } catch (error) {
        if (codeOf(error) === "EEXIST") return err(appeared(path))
        return err(ioFailure(error, path))
      }
    },
    async rollback() {
      const now = await readSnapshot(path, bytes.length)
      if (!now.ok) return now
      if (now.value.hash !== contentHash(bytes)) return err(changedSince(path))
      if (before === undefined) {
        await unlink(path)
        await removeParents(path, plan.created)
        return ok(undefined)
      }
      const back = await prepareWrite(path, before.bytes, now.value, operations)
      if (!back.ok) return back
      await using restored = back.value
      const done = await restored.commit()
      return done.ok ? ok(undefined) : done
    },
    async [Symbol.asyncDispose]() {
      await removeTemp(plan)
      if (!committed) await removeParents(path, plan.created)
    },
  }
}

/** Makes a file that must not exist yet appear whole. */
async function create(plan: Plan): Promise<void> {
  if (plan.temp !== undefined) {
    try {
      await plan.operations.link(plan.temp, plan.path)
      await removeTemp(plan)
      return
    } catch (error) {
      if (!noLink.has(codeOf(error) ?? "")) throw error
    }
  }
  // A file system without hard links: not atomic, but it never replaces what somebody else made meanwhile.
  const file = await open(
    plan.path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    plan.mode ?? newFileMode,
  )
  try {
    if (!(await leadsTo(file, plan.path))) throw swappedError(plan.path)
    await writeAll(file, plan.bytes)
    if (plan.mode !== undefined) await file.chmod(plan.mode)
  } catch (error) {
    await unlink(plan.path)
    throw error
  } finally {
    await file.close()
  }
}

async function replace(plan: Plan, before: FileSnapshot): Promise<void> {
  if (plan.temp !== undefined) {
    try {
      await plan.operations.rename(plan.temp, plan.path)
      plan.temp = undefined
      return
    } catch (error) {
      if (!noRename.has(codeOf(error) ?? "")) throw error
    }
  }
  await rewrite(plan.path, plan.bytes, before)
}

/** Rewrites the same file. When that fails half-way, what was there is put back. */
async function rewrite(path: string, bytes: Uint8Array, before: FileSnapshot): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = await file.stat()
    if (stat.ino !== before.stat.ino || stat.dev !== before.stat.dev) throw swappedError(path)
    try {
      await writeAll(file, bytes)
      await file.truncate(bytes.length)
    } catch (error) {
      await writeAll(file, before.bytes)
      await file.truncate(before.bytes.length)
      throw error
    }
  } finally {
    await file.close()
  }
}

async function losesByRename(before: FileSnapshot, operations: WriteOperations): Promise<boolean> {
  const { nlink, uid } = before.stat
  if (nlink > 1 || uid !== process.geteuid?.()) return true
  const names = (await operations.attributes()).of(before.path)
  return names !== undefined && names.length > 0
}

/** A name for a new file in the directory of `path`, from where it can be renamed over it. */
export function tempBeside(path: string, { tempName }: Pick<WriteOperations, "tempName">): string {
  const directory = dirname(path) === "/" ? "" : dirname(path)
  return `${directory}/.cairn-${tempName?.() ?? crypto.randomUUID()}.tmp`
}

/** The temp file, or undefined when the directory takes none (then the file is written in place). */
async function writeTemp(
  path: string,
  bytes: Uint8Array,
  before: FileSnapshot | undefined,
  newMode: number | undefined,
  operations: WriteOperations,
): Promise<{ readonly path: string; readonly mode: number } | undefined> {
  const temp = tempBeside(path, operations)
  // Until it is complete nobody else may read it: the target may be a secret.
  const keptMode = before ? before.stat.mode & 0o7777 : newMode
  const mode = keptMode === undefined ? newFileMode : 0o600
  const file = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode).catch(
    (error: unknown) => {
      if (before !== undefined && noRename.has(codeOf(error) ?? "")) return undefined
      throw error
    },
  )
  if (file === undefined) return undefined
  let keep = false
  try {
    if (!(await leadsTo(file, temp))) throw swappedError(path)
    await writeAll(file, bytes)
    const { uid, gid, mode: made } = await file.stat()
    if (before !== undefined && (uid !== before.stat.uid || gid !== before.stat.gid)) return undefined
    if (keptMode !== undefined) await file.chmod(keptMode)
    keep = true
    return { path: temp, mode: keptMode ?? made & 0o7777 }
  } finally {
    await file.close()
    if (!keep) await unlink(temp)
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let at = 0
  while (at < bytes.length) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
}

/** Compares the file with what the change was planned on, byte by byte. */
async function differs(path: string, before: FileSnapshot | undefined): Promise<ToolFailure | undefined> {
  if (before === undefined) {
    const there = await lstat(path).catch(() => undefined)
    return there && appeared(path)
  }
  const now = await readSnapshot(path, before.bytes.length)
  if (now.ok && now.value.hash === before.hash && sameFile(now.value.stat, before.stat)) return undefined
  return changedSince(path)
}

function sameFile(a: FileStat, b: FileStat): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.mode === b.mode && a.nlink === b.nlink
}

/** Why something cannot be made at `path`. */
export function parentFailure(error: unknown, path: string): ToolFailure {
  // A file where a parent directory should be.
  const known = codeOf(error) === "EEXIST" ? Object.assign(new Error(), { code: "ENOTDIR" }) : error
  return ioFailure(known, path)
}

async function removeTemp(plan: Plan): Promise<void> {
  const { temp } = plan
  plan.temp = undefined
  if (temp !== undefined) await unlink(temp).catch(unlessMissing)
}

/** Removes the directories that were made for a file, from `created` down, as long as they are empty. */
export async function removeParents(path: string, created: string | undefined): Promise<void> {
  if (created === undefined) return
  for (let parent = dirname(path); parent.length >= created.length; parent = dirname(parent)) {
    const removed = await rmdir(parent).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error
}

function swappedError(path: string): Error {
  return Object.assign(new Error(`${basename(path)} was replaced`), { code: "ELOOP" })
}

export function appeared(path: string): ToolFailure {
  return { kind: "changed", message: `${shownPath(path)} was created by somebody else meanwhile. Read it first.` }
}

export function changedSince(path: string): ToolFailure {
  const message = `${shownPath(path)} was changed by somebody else while this change was being made. Read it again.`
  return { kind: "changed", message }
}
