import { constants } from "node:fs"
import { copyFile, lstat, mkdir, unlink } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { dirname } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { appeared, changedSince, noLink, parentFailure, removeParents, tempBeside } from "./atomic-write.ts"
import type { PreparedChange, WriteOperations } from "./atomic-write.ts"
import {
  codeOf,
  ioFailure,
  largestText,
  openRegular,
  parentStays,
  pickStat,
  readSnapshot,
  shownPath,
  swapped,
} from "./files.ts"
import type { FileSnapshot, FileStat } from "./files.ts"
import { largestHashed, statIdentity } from "./seen.ts"

/** A file that is taken as it is, of any size and whatever it holds. What is too large is never held in memory. */
export interface WholeFile extends Omit<FileSnapshot, "bytes"> {
  readonly bytes: Uint8Array | "too_large"
}

/** Looks at a regular file that is to be moved or removed. `hash` is what `read` would record as seen. */
export async function readWhole(path: string): Promise<Result<WholeFile, ToolFailure>> {
  const opened = await openRegular(path)
  if (!opened.ok) return opened
  await using file = opened.value.file
  const { stat } = opened.value
  if (stat.size <= largestText) return await readSnapshot(path)
  try {
    const hash = stat.size > largestHashed ? statIdentity(stat) : await hashOf(file)
    return ok({ path, stat, hash, bytes: "too_large" })
  } catch (error) {
    return err(ioFailure(error, path))
  }
}

/**
 * Prepares the removal of a file. It is renamed aside, and only goes when the change is disposed of: so it comes back
 * unchanged. Where its place is taken by then it stays aside, and the failure names it.
 */
export function prepareDelete(before: WholeFile, operations: WriteOperations): PreparedChange {
  const { path } = before
  const aside = tempBeside(path, operations)
  let away = false
  /** Never over what somebody else put there. */
  const putBack = async () => {
    try {
      await operations.link(aside, path)
      await unlink(aside)
    } catch (error) {
      if (!noLink.has(codeOf(error) ?? "") || (await exists(path))) throw error
      await operations.rename(aside, path)
    } finally {
      away = false
    }
  }
  return {
    path,
    mode: 0,
    madeDirectory: undefined,
    async commit() {
      const changed = await differs(before)
      if (changed) return err(changed)
      try {
        await operations.rename(path, aside)
        away = true
        if ((await lstat(aside)).ino === before.stat.ino) return ok(undefined)
        await putBack()
        return err(changedSince(path))
      } catch (error) {
        return err(ioFailure(error, path))
      }
    },
    async rollback() {
      try {
        await putBack()
        return ok(undefined)
      } catch (error) {
        const { kind, message } = codeOf(error) === "EEXIST" ? appeared(path) : ioFailure(error, path)
        return err({ kind, message: `${message} What it held before is in ${shownPath(aside)}.` })
      }
    },
    async [Symbol.asyncDispose]() {
      if (away) await unlink(aside)
    },
  }
}

/**
 * Prepares a second name for a file that is to move; its old one goes by `prepareDelete`. Nothing is copied, but to another
 * file system. Missing parents are created.
 */
export async function prepareLink(
  file: WholeFile,
  path: string,
  operations: WriteOperations,
): Promise<Result<PreparedChange, ToolFailure>> {
  let made: string | undefined
  if (!(await parentStays(path))) return err(swapped(path))
  try {
    made = await mkdir(dirname(path), { recursive: true })
  } catch (error) {
    return err(parentFailure(error, path))
  }
  let placed: FileStat | undefined
  return ok({
    path,
    mode: file.stat.mode & 0o7777,
    madeDirectory: made,
    async commit() {
      const changed = await differs(file)
      if (changed) return err(changed)
      try {
        await place(file, path, operations)
        placed = pickStat(await lstat(path))
        return ok(placed)
      } catch (error) {
        return err(codeOf(error) === "EEXIST" ? appeared(path) : ioFailure(error, path))
      }
    },
    async rollback() {
      const now = await lstat(path).catch(() => undefined)
      if (!placed || !now || !sameContent(pickStat(now), placed)) return err(changedSince(path))
      await unlink(path)
      placed = undefined
      await removeParents(path, made)
      return ok(undefined)
    },
    async [Symbol.asyncDispose]() {
      if (!placed) await removeParents(path, made)
    },
  })
}

async function place(file: WholeFile, path: string, operations: WriteOperations): Promise<void> {
  try {
    await operations.link(file.path, path)
  } catch (error) {
    if (!noLink.has(codeOf(error) ?? "")) throw error
    await copyFile(file.path, path, constants.COPYFILE_EXCL)
    return
  }
  if ((await lstat(path)).ino === file.stat.ino) return
  await unlink(path)
  throw Object.assign(new Error(`${file.path} was replaced`), { code: "ELOOP" })
}

/** Compares the file with what was looked at: byte by byte, or by its stat when it is too large. */
async function differs(before: WholeFile): Promise<ToolFailure | undefined> {
  const { path, stat, hash, bytes } = before
  if (bytes !== "too_large") {
    const now = await readSnapshot(path, bytes.length)
    return now.ok && now.value.hash === hash && sameFile(now.value.stat, stat) ? undefined : changedSince(path)
  }
  const now = await lstat(path).catch(() => undefined)
  return now?.isFile() && sameContent(pickStat(now), stat) ? undefined : changedSince(path)
}

/** Not by the number of links, and the time of the last change that goes with it: a file that moves has two names for a while. */
function sameFile(a: FileStat, b: FileStat): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.mode === b.mode
}

function sameContent(a: FileStat, b: FileStat): boolean {
  return sameFile(a, b) && a.size === b.size && a.mtimeMs === b.mtimeMs
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

async function hashOf(file: FileHandle): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256")
  const buffer = Buffer.allocUnsafe(256 * 1024)
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return hasher.digest("hex")
    hasher.update(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}
