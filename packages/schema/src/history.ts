import { z } from "zod"
import { ChangeID, MessageID } from "./id.ts"

/** What stands at a path. `mode` has the permission bits only; `reason` says in words why nothing could be kept. */
export const FileState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("absent") }),
  z.object({
    kind: z.literal("file"),
    /** SHA-256 of the content, as hex. */
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    size: z.number().int().nonnegative(),
    mode: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal("symlink"), target: z.string() }),
  z.object({ kind: z.literal("not_covered"), reason: z.string() }),
])
export type FileState = z.infer<typeof FileState>

/**
 * One path that a call changed, or was about to: stored before the write, so that it can be taken back whatever happens
 * then. Stored again under the same id when it turned out otherwise; a change that did not happen has `after` as `before`.
 */
export const FileChange = z.object({
  id: ChangeID,
  /** Absolute and real. */
  path: z.string(),
  before: FileState,
  after: FileState,
  /** Lines; 0 for what is no text. */
  additions: z.number().int().nonnegative(),
  deletions: z.number().int().nonnegative(),
  /** The topmost directory that had to be made for the file. */
  madeDirectory: z.string().optional(),
})
export type FileChange = z.infer<typeof FileChange>

/** A change as it stands in the journal of its session: which step made it, and by which call. */
export const JournalEntry = FileChange.extend({ messageID: MessageID, callID: z.string() })
export type JournalEntry = z.infer<typeof JournalEntry>
