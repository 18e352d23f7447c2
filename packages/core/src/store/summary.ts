import type { UserMessage } from "@cairn/schema/message"
import type { ChangedFile, Session, SnapshotFileDiff } from "@cairn/schema/session"

/** The session's summary with the files of one more step; `total` is how many files the session has changed in all. Pure. */
export function sessionWith(session: Session, files: readonly ChangedFile[], total: number): Session {
  const { additions, deletions, ...before } = session.summary ?? { additions: 0, deletions: 0 }
  const sum = (of: "additions" | "deletions") => files.reduce((lines, file) => lines + file[of], 0)
  const summary = {
    ...before,
    additions: additions + sum("additions"),
    deletions: deletions + sum("deletions"),
    files: total,
  }
  return { ...session, summary }
}

/** The user message's summary with the files of one more step of its answer: one entry a file, lines summed. Pure. */
export function messageWith(message: UserMessage, files: readonly ChangedFile[]): UserMessage {
  const diffs = new Map<string | undefined, SnapshotFileDiff>()
  for (const diff of message.summary?.diffs ?? []) diffs.set(diff.file, diff)
  for (const file of files) {
    const known = diffs.get(file.file)
    const status = statusAfter(known?.status, file.status)
    if (status === undefined) diffs.delete(file.file)
    else
      diffs.set(file.file, {
        ...file,
        additions: (known?.additions ?? 0) + file.additions,
        deletions: (known?.deletions ?? 0) + file.deletions,
        status,
      })
  }
  return { ...message, summary: { ...message.summary, diffs: [...diffs.values()] } }
}

/** What two changes make together; undefined when a file came and went. */
function statusAfter(
  first: SnapshotFileDiff["status"],
  second: ChangedFile["status"],
): ChangedFile["status"] | undefined {
  if (first === "added") return second === "deleted" ? undefined : "added"
  if (first === "deleted" && second === "added") return "modified"
  return second
}
