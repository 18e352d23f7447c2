import { lstat, readlink } from "node:fs/promises"
import { dirname } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileState } from "@cairn/schema/history"
import { codeOf, largestText, openRegular, readSnapshot, shownSize } from "../files.ts"
import { resolvePath } from "../paths.ts"
import { chunksOf } from "./blob-read.ts"
import type { BlobStore } from "./blob-store.ts"
import type { FileVersion } from "./states.ts"

/**
 * What stands at a path (absolute), a file with the hash of its content. What cannot be looked at is not covered. With
 * `sizes` a large file is only read when it has one of them.
 */
export async function lookAt(path: string, signal: AbortSignal, sizes?: ReadonlySet<number>): Promise<FileState> {
  const away = await leadsAway(path)
  if (away) return away
  return await stateOf(path, async () => {
    const opened = await openRegular(path)
    if (!opened.ok) return opened
    await using file = opened.value.file
    const { size: length } = opened.value.stat
    if (length > largestText && sizes && !sizes.has(length))
      return err({ kind: "changed", message: `it has ${shownSize(length)} now` })
    const hasher = new Bun.CryptoHasher("sha256")
    let size = 0
    for await (const chunk of chunksOf(file, signal)) {
      hasher.update(chunk)
      size += chunk.length
    }
    return ok({ hash: hasher.digest("hex"), size })
  })
}

/** `lookAt`, and the content of a file of at most `most` bytes is stored. A store that takes nothing more is a failure. */
export async function keep(
  path: string,
  blobs: Pick<BlobStore, "putFile">,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Result<FileState, ToolFailure>> {
  const away = await leadsAway(path)
  if (away) return ok(away)
  let failure: ToolFailure | undefined
  const state = await stateOf(path, async () => {
    const stored = await blobs.putFile(path, most, signal)
    if (!stored.ok && stored.error.ofStore) failure = stored.error
    return stored
  })
  return failure ? err(failure) : ok(state)
}

/** All bytes of the file that `lookAt` saw; what is wrong in words. */
export async function bytesOf(path: string, state: FileVersion): Promise<Result<Uint8Array, string>> {
  const snapshot = await readSnapshot(path, largestText)
  if (!snapshot.ok) return err(snapshot.error.message)
  return snapshot.value.hash === state.hash ? ok(snapshot.value.bytes) : err("it was changed while it was read")
}

async function stateOf(
  path: string,
  content: () => Promise<Result<{ readonly hash: string; readonly size: number }, ToolFailure>>,
): Promise<FileState> {
  try {
    const info = await lstat(path)
    if (info.isSymbolicLink()) return { kind: "symlink", target: await readlink(path) }
    if (info.isDirectory()) return { kind: "directory" }
    if (!info.isFile()) return { kind: "not_covered", reason: "no regular file" }
    const found = await content()
    if (!found.ok) return { kind: "not_covered", reason: found.error.message }
    return { kind: "file", ...found.value, mode: info.mode & 0o7777 }
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" }
    return { kind: "not_covered", reason: `the system does not let it be read (${code})` }
  }
}

/** A directory on the way that is a link by now leads to another file than the one that was recorded. */
async function leadsAway(path: string): Promise<FileState | undefined> {
  const parent = dirname(path)
  const { real } = await resolvePath(parent, "/")
  return real === parent ? undefined : { kind: "not_covered", reason: `its directory leads to ${real} now` }
}
