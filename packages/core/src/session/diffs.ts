import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { JournalEntry } from "@cairn/schema/history"
import type { MessageWithParts } from "@cairn/schema/message"
import type { DiffInput, FileDiffReport } from "@cairn/schema/revert"
import type { Store } from "../store/store.ts"
import { shownPath } from "../workspace/files.ts"
import type { BlobStore } from "../workspace/history/blob-store.ts"
import { diffChanges } from "../workspace/history/file-diff.ts"
import { contentsOf } from "../workspace/history/plan-revert.ts"
import { pathShown } from "./revert-report.ts"
import { visible } from "./revert-point.ts"
import { snapshotAfter } from "./step-files.ts"

export interface DiffDeps {
  readonly store: Store
  readonly blobs: Pick<BlobStore, "get">
  readonly worktree: string
}

/** What a session changed in files, or one answer, one step, or what lies between two snapshots. What is reverted is left out. */
export async function sessionDiff(
  { store, blobs, worktree }: DiffDeps,
  sessionID: string,
  input: DiffInput,
): Promise<Result<FileDiffReport[], SetupError>> {
  const session = store.read.session(sessionID)
  if (!session) return err(problem(`There is no session ${sessionID}.`))
  const messages = visible(store.read.messages(sessionID), session.revert)
  const shown = entriesOf(messages, store.read.changes({ sessionID }))
  const chosen = choose(sessionID, messages, shown, input)
  if (!chosen.ok) return chosen
  const read = contentsOf("", {
    currentBytes: async () => err("it is not on the disk"),
    stored: (state) => blobs.get(state),
  })
  const diffs = await diffChanges(chosen.value, (path) => pathShown(path, worktree), read)
  // By their names: writes of one step end in any order.
  const sorted = diffs.toSorted((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)))
  return ok(sorted.map(({ hunks: _, ...diff }) => diff))
}

/** The entries of the calls that are visible. */
function entriesOf(messages: readonly MessageWithParts[], entries: readonly JournalEntry[]): JournalEntry[] {
  const calls = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" ? [keyOf(part)] : []))),
  )
  return entries.filter((entry) => calls.has(keyOf(entry)))
}

const keyOf = ({ messageID, callID }: { readonly messageID: string; readonly callID: string }) =>
  `${messageID} ${callID}`

function choose(
  sessionID: string,
  messages: readonly MessageWithParts[],
  entries: readonly JournalEntry[],
  input: DiffInput,
): Result<readonly JournalEntry[], SetupError> {
  if ("from" in input) {
    const [from, to] = [
      positionOf(sessionID, messages, entries, input.from),
      positionOf(sessionID, messages, entries, input.to),
    ]
    const missing = from === undefined ? input.from : to === undefined ? input.to : undefined
    if (missing !== undefined) return err(problem(`Session ${sessionID} has no snapshot ${missing}.`))
    return ok(entries.slice(from, to))
  }
  const { messageID } = input
  if (messageID === undefined) return ok(entries)
  const message = messages.find(({ info }) => info.id === messageID)?.info
  if (!message) return err(problem(`Session ${sessionID} has no message ${shownPath(messageID)}.`))
  const answers = messages.filter(({ info }) => info.role === "assistant" && info.parentID === messageID)
  const steps = new Set(message.role === "user" ? answers.map(({ info }) => info.id) : [messageID])
  return ok(entries.filter((entry) => steps.has(entry.messageID)))
}

/** How many entries lie before a snapshot; undefined when the session has none of that name. */
function positionOf(
  sessionID: string,
  messages: readonly MessageWithParts[],
  entries: readonly JournalEntry[],
  snapshot: string,
): number | undefined {
  if (snapshot === snapshotAfter(sessionID)) return 0
  if (!messages.some(({ info }) => snapshotAfter(info.id) === snapshot)) return undefined
  return entries.findLastIndex(({ messageID }) => snapshotAfter(messageID) === snapshot) + 1
}

const problem = (message: string): SetupError => ({ kind: "session", message })
