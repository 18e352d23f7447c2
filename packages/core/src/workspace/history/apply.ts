import { mkdir, open, rm, rmdir, symlink, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileState, RevertedFile } from "@cairn/schema/history"
import { prepareWrite, tempBeside } from "../atomic-write.ts"
import type { WriteOperations } from "../atomic-write.ts"
import { codeOf, ioFailure, largestText, openRegular, readSnapshot, shownPath } from "../files.ts"
import { prepareDelete, readWhole } from "../whole-file.ts"
import type { BlobStore } from "./blob-store.ts"
import { lookAt } from "./capture.ts"
import type { FileVersion } from "./states.ts"
import { isSame } from "./states.ts"

export interface ApplyDeps {
  readonly blobs: Pick<BlobStore, "get" | "copyTo">
  readonly operations: WriteOperations
}

/**
 * Makes of `before` at a path what `after` says. Does nothing where that is so already, and nothing to what is neither:
 * `changed`. Call it with the lock of the path held. It may be interrupted by the death of the process at any point; then
 * calling it again finishes it.
 */
export async function applyState(
  file: Pick<RevertedFile, "path" | "before" | "after">,
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<Result<void, ToolFailure>> {
  const { path, before, after } = file
  const now = await lookAt(path, signal)
  if (isSame(now, after)) return ok(undefined)
  if (!isSame(now, before) && !isHalfDone(now, after)) return err(changed(path))
  try {
    if (now.kind === "directory") await rmdir(path)
    if (after.kind === "absent" || after.kind === "directory") return await remove(path, now, after, deps)
    if (after.kind === "symlink") return await placeLink(path, now, after.target, deps)
    if (after.kind === "file") return await placeFile(path, now, after, deps, signal)
    return err({ kind: "refused", message: `${shownPath(path)}: ${after.reason}` })
  } catch (error) {
    signal.throwIfAborted()
    // Somebody has put something into the directory that was to make room.
    return err(codeOf(error) === "ENOTEMPTY" ? changed(path) : ioFailure(error, path))
  }
}

/** The content is there, the mode is not yet. */
const isHalfDone = (now: FileState, after: FileState): boolean =>
  now.kind === "file" && after.kind === "file" && now.hash === after.hash

/** Takes away what stands there, and makes the directory that is wanted in its place. */
async function remove(
  path: string,
  now: FileState,
  after: FileState,
  { operations }: ApplyDeps,
): Promise<Result<void, ToolFailure>> {
  if (now.kind === "symlink") await unlink(path)
  if (now.kind === "file") {
    const whole = await readWhole(path)
    if (!whole.ok) return whole
    if (whole.value.bytes !== "too_large" && whole.value.hash !== now.hash) return err(changed(path))
    await using change = prepareDelete(whole.value, operations)
    const done = await change.commit()
    if (!done.ok) return done
  }
  if (after.kind === "directory") await mkdir(path, { recursive: true })
  return ok(undefined)
}

async function placeLink(
  path: string,
  now: FileState,
  target: string,
  { operations }: ApplyDeps,
): Promise<Result<void, ToolFailure>> {
  await mkdir(dirname(path), { recursive: true })
  if (now.kind === "absent" || now.kind === "directory") await symlink(target, path)
  else {
    const temp = tempBeside(path, operations)
    await symlink(target, temp)
    await operations.rename(temp, path)
  }
  return ok(undefined)
}

async function placeFile(
  path: string,
  now: FileState,
  after: FileVersion,
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<Result<void, ToolFailure>> {
  if (now.kind === "file" && now.hash === after.hash) return await setMode(path, after.mode)
  const large = after.size > largestText || (now.kind === "file" && now.size > largestText)
  if (large || now.kind === "symlink") return await placeStreamed(path, now, after, deps, signal)
  const bytes = await deps.blobs.get(after)
  if (!bytes.ok) return err({ kind: "io", message: `${shownPath(path)}: ${bytes.error.message}` })
  const snapshot = now.kind === "file" ? await readSnapshot(path, largestText) : undefined
  if (snapshot && !snapshot.ok) return snapshot
  if (snapshot && now.kind === "file" && snapshot.value.hash !== now.hash) return err(changed(path))
  const prepared = await prepareWrite(path, bytes.value, snapshot?.value, deps.operations, after.mode)
  if (!prepared.ok) return prepared
  await using change = prepared.value
  const done = await change.commit()
  return done.ok ? await setMode(path, after.mode) : done
}

/** Writes a content that does not fit in memory, or that takes the place of a link, beside the path and puts it there. */
async function placeStreamed(
  path: string,
  now: FileState,
  after: FileVersion,
  { blobs, operations }: ApplyDeps,
  signal: AbortSignal,
): Promise<Result<void, ToolFailure>> {
  await mkdir(dirname(path), { recursive: true })
  const temp = tempBeside(path, operations)
  try {
    const copied = await copyInto(temp, after, blobs, signal)
    if (!copied.ok) return copied
    if (now.kind === "absent" || now.kind === "directory") await operations.link(temp, path)
    else await operations.rename(temp, path)
    return ok(undefined)
  } finally {
    await rm(temp, { force: true })
  }
}

async function copyInto(
  temp: string,
  after: FileVersion,
  blobs: ApplyDeps["blobs"],
  signal: AbortSignal,
): Promise<Result<void, ToolFailure>> {
  await using file = await open(temp, "wx", 0o600)
  const copied = await blobs.copyTo(after, file, signal)
  if (!copied.ok) return err({ kind: "io", message: copied.error.message })
  await file.chmod(after.mode)
  return ok(undefined)
}

/** Sets the permission bits of a file, not of what a link leads to. */
async function setMode(path: string, mode: number): Promise<Result<void, ToolFailure>> {
  const opened = await openRegular(path)
  if (!opened.ok) return opened
  await using file = opened.value.file
  if ((opened.value.stat.mode & 0o7777) !== mode) await file.chmod(mode)
  return ok(undefined)
}

function changed(path: string): ToolFailure {
  return { kind: "changed", message: `${shownPath(path)} was changed by somebody else meanwhile.` }
}
