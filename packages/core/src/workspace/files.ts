import { constants } from "node:fs"
import type { Stats } from "node:fs"
import { lstat, open, readlink, realpath } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { dirname } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"

/** The most that is ever edited or patched as one text. */
export const largestText = 10 * 1024 * 1024

/** What tells two states of a file apart without reading it. */
export interface FileStat {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
}

/** A file as it was at one moment: all its bytes, their hash, and its stat. */
export interface FileSnapshot {
  readonly path: string
  readonly bytes: Uint8Array
  readonly hash: string
  readonly stat: FileStat
}

/** SHA-256, as hex. */
export function contentHash(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
}

/**
 * Opens a regular file by its real path for reading. Directories, pipes, devices and sockets are refused
 * without being opened; that the path leads elsewhere by now is `changed`. The caller closes the handle.
 */
export async function openRegular(path: string): Promise<Result<{ file: FileHandle; stat: FileStat }, ToolFailure>> {
  try {
    const seen = await lstat(path)
    const refusal = refusalOf(seen, path)
    if (refusal) return err(refusal)
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (stat.isFile() && stat.ino === seen.ino && stat.dev === seen.dev && (await leadsTo(file, path))) {
      return ok({ file, stat: pickStat(stat) })
    }
    await file.close()
    return err(swapped(path))
  } catch (error) {
    return err(ioFailure(error, path))
  }
}

/** All bytes of a regular file of at most `most` bytes. A missing file is `missing`. */
export async function readSnapshot(
  path: string,
  most: number = largestText,
): Promise<Result<FileSnapshot, ToolFailure>> {
  const opened = await openRegular(path)
  if (!opened.ok) return opened
  const { file, stat } = opened.value
  try {
    if (stat.size > most) return err(tooLarge(path, stat.size, most))
    const bytes = await readUpTo(file, stat.size, most)
    if (bytes === undefined) return err(tooLarge(path, most + 1, most))
    return ok({ path, bytes, hash: contentHash(bytes), stat })
  } catch (error) {
    return err(ioFailure(error, path))
  } finally {
    await file.close()
  }
}

/** An open directory that is certainly the one at its real path. Disposing closes it. */
export interface OpenDirectory extends AsyncDisposable {
  /** Leads to this directory, whatever stands at its path by now: for calls of this process and as where a child begins. */
  readonly at: string
}

/** Opens a directory by its real path; that the path leads elsewhere by now is `changed`. */
export async function openDirectory(path: string): Promise<Result<OpenDirectory, ToolFailure>> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    if (!(await leadsTo(file, path))) {
      await file.close()
      return err(swapped(path))
    }
    const handle = `/proc/${process.pid}/fd/${file.fd}`
    const named = process.platform === "linux" && (await readlink(handle).catch(() => undefined)) === path
    return ok({ at: named ? handle : path, [Symbol.asyncDispose]: () => file.close() })
  } catch (error) {
    if (codeOf(error) === "ELOOP" || codeOf(error) === "ENOTDIR") return err(swapped(path))
    return err(ioFailure(error, path))
  }
}

/** Is the nearest directory above a real path, of those that exist, still where its path says? What is made below it is then made there. */
export async function parentStays(path: string): Promise<boolean> {
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const real = await realpath(parent).catch(() => undefined)
    if (real !== undefined) return real === parent
    if (parent === "/") return true
  }
}

/** Is this still the file that the open handle has? On Linux the kernel names it; elsewhere the path is asked again. */
export async function leadsTo(file: FileHandle, path: string): Promise<boolean> {
  if (process.platform === "linux") {
    const name = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
    if (name !== undefined) return name === path
  }
  const [real, stat, now] = await Promise.all([realpath(path), file.stat(), lstat(path)])
  return real === path && stat.ino === now.ino && stat.dev === now.dev
}

export function pickStat(stat: Stats): FileStat {
  const { dev, ino, size, mtimeMs, ctimeMs, mode, nlink, uid, gid } = stat
  return { dev, ino, size, mtimeMs, ctimeMs, mode, nlink, uid, gid }
}

/** Why what stands at `path` is not read. Undefined for a regular file. */
export function refusalOf(stat: Stats, path: string): ToolFailure | undefined {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return { kind: "directory", message: `${shownPath(path)} is a directory, not a file.` }
  if (stat.isSymbolicLink()) return swapped(path)
  const what = stat.isFIFO() ? "a named pipe" : stat.isSocket() ? "a socket" : "a device"
  return { kind: "refused", message: `${shownPath(path)} is ${what}, not a regular file.` }
}

/** What the system said, as a failure that names the path. */
export function ioFailure(error: unknown, path: string): ToolFailure {
  const code = codeOf(error)
  const shown = shownPath(path)
  switch (code) {
    case "ENOENT":
      return { kind: "missing", message: `${shown} does not exist.` }
    case "ENOTDIR":
      return { kind: "missing", message: `${shown} does not exist: a part of the path is a file, not a directory.` }
    case "EISDIR":
      return { kind: "directory", message: `${shown} is a directory, not a file.` }
    case "ELOOP":
      return swapped(path)
    case "EACCES":
    case "EPERM":
      return { kind: "io", message: `${shown}: the system does not permit it (${code}).` }
    case "EROFS":
      return { kind: "io", message: `${shown} is on a read-only file system.` }
    case "ENOSPC":
    case "EDQUOT":
      return { kind: "io", message: `${shown}: no space left on the disk (${code}). Nothing was changed.` }
    case undefined:
      throw error
    default:
      return { kind: "io", message: `${shown}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The system's error code; undefined when the error is none of the system's. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : undefined
}

/** A path for people and models: as it is, or quoted when it holds line ends or other control characters. */
export function shownPath(path: string): string {
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path
}

export function shownSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const unit = bytes < 1024 ** 2 ? "kB" : bytes < 1024 ** 3 ? "MB" : "GB"
  const size = bytes / (unit === "kB" ? 1024 : unit === "MB" ? 1024 ** 2 : 1024 ** 3)
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`
}

/** Why a path that leads elsewhere by now is left alone. */
export function swapped(path: string): ToolFailure {
  return { kind: "changed", message: `${shownPath(path)} was replaced while it was being opened. Try again.` }
}

function tooLarge(path: string, size: number, most: number): ToolFailure {
  const message = `${shownPath(path)} has ${shownSize(size)}; a file of more than ${shownSize(most)} is not changed as one text. Use a command (sed, awk, a script) instead.`
  return { kind: "refused", message }
}

/** Undefined when the file grew beyond `most` while it was read. */
async function readUpTo(file: FileHandle, expected: number, most: number): Promise<Uint8Array | undefined> {
  let buffer = Buffer.allocUnsafe(expected + 1)
  let length = 0
  while (true) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
    if (length > most) return undefined
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length + 4096)])
  }
}
