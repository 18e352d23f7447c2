import { z } from "zod"
import { Session } from "./session.ts"

/** Of the whole session, of a message (for a user message the steps that answer it), or between two snapshots of its parts. */
export type DiffInput = { readonly messageID?: string } | { readonly from: string; readonly to: string }

/** What was changed in a file. `from` is the name that it had before it was renamed. */
export interface FileDiffReport {
  readonly file: string
  readonly from?: string
  readonly status: "added" | "deleted" | "modified"
  readonly additions: number
  readonly deletions: number
  /** Unified; what shows in no line (a mode, a binary content, a rename) is said above it. */
  readonly patch: string
}

/** Where to go back to, and how much of it. */
export interface RevertInput {
  /** The first message or part that is taken back, by its id. */
  readonly to: string
  /** Only these paths and what lies below them, absolute or relative to the session's directory. */
  readonly paths?: readonly string[]
  /** By path as it is shown, or absolute: only these hunks of its patch, from 0. */
  readonly hunks?: Readonly<Record<string, readonly number[]>>
  /** Only says what would be done. */
  readonly dryRun?: boolean
}

/** What is done with one file. Nothing is done to one with a conflict, or that is not covered; `reason` says why. */
export const RevertedFileReport = z.object({
  /** The path below the worktree, or the whole one outside of it. */
  file: z.string(),
  path: z.string(),
  action: z.enum(["restore", "delete", "merge", "conflict", "not_covered"]),
  reason: z.string().optional(),
  /** From what is there to what will be. */
  additions: z.number(),
  deletions: z.number(),
  patch: z.string(),
})
export type RevertedFileReport = Readonly<z.infer<typeof RevertedFileReport>>

/** A revert or unrevert, done or previewed. Files that are what they should be already are not in it. */
export const RevertReport = z.object({
  dryRun: z.boolean(),
  session: Session,
  files: z.array(RevertedFileReport).readonly(),
  /** Messages that are hidden until the next prompt, which removes them; those that come back, for an unrevert. */
  messages: z.number(),
  notes: z.array(z.string()).readonly(),
})
export type RevertReport = Readonly<z.infer<typeof RevertReport>>
