import { z } from "zod"
import { ChangeID, MessageID, PartID, RevertID } from "./id.ts"

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
  /** What is in it are paths of their own. */
  z.object({ kind: z.literal("directory") }),
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

/** What a revert does with one path, and what it was before: `before` is what the user had, `after` what it gets. */
export const RevertedFile = FileChange.pick({ path: true, before: true, after: true, madeDirectory: true })
export type RevertedFile = z.infer<typeof RevertedFile>

/**
 * One revert, or one unrevert, as the log has it. It is appended before the first file is touched, so that one that was
 * cut short can be finished: until `ended` is there, each file is as in `before` or as in `after`.
 */
export const RevertRecord = z.object({
  id: RevertID,
  kind: z.enum(["revert", "unrevert"]),
  /** The first message that is taken back, or the first part of it. */
  messageID: MessageID,
  partID: PartID.optional(),
  files: z.array(RevertedFile),
  ended: z.number().int().optional(),
})
export type RevertRecord = z.infer<typeof RevertRecord>

export interface Counted {
  readonly blobs: number
  /** Bytes on the disk. */
  readonly bytes: number
}

/** What a collection found, and took away unless it only looked. */
export interface Collected {
  readonly before: Counted
  /** Named by nothing any more. */
  readonly unreferenced: Counted
  /** Of the sessions that were used longest ago, for room. */
  readonly evicted: Counted & { readonly sessions: number }
  /** What dead processes left half-written. */
  readonly strays: number
}
