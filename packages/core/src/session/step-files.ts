import { relative } from "node:path"
import type { DurableEvent } from "@cairn/schema/event"
import type { JournalEntry } from "@cairn/schema/history"
import type { AssistantMessage } from "@cairn/schema/message"
import type { ChangedFile } from "@cairn/schema/session"
import type { Store } from "../store/store.ts"
import { contains } from "../workspace/paths.ts"

/**
 * The name of the state of the files after a step that changed some, or of the beginning of a session before any did:
 * what `snapshot` and `hash` of its parts say. It names the journal up to there, so nothing is stored for it.
 */
export const snapshotAfter = (id: string): string => `snp${id.slice(id.indexOf("_"))}`

/** The state of the files as the session's journal has it now. */
export const currentSnapshot = (store: Store, sessionID: string): string =>
  snapshotAfter(store.read.lastChanged(sessionID) ?? sessionID)

/**
 * What the end of a step says about the files that it changed: nothing when there are none. Comes last among the events
 * of that end, since it is added to the session as the others leave it. With `partID` the step gets a `patch` part too.
 */
export function stepFiles(store: Store, message: AssistantMessage, partID?: () => string): DurableEvent[] {
  const entries = store.read.changes({ messageID: message.id })
  if (entries.length === 0) return []
  const { id: messageID, sessionID, parentID, path } = message
  const files = filesOf(entries, path.root)
  const patch = partID && {
    id: partID(),
    sessionID,
    messageID,
    type: "patch" as const,
    hash: snapshotAfter(messageID),
    files: [...new Set(entries.map((entry) => entry.path))],
  }
  const time = message.time.completed ?? message.time.created
  return [
    ...(patch ? [{ type: "message.part.updated" as const, properties: { sessionID, part: patch, time } }] : []),
    { type: "session.step.changed", properties: { sessionID, messageID, parentID, files } },
  ]
}

/** A line for each file: what its changes make together. One that is as it was before the step is left out. */
export function filesOf(entries: readonly JournalEntry[], worktree: string): ChangedFile[] {
  return [...Map.groupBy(entries, ({ path }) => path)].flatMap(([path, changes]) => {
    const before = changes[0]?.before
    const after = changes.at(-1)?.after
    if (!before || !after || JSON.stringify(before) === JSON.stringify(after)) return []
    const status = before.kind === "absent" ? "added" : after.kind === "absent" ? "deleted" : "modified"
    const sum = (of: "additions" | "deletions") => changes.reduce((lines, change) => lines + change[of], 0)
    const file = contains(worktree, path) ? relative(worktree, path) : path
    return [{ file, additions: sum("additions"), deletions: sum("deletions"), status }]
  })
}
