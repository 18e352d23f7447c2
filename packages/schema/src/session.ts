import { z } from "zod"
import { MessageID, PartID, SessionID, WorkspaceID } from "./id.ts"
import { Tokens } from "./model.ts"
import { PermissionRuleset } from "./permission.ts"

/** What changed in a file, with a unified patch. */
export const SnapshotFileDiff = z.object({
  file: z.string().optional(),
  patch: z.string().optional(),
  additions: z.number(),
  deletions: z.number(),
  status: z.enum(["added", "deleted", "modified"]).optional(),
})
export type SnapshotFileDiff = z.infer<typeof SnapshotFileDiff>

/** What a step changed in a file, without the patch. `file` is the path below the worktree, or the whole one outside of it. */
export const ChangedFile = SnapshotFileDiff.omit({ patch: true }).required()
export type ChangedFile = z.infer<typeof ChangedFile>

export const Session = z.object({
  id: SessionID,
  slug: z.string(),
  projectID: z.string(),
  workspaceID: WorkspaceID.optional(),
  directory: z.string(),
  path: z.string().optional(),
  parentID: SessionID.optional(),
  summary: z
    .object({
      additions: z.number(),
      deletions: z.number(),
      files: z.number(),
      diffs: z.array(SnapshotFileDiff).optional(),
    })
    .optional(),
  cost: z.number().optional(),
  tokens: Tokens.omit({ total: true }).optional(),
  share: z.object({ url: z.string() }).optional(),
  title: z.string(),
  agent: z.string().optional(),
  model: z.object({ id: z.string(), providerID: z.string(), variant: z.string().optional() }).optional(),
  version: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  time: z.object({
    created: z.number().int(),
    updated: z.number().int(),
    compacting: z.number().int().optional(),
    archived: z.number().optional(),
  }),
  permission: PermissionRuleset.optional(),
  revert: z
    .object({
      messageID: MessageID,
      partID: PartID.optional(),
      snapshot: z.string().optional(),
      diff: z.string().optional(),
    })
    .optional(),
})
export type Session = z.infer<typeof Session>

/** What a session does right now. `retry.next` is the time of the next try, in ms since the epoch. */
export const SessionStatus = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({
    type: z.literal("retry"),
    attempt: z.number().int(),
    message: z.string(),
    action: z
      .object({
        reason: z.string(),
        provider: z.string(),
        title: z.string(),
        message: z.string(),
        label: z.string(),
        link: z.string().optional(),
      })
      .optional(),
    next: z.number().int(),
  }),
  z.object({ type: z.literal("busy") }),
])
export type SessionStatus = z.infer<typeof SessionStatus>

/** Which sessions a list has. */
export interface SessionFilter {
  /** `directory`: this directory, and those of the project that no longer exist. `project`: every directory of it. */
  readonly scope: "directory" | "project"
  readonly limit?: number
  /** This directory and those below it. */
  readonly below?: string
  /** Without those that were begun from another one. */
  readonly roots?: boolean
  /** Stands in the title, whatever its case. */
  readonly search?: string
  /** Used at this time or later (ms since the epoch). */
  readonly since?: number
  /** Only what follows this one in the list: `time.updated` and `id` of the last session of the page before. */
  readonly after?: { readonly updated: number; readonly id: string }
}
