import { constants } from "node:fs"
import { copyFile, mkdir, open, rename, stat, unlink, utimes } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import { codeOf } from "../files.ts"

/*
 * <directory>/                   0700
 *   incoming/<uuid>              0600  what is being written, or is about to go
 *   ab/cdef….zst                 0600  a blob, compressed
 *   ab/cdef….raw                 0600  a blob as it is: a large file that the file system shares with its copy
 *
 * A blob appears by a rename, so what has its name is whole. What a dead process left stands in `incoming`.
 */

/** How a blob is kept. */
export const forms = ["zst", "raw"] as const
export type Form = (typeof forms)[number]

/** The files of a store, without knowing what is in them. `hash` is 64 hex digits. */
export interface BlobFiles {
  readonly directory: string
  readonly incoming: string
  path(hash: string, form: Form): string
  /** Gives a blob the time of now, so that no collection takes it. False when it is not there. */
  touch(hash: string, form: Form): Promise<boolean>
  /** Opens a new file in `incoming`. The caller closes it, and moves it to its place or removes it. */
  begin(): Promise<{ readonly file: FileHandle; readonly path: string }>
  /** A copy of a file in `incoming` that shares its blocks. Undefined where the file system cannot do that. */
  share(source: string): Promise<string | undefined>
  /** Makes a finished file of `incoming` the blob. One that stands there already is replaced: it holds the same. */
  settle(temp: string, hash: string, form: Form): Promise<void>
  /**
   * Takes a blob away unless it was touched after `since`. False then, and when it is gone already. A store that dies in
   * the middle leaves it in `incoming`, from where `restoreGone` brings it back.
   */
  remove(hash: string, form: Form, since: number): Promise<boolean>
  /** Puts back what a removal that was cut short had moved. Undefined when `name` is none of those. */
  restoreGone(name: string): Promise<boolean | undefined>
}

const gonePattern = /^gone-[0-9a-f-]{36}-([0-9a-f]{64})\.(zst|raw)$/

/** Makes a copy that shares its blocks with the source; rejects where the file system cannot. */
export type Clone = (source: string, target: string) => Promise<void>

const systemClone: Clone = (source, target) =>
  copyFile(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL)

export function createBlobFiles(directory: string, clock: Pick<Clock, "now">, clone = systemClone): BlobFiles {
  const incoming = join(directory, "incoming")
  const path = (hash: string, form: Form) => join(directory, hash.slice(0, 2), `${hash.slice(2)}.${form}`)
  const fresh = () => join(incoming, crypto.randomUUID())
  const settle = (temp: string, hash: string, form: Form) => {
    const to = path(hash, form)
    return makingParent(to, () => rename(temp, to))
  }
  return {
    directory,
    incoming,
    path,
    settle,
    async touch(hash, form) {
      const now = clock.now() / 1_000
      return await unlessMissing(utimes(path(hash, form), now, now))
    },
    async begin() {
      const temp = fresh()
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
      return { file: await makingParent(temp, () => open(temp, flags, 0o600)), path: temp }
    },
    async share(source) {
      const temp = fresh()
      try {
        await makingParent(temp, () => clone(source, temp))
        return temp
      } catch (error) {
        // The source may be gone, be unreadable, or lie on another disk: an ordinary copy finds out what it is.
        if (codeOf(error) === undefined) throw error
        await unlessMissing(unlink(temp))
        return undefined
      }
    },
    async remove(hash, form, since) {
      const gone = join(incoming, `gone-${crypto.randomUUID()}-${hash}.${form}`)
      const moved = await unlessMissing(makingParent(gone, () => rename(path(hash, form), gone)))
      if (!moved) return false
      // Whoever took it for stored while it still stood has touched it: it is theirs.
      const touched = await stat(gone).then(({ mtimeMs }) => mtimeMs > since, noneIfMissing)
      if (touched) await unlessMissing(settle(gone, hash, form))
      // Missing by now: another process took this one for dead and put it back.
      return touched === false && (await unlessMissing(unlink(gone)))
    },
    async restoreGone(name) {
      const [, hash, form] = gonePattern.exec(name) ?? []
      if (hash === undefined || form === undefined) return undefined
      return await unlessMissing(settle(join(incoming, name), hash, form as Form))
    },
  }
}

/** Does it, making the directory (0700) that it needs when that is missing. */
async function makingParent<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return await work()
  }
}

/** True when it was done, false when there was nothing to do it to. */
async function unlessMissing(done: Promise<void>): Promise<boolean> {
  try {
    await done
    return true
  } catch (error) {
    noneIfMissing(error)
    return false
  }
}

function noneIfMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error
}
