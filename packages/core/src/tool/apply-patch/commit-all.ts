import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { prepareDelete, prepareWrite } from "../../workspace/atomic-write.ts"
import type { PreparedChange } from "../../workspace/atomic-write.ts"
import type { TextEncoding } from "../../workspace/encoding.ts"
import { contentHash, shownPath } from "../../workspace/files.ts"
import type { FileSnapshot, FileStat } from "../../workspace/files.ts"
import type { ResolvedPath } from "../../workspace/paths.ts"
import { bytesFor } from "../../workspace/text-file.ts"
import type { WriterDeps } from "../change-file.ts"
import type { FileDiff } from "../diff.ts"

/** One file of a patch, worked out and not yet written. */
export interface FileWork {
  readonly source: ResolvedPath
  /** Where it moves to. */
  readonly target: ResolvedPath | undefined
  /** The file as it was; undefined when it is new. */
  readonly snapshot: FileSnapshot | undefined
  readonly encoding: TextEncoding | undefined
  readonly before: string
  /** Undefined when it is deleted. */
  readonly after: string | undefined
  readonly shown: string
  readonly diff: FileDiff
  readonly leftOut: readonly number[]
}

export interface WrittenFile {
  readonly path: string
  readonly hash: string
  readonly stat: FileStat | undefined
}

/** Prepares every file, then makes all visible. When one cannot be, those before it are taken back. */
export async function commitAll(
  works: readonly FileWork[],
  deps: WriterDeps,
): Promise<Result<readonly WrittenFile[], ToolFailure>> {
  await using prepared = new AsyncDisposableStack()
  const changes: PreparedChange[] = []
  const hashes: string[] = []
  for (const work of works) {
    if (work.after === undefined) continue
    const path = work.target?.real ?? work.source.real
    const bytes = bytesFor(work.after, path, work.encoding)
    if (!bytes.ok) return bytes
    const mode = work.target && work.snapshot ? work.snapshot.stat.mode & 0o7777 : undefined
    const change = await prepareWrite(path, bytes.value, work.target ? undefined : work.snapshot, deps.operations, mode)
    if (!change.ok) return change
    changes.push(prepared.use(change.value))
    hashes.push(contentHash(bytes.value))
  }
  // Nothing goes away before everything new stands.
  for (const work of works) {
    const gone = work.after === undefined || work.target ? work.snapshot : undefined
    if (gone) changes.push(prepared.use(prepareDelete(gone, deps.operations)))
  }
  const written: WrittenFile[] = []
  for (const [index, change] of changes.entries()) {
    const done = await change.commit()
    if (!done.ok) return err(await takeBack(changes.slice(0, index), done.error))
    const hash = hashes[index]
    if (hash !== undefined) written.push({ path: change.path, hash, stat: done.value })
  }
  return ok(written)
}

async function takeBack(changes: readonly PreparedChange[], cause: ToolFailure): Promise<ToolFailure> {
  const kept: string[] = []
  for (const change of changes.toReversed()) {
    const back = await change.rollback()
    if (!back.ok) kept.push(`${shownPath(change.path)} (${back.error.message})`)
  }
  const what =
    kept.length === 0
      ? "All files are as before."
      : `All files are as before, except: ${kept.join(", ")}. Look at them.`
  return { kind: cause.kind, message: `${cause.message} ${what}` }
}
