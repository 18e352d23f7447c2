import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileChange, FileState } from "@cairn/schema/history"
import type { PreparedChange } from "../atomic-write.ts"
import { largestText, shownSize } from "../files.ts"
import type { WholeFile } from "../whole-file.ts"
import type { BlobStore } from "./blob-store.ts"

/** The call that changes files. */
export interface CallRef {
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
}

/** A write that is prepared and not yet visible. */
export interface PlannedWrite {
  readonly change: PreparedChange
  /** The file as it was looked at; undefined when there was none. */
  readonly before: WholeFile | undefined
  /** What it is going to hold; undefined when it is deleted. */
  readonly after: WholeFile["bytes"] | undefined
  /** Lines. */
  readonly additions: number
  readonly deletions: number
}

/** What stands in the journal for writes that are about to happen. */
export interface Recorded {
  /** Takes the entries of these paths (all, when none are named) back: they were not written. */
  withdraw(paths?: readonly string[]): void
}

/**
 * What the tools changed, so that it can be taken back. A write may only become visible once it is recorded: then the
 * file as it was, and as it will be, are stored, and the log names both.
 */
export interface Journal {
  /** Call it with the lock of every path held. A failure means that nothing may be written. */
  record(call: CallRef, writes: readonly PlannedWrite[]): Promise<Result<Recorded, ToolFailure>>
  /** Changes that have happened already, their contents stored. */
  note(call: CallRef, changes: readonly RecordedChange[]): void
}

export type RecordedChange = Omit<FileChange, "id">

interface JournalDeps {
  readonly blobs: Pick<BlobStore, "put" | "putFile">
  /** A new id of a change, greater than those before it. */
  changeID(): string
  /** Appends to the log. Changes that are known by their id are replaced. */
  append(call: CallRef, changes: readonly FileChange[]): void
}

export function createJournal({ blobs, changeID, append }: JournalDeps): Journal {
  const stateOf = async (
    bytes: PlannedWrite["after"],
    mode: number,
    /** Where a content that does not fit in memory stands. */
    path?: string,
  ): Promise<Result<FileState, ToolFailure>> => {
    if (!bytes) return ok({ kind: "absent" })
    if (bytes === "too_large") {
      const shared = path === undefined ? undefined : await blobs.putFile(path, largestText, new TaskGroup().signal)
      if (shared?.ok) return ok({ kind: "file", ...shared.value, mode })
      return ok({ kind: "not_covered", reason: `larger than ${shownSize(largestText)}` })
    }
    const stored = await blobs.put(bytes)
    return stored.ok ? ok({ kind: "file", ...stored.value, mode }) : err(unkept(stored.error))
  }
  return {
    note: (call, changes) =>
      append(
        call,
        changes.map((change) => ({ id: changeID(), ...change })),
      ),
    async record(call, writes) {
      const changes: FileChange[] = []
      for (const { change, before: snapshot, after: bytes, additions, deletions } of writes) {
        const { path, madeDirectory } = change
        const before = await stateOf(snapshot?.bytes, (snapshot?.stat.mode ?? 0) & 0o7777, path)
        if (!before.ok) return before
        const after = await stateOf(bytes, change.mode)
        if (!after.ok) return after
        const made = madeDirectory !== undefined && { madeDirectory }
        changes.push({ id: changeID(), path, before: before.value, after: after.value, additions, deletions, ...made })
      }
      append(call, changes)
      return ok({
        withdraw(paths) {
          const undone = changes.filter(({ path }) => !paths || paths.includes(path))
          if (undone.length > 0)
            append(
              call,
              undone.map((change) => ({ ...change, after: change.before })),
            )
        },
      })
    },
  }
}

function unkept({ message }: ToolFailure): ToolFailure {
  return { kind: "io", message: `Nothing was written, since it could not be undone: ${message}` }
}
