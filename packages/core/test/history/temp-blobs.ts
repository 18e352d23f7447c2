import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { type BlobStore, createBlobStore } from "../../src/workspace/history/blob-store.ts"

export interface TempBlobs extends AsyncDisposable {
  /** A directory of the test's own; the store is `blob` in it. */
  readonly root: string
  readonly directory: string
  readonly store: BlobStore
  /** How far the clock of the store is ahead of the system's, ms. */
  ahead: number
  /** A new store on the same files, as another process has one. */
  another(): BlobStore
  /** Every file below the store, by its path there, sorted. */
  files(): Promise<string[]>
}

/** A blob store on disk that knows nothing yet. */
export async function tempBlobs(root?: string): Promise<TempBlobs> {
  const place = root ?? (await mkdtemp(join(tmpdir(), "cairn-blob-")))
  const directory = join(place, "blob")
  const another = () => createBlobStore(directory, { now: () => systemClock.now() + made.ahead })
  const made: TempBlobs = {
    root: place,
    directory,
    ahead: 0,
    another,
    store: createBlobStore(directory, { now: () => systemClock.now() + made.ahead }),
    async files() {
      const found = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
      const paths = found.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`)
      return paths.map((path) => path.slice(directory.length + 1)).toSorted((a, b) => (a < b ? -1 : 1))
    },
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  }
  return made
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Bytes that do not compress, the same for the same seed. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = seed >>> 0 || 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** Mounting takes rights that few have. */
export const mountable =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "--mount", "true"]).exitCode === 0

/** Runs `work` in a file system of its own, in memory, of `size` (as mount takes it). */
export async function onSmallDisk(size: string, work: (root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "cairn-small-"))
  const mount = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", root])
  try {
    if (mount.exitCode !== 0) throw new Error(`mount: ${mount.stderr.toString()}`)
    await work(root)
  } finally {
    if (mount.exitCode === 0) Bun.spawnSync(["umount", root])
    await rm(root, { recursive: true, force: true })
  }
}
