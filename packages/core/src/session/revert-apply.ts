import { readdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { KeyedLock } from "@cairn/kernel/lock"
import type { Log } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { RevertedFile, RevertRecord } from "@cairn/schema/history"
import { alone, removeParents, type WriteOperations } from "../workspace/atomic-write.ts"
import { applyState } from "../workspace/history/apply.ts"
import type { BlobStore } from "../workspace/history/blob-store.ts"

export interface RevertApplyDeps {
  readonly log: Log
  readonly blobs: BlobStore
  /** The locks of the tools, by real path. */
  readonly locks: KeyedLock
  readonly operations: WriteOperations
}

export interface Applied {
  readonly outcome: "done" | "rolled_back"
  /** Paths that somebody changed meanwhile: they are as they were. */
  readonly left: readonly string[]
  /** Why it was rolled back, in words. */
  readonly problem?: string
}

/**
 * Carries a recorded revert out, or what is left of it. A file that cannot be written takes all back that were written
 * before. Nothing interrupts it but the death of the process; then calling it again finishes it.
 */
export async function applyRecord(deps: RevertApplyDeps, record: RevertRecord): Promise<Applied> {
  const { signal } = new TaskGroup()
  const operations = { ...deps.operations, tempName: tempNames(record) }
  const put = (file: RevertedFile) =>
    deps.locks.with(file.path, signal, () =>
      alone(operations, [file.path], signal, () => applyState(file, { blobs: deps.blobs, operations }, signal)),
    )
  const done: RevertedFile[] = []
  const left: string[] = []
  for (const file of inOrder(record.files)) {
    const applied = await put(file)
    if (applied.ok) {
      done.push(file)
      // At once: a file may come to where the directory was.
      if (file.after.kind === "absent") await removeParents(file.path, file.madeDirectory)
    } else if (applied.error.kind === "changed") left.push(file.path)
    else {
      const kept: string[] = []
      for (const each of done.toReversed()) {
        const back = await put({ ...each, before: each.after, after: each.before })
        if (!back.ok) kept.push(back.error.message)
      }
      const all = kept.length === 0 ? "All files are as before." : `All files are as before, except: ${kept.join(" ")}`
      deps.log.warn("a revert was rolled back", { id: record.id, error: applied.error.message, kept: kept.length })
      return { outcome: "rolled_back", left, problem: `${applied.error.message} ${all}` }
    }
  }
  return { outcome: "done", left }
}

/** What goes makes room, from below; then directories, then what comes. */
function inOrder(files: readonly RevertedFile[]): RevertedFile[] {
  const phase = ({ after }: RevertedFile) => (after.kind === "absent" ? 0 : after.kind === "directory" ? 1 : 2)
  return files.toSorted((a, b) => phase(a) - phase(b) || (phase(a) === 0 ? b.path.length - a.path.length : 0))
}

/** Removes the temp files that a revert left when its process died. */
export async function removeTemps(record: RevertRecord): Promise<void> {
  const own = `.cairn-${record.id}-`
  for (const directory of new Set(record.files.map(({ path }) => dirname(path)))) {
    const names = await readdir(directory).catch(() => [])
    for (const name of names) if (name.startsWith(own)) await rm(join(directory, name), { force: true })
  }
}

function tempNames({ id }: RevertRecord): () => string {
  let count = 0
  return () => `${id}-${count++}`
}
