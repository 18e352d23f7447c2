import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { alone, prepareWrite } from "../../workspace/atomic-write.ts"
import type { PreparedChange, WriteOperations } from "../../workspace/atomic-write.ts"
import type { TextEncoding } from "../../workspace/encoding.ts"
import { contentHash, shownPath } from "../../workspace/files.ts"
import type { FileSnapshot, FileStat } from "../../workspace/files.ts"
import type { CallRef, Journal, PlannedWrite } from "../../workspace/history/journal.ts"
import type { ResolvedPath } from "../../workspace/paths.ts"
import { bytesFor } from "../../workspace/text-file.ts"
import { prepareDelete, prepareLink } from "../../workspace/whole-file.ts"
import type { WholeFile } from "../../workspace/whole-file.ts"
import type { WriterDeps } from "../change-file.ts"
import type { FileDiff, Hunk } from "../../workspace/diff.ts"
import { atLine } from "./apply-to-texts.ts"

/** One file of a patch, worked out and not yet written. */
export interface FileWork {
  /** Line of the patch that names it, from 1. */
  readonly at: number
  readonly source: ResolvedPath
  /** Where it moves to. */
  readonly target: ResolvedPath | undefined
  /** The file as it was; undefined when it is new, or when it is not read as text. */
  readonly snapshot: FileSnapshot | undefined
  /** A file that is deleted, or moves and does not change: taken as it is. */
  readonly whole: WholeFile | undefined
  readonly encoding: TextEncoding | undefined
  readonly before: string
  /** Undefined when it is deleted. */
  readonly after: string | undefined
  readonly shown: string
  readonly diff: FileDiff
  /** Numbers of the hunks among `asked` that the user left out, from 0. */
  readonly leftOut: readonly number[]
  /** The hunks of the whole change, as it was asked for. */
  readonly asked: readonly Hunk[]
}

export interface WrittenFile {
  readonly path: string
  readonly hash: string
  readonly stat: FileStat | undefined
}

/** Prepares every file, records what is about to change, then makes all visible. When one cannot be, those before it are taken back. */
export async function commitAll(
  works: readonly FileWork[],
  { operations, journal }: WriterDeps,
  call: CallRef,
  signal: AbortSignal,
): Promise<Result<readonly WrittenFile[], ToolFailure>> {
  await using prepared = new AsyncDisposableStack()
  const writes: FileWrite[] = []
  for (const work of works) {
    if (work.after === undefined) continue
    const write = await planWrite(work, work.after, operations)
    if (!write.ok) return err(atLine(work.at, write.error))
    prepared.use(write.value.change)
    writes.push(write.value)
  }
  // Nothing goes away before everything new stands.
  for (const work of works) {
    const gone = work.whole ?? (work.target ? work.snapshot : undefined)
    if (!gone) continue
    // The lines of a file that moves are counted where it goes.
    const deletions = work.target ? 0 : work.diff.deletions
    const change = prepared.use(prepareDelete(gone, operations))
    writes.push({ at: work.at, change, before: gone, after: undefined, hash: undefined, additions: 0, deletions })
  }
  const paths = writes.map(({ change }) => change.path)
  return await alone(operations, paths, signal, () => makeVisible(writes, journal, call))
}

async function makeVisible(
  writes: readonly FileWrite[],
  journal: Journal,
  call: CallRef,
): Promise<Result<readonly WrittenFile[], ToolFailure>> {
  const recorded = await journal.record(call, writes)
  if (!recorded.ok) return recorded
  const written: WrittenFile[] = []
  for (const [position, { at, change, hash }] of writes.entries()) {
    const done = await change.commit()
    if (!done.ok) {
      const committed = writes.slice(0, position).map((write) => write.change)
      const { failure, kept } = await takeBack(committed, at, done.error)
      recorded.value.withdraw(writes.map((write) => write.change.path).filter((path) => !kept.includes(path)))
      return err(failure)
    }
    if (hash !== undefined) written.push({ path: change.path, hash, stat: done.value })
  }
  return ok(written)
}

interface FileWrite extends PlannedWrite {
  readonly at: number
  /** What the model then knows of the file; undefined when it is gone. */
  readonly hash: string | undefined
}

async function planWrite(
  work: FileWork,
  text: string,
  operations: WriteOperations,
): Promise<Result<FileWrite, ToolFailure>> {
  const { at, source, target, snapshot, whole } = work
  const { additions, deletions } = work.diff
  if (whole && target) {
    const change = await prepareLink(whole, target.real, operations)
    if (!change.ok) return change
    const { bytes: after, hash } = whole
    return ok({ at, change: change.value, before: undefined, after, hash, additions, deletions })
  }
  const path = target?.real ?? source.real
  const bytes = bytesFor(text, path, work.encoding)
  if (!bytes.ok) return bytes
  const mode = target && snapshot ? snapshot.stat.mode & 0o7777 : undefined
  const before = target ? undefined : snapshot
  const change = await prepareWrite(path, bytes.value, before, operations, mode)
  if (!change.ok) return change
  const hash = contentHash(bytes.value)
  return ok({ at, change: change.value, before, after: bytes.value, hash, additions, deletions })
}

/** The failure in words, and the paths that could not be taken back. */
async function takeBack(
  changes: readonly PreparedChange[],
  line: number,
  cause: ToolFailure,
): Promise<{ readonly failure: ToolFailure; readonly kept: readonly string[] }> {
  const kept: string[] = []
  const said: string[] = []
  for (const change of changes.toReversed()) {
    const back = await change.rollback()
    if (back.ok) continue
    kept.push(change.path)
    said.push(`${shownPath(change.path)} (${back.error.message})`)
  }
  const what =
    kept.length === 0
      ? "All files are as before."
      : `All files are as before, except: ${said.join(", ")}. Look at them.`
  return { failure: { kind: cause.kind, message: `Line ${line} of the patch: ${cause.message} ${what}` }, kept }
}
