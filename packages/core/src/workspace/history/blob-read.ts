import { open } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { codeOf, contentHash, ioFailure } from "../files.ts"
import { forms } from "./blob-files.ts"
import type { BlobFiles, Form } from "./blob-files.ts"

/** A content that is stored: the SHA-256 of its bytes as hex, and how many there are. */
export interface Blob {
  readonly hash: string
  readonly size: number
}

/** Why a content cannot be had: it was taken away for room, its file does not hold what it should, or the disk fails. */
export interface BlobLoss {
  readonly kind: "evicted" | "damaged" | "io"
  readonly message: string
}

const chunkSize = 1024 * 1024

/** All bytes of a blob, compared with its hash. */
export async function readBlob(files: BlobFiles, blob: Blob): Promise<Result<Uint8Array, BlobLoss>> {
  for (const form of forms) {
    try {
      const bytes = await Bun.file(files.path(blob.hash, form)).bytes()
      const whole = form === "raw" ? bytes : unpack(bytes)
      if (whole && whole.length === blob.size && contentHash(whole) === blob.hash) return ok(whole)
      return err(damaged(blob))
    } catch (error) {
      if (codeOf(error) !== "ENOENT") return err(unreadable(error, files.path(blob.hash, form)))
    }
  }
  return err(evicted)
}

function unpack(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return Bun.zstdDecompressSync(bytes)
  } catch {
    return undefined // not what was written: the caller says so
  }
}

/** Writes a blob to an open file, in bounded memory. On a loss the file holds rubbish. */
export async function copyBlob(
  files: BlobFiles,
  blob: Blob,
  target: FileHandle,
  signal: AbortSignal,
): Promise<Result<void, BlobLoss>> {
  const opened = await openBlob(files, blob)
  if (!opened.ok) return opened
  await using source = opened.value.file
  const hasher = new Bun.CryptoHasher("sha256")
  let size = 0
  const take = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > blob.size) return
      hasher.update(chunk)
      await writeAll(target, chunk)
    }
  }
  try {
    if (opened.value.form === "raw") await take(chunksOf(source, signal))
    else {
      const { createZstdDecompress } = await import("node:zlib")
      await pipeline(chunksOf(source, signal), createZstdDecompress(), take)
    }
  } catch (error) {
    signal.throwIfAborted()
    const code = codeOf(error) ?? ""
    if (/^(?:ZSTD_|ERR_)/.test(code)) return err(damaged(blob))
    return err(unreadable(error, files.path(blob.hash, opened.value.form)))
  }
  return size === blob.size && hasher.digest("hex") === blob.hash ? ok(undefined) : err(damaged(blob))
}

async function openBlob(
  files: BlobFiles,
  blob: Blob,
): Promise<Result<{ readonly file: FileHandle; readonly form: Form }, BlobLoss>> {
  for (const form of forms) {
    const path = files.path(blob.hash, form)
    try {
      return ok({ file: await open(path, "r"), form })
    } catch (error) {
      if (codeOf(error) !== "ENOENT") return err(unreadable(error, path))
    }
  }
  return err(evicted)
}

/** What an open file holds, from its beginning. */
export async function* chunksOf(file: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    signal.throwIfAborted()
    const buffer = Buffer.allocUnsafe(chunkSize)
    const { bytesRead } = await file.read(buffer, 0, chunkSize, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

const evicted: BlobLoss = { kind: "evicted", message: "evicted: its content was removed to make room" }

const damaged = (blob: Blob): BlobLoss => ({
  kind: "damaged",
  message: `damaged: what is stored is not what was put there (${blob.hash.slice(0, 12)})`,
})

const unreadable = (error: unknown, path: string): BlobLoss => ({ kind: "io", message: ioFailure(error, path).message })
