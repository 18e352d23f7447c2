import { open, stat, unlink } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { Clock } from "@cairn/kernel/clock"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { codeOf, contentHash, ioFailure, leadsTo, openRegular, shownPath } from "../files.ts"
import { createBlobFiles, forms } from "./blob-files.ts"
import type { BlobFiles, Clone, Form } from "./blob-files.ts"
import { chunksOf, copyBlob, readBlob, writeAll } from "./blob-read.ts"
import type { Blob, BlobLoss } from "./blob-read.ts"

/** `ofStore`: the store cannot take it. Else something is the matter with the file that was to be stored. */
export interface PutFailure extends ToolFailure {
  readonly ofStore?: true
}

/**
 * Contents by their hash, in files of the current user. What `put` and `putFile` have answered is stored whole, also after
 * a SIGKILL, and is never written again; a disk that is full is a failure that leaves nothing behind.
 */
export interface BlobStore {
  readonly files: BlobFiles
  put(bytes: Uint8Array): Promise<Result<Blob, ToolFailure>>
  /**
   * Stores what a regular file of at most `most` bytes holds, in bounded memory; one that is larger only where the file
   * system can share it with a copy. That it cannot, or that the file changes while it is read, is a failure. Interruption
   * rejects with the reason and leaves nothing behind.
   */
  putFile(path: string, most: number, signal: AbortSignal): Promise<Result<Blob, PutFailure>>
  /** All bytes of a blob, compared with its hash. */
  get(blob: Blob): Promise<Result<Uint8Array, BlobLoss>>
  /** Writes a blob to an open new file, in bounded memory. On a loss the file holds rubbish. */
  copyTo(blob: Blob, target: FileHandle, signal: AbortSignal): Promise<Result<void, BlobLoss>>
  /** Keeps a blob that is stored from being collected in the next hour. False when it is not there. */
  touch(hash: string): Promise<boolean>
}

/** A file of more bytes than this is never held in memory. */
export const largestInMemory = 4 * 1024 * 1024
/** Compressing less than this on the spot is cheaper than handing it to a thread. */
const smallEnough = 64 * 1024
const mostRemembered = 10_000

/** `clone` makes a copy that shares its blocks with the source, or fails; it is the system's unless it is given. */
export function createBlobStore(directory: string, clock: Pick<Clock, "now">, clone?: Clone): BlobStore {
  const files = createBlobFiles(directory, clock, clone)
  const store = { files, clock, sound: new Set<string>() }
  return {
    files,
    put: (bytes) => storing(directory, () => putBytes(store, bytes)),
    async putFile(path, most, signal) {
      const opened = await openRegular(path)
      if (!opened.ok) return opened
      await using source = opened.value.file
      return await storing(directory, () => putOpen(store, source, path, { most, signal }))
    },
    get: (blob) => readBlob(files, blob),
    copyTo: (blob, target, signal) => copyBlob(files, blob, target, signal),
    async touch(hash) {
      for (const form of forms) if (await files.touch(hash, form)) return true
      return false
    },
  }
}

interface Store {
  readonly files: BlobFiles
  readonly clock: Pick<Clock, "now">
  /** Blobs that this process has written, or read and found good. */
  readonly sound: Set<string>
}

/** Is the content there and good? One that is not is written again, in its place. */
async function isStored(store: Store, blob: Blob): Promise<boolean> {
  for (const form of forms) {
    if (form === "raw" && blob.size <= largestInMemory) continue
    if (!(await store.files.touch(blob.hash, form))) continue
    if (store.sound.has(blob.hash)) return true
    // A large one costs more to read than it is likely to be damaged; an empty file is what a lost write leaves.
    const good =
      blob.size > largestInMemory
        ? (await stat(store.files.path(blob.hash, form))).size > 0
        : (await readBlob(store.files, blob)).ok
    if (good) remember(store.sound, blob.hash)
    if (good) return true
  }
  return false
}

async function putBytes(store: Store, bytes: Uint8Array): Promise<Result<Blob, ToolFailure>> {
  const blob = { hash: contentHash(bytes), size: bytes.length }
  if (await isStored(store, blob)) return ok(blob)
  const packed = bytes.length < smallEnough ? Bun.zstdCompressSync(bytes) : await Bun.zstdCompress(bytes)
  return await settling(store, "zst", await store.files.begin(), async (file) => {
    await writeAll(file, packed)
    return ok(blob)
  })
}

async function putOpen(
  store: Store,
  source: FileHandle,
  path: string,
  { most, signal }: Bounds,
): Promise<Result<Blob, ToolFailure>> {
  const before = await source.stat()
  const isSame = async (size: number) => {
    const after = await source.stat()
    return after.size === size && after.mtimeMs === before.mtimeMs
  }
  if (before.size <= Math.min(most, largestInMemory)) {
    const chunks = await Array.fromAsync(hashing(source, { most: largestInMemory, signal }).chunks())
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    return (await isSame(bytes.length)) ? await putBytes(store, bytes) : err(changing(path))
  }
  const shared = await store.files.share(path)
  if (shared !== undefined) return await putShared(store, source, path, shared, signal)
  if (before.size > most) return err(tooLarge(path, most))
  return await settling(store, "zst", await store.files.begin(), async (file) => {
    const { createZstdCompress } = await import("node:zlib")
    const reading = hashing(source, { most, signal })
    await pipeline(reading.chunks(), createZstdCompress(), (packed: AsyncIterable<Uint8Array>) => append(file, packed))
    const blob = reading.blob()
    if (!blob) return err(tooLarge(path, most))
    return (await isSame(blob.size)) ? ok(blob) : err(changing(path))
  })
}

/** What was shared cannot change any more, so it is hashed where it is. */
async function putShared(
  store: Store,
  source: FileHandle,
  path: string,
  shared: string,
  signal: AbortSignal,
): Promise<Result<Blob, ToolFailure>> {
  const temp = { file: await open(shared, "r"), path: shared }
  return await settling(store, "raw", temp, async (file) => {
    // The path was copied, not the open file: it must still be the same one.
    if (!(await leadsTo(source, path))) return err(changing(path))
    await file.chmod(0o600)
    const now = store.clock.now() / 1_000
    await file.utimes(now, now)
    const reading = hashing(file, { most: Number.POSITIVE_INFINITY, signal })
    for await (const chunk of reading.chunks()) void chunk
    const blob = reading.blob()
    return blob ? ok(blob) : err(changing(path))
  })
}

interface Bounds {
  readonly most: number
  readonly signal: AbortSignal
}

/** Reads a file to its end or to one byte too many, and hashes it on the way. `blob` is undefined in the second case. */
function hashing(file: FileHandle, { most, signal }: Bounds) {
  const hasher = new Bun.CryptoHasher("sha256")
  let size = 0
  return {
    async *chunks(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunksOf(file, signal)) {
        size += chunk.length
        if (size > most) return
        hasher.update(chunk)
        yield chunk
      }
    },
    blob: (): Blob | undefined => (size > most ? undefined : { hash: hasher.digest("hex"), size }),
  }
}

/** Fills a file of `incoming` and makes it the blob, unless that is there already; when it fails nothing is left. */
async function settling(
  store: Store,
  form: Form,
  temp: { readonly file: FileHandle; readonly path: string },
  fill: (file: FileHandle) => Promise<Result<Blob, ToolFailure>>,
): Promise<Result<Blob, ToolFailure>> {
  let kept = false
  try {
    const blob = await fill(temp.file)
    if (!blob.ok || (await isStored(store, blob.value))) return blob
    await store.files.settle(temp.path, blob.value.hash, form)
    kept = true
    remember(store.sound, blob.value.hash)
    return blob
  } finally {
    await temp.file.close()
    if (!kept) await unlink(temp.path)
  }
}

/** What the system refuses, as a failure that names the store. */
async function storing<T>(
  directory: string,
  work: () => Promise<Result<T, PutFailure>>,
): Promise<Result<T, PutFailure>> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return err({ kind: "io", message: ioFailure(error, directory).message, ofStore: true })
  }
}

async function append(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await writeAll(file, chunk)
}

function remember(sound: Set<string>, hash: string): void {
  if (sound.size >= mostRemembered) sound.clear()
  sound.add(hash)
}

function tooLarge(path: string, most: number): ToolFailure {
  return { kind: "refused", message: `${shownPath(path)} has more than ${most} bytes.` }
}

function changing(path: string): ToolFailure {
  return { kind: "changed", message: `${shownPath(path)} was changed by somebody else while it was read.` }
}
