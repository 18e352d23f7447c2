import { z } from "zod"
import { MessageID, PartID, SessionID } from "../id.ts"
import { RevertReport } from "../revert.ts"
import { Session, SnapshotFileDiff } from "../session.ts"
import { operationGroup } from "./define.ts"

const params = z.object({ sessionID: SessionID })

/** `paths`, `hunks` and `dryRun` are ours: how much is taken back, and whether that is only shown. */
export const RevertBody = z.object({
  messageID: MessageID,
  partID: PartID.optional(),
  paths: z.array(z.string()).optional(),
  hunks: z.record(z.string(), z.array(z.number().int().nonnegative())).optional(),
  dryRun: z.boolean().optional(),
})

/** The session, and beside the original's fields what was done or would be. */
const RevertedSession = Session.extend({ report: RevertReport.omit({ session: true }) })
export type RevertedSession = z.infer<typeof RevertedSession>

/** What was changed in files, and how it is taken back. */
export const undoOperations = operationGroup({
  "session.diff": {
    method: "GET",
    path: "/session/{sessionID}/diff",
    summary: "What the session changed in files, or one message of it, or what lies between two snapshots",
    params,
    query: z.object({
      messageID: MessageID.optional(),
      from: z.string().optional(),
      to: z.string().optional(),
    }),
    response: z.array(SnapshotFileDiff.extend({ from: z.string().optional() })),
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "session.revert": {
    method: "POST",
    path: "/session/{sessionID}/revert",
    summary: "Takes back what the session did from a message or part on",
    params,
    body: RevertBody,
    response: RevertedSession,
    reach: "directory",
    changes: true,
    long: true,
    errors: [404, 409],
  },
  "session.unrevert": {
    method: "POST",
    path: "/session/{sessionID}/unrevert",
    summary: "Brings back all that is reverted",
    params,
    body: z.object({ dryRun: z.boolean().optional() }).optional(),
    response: RevertedSession,
    reach: "directory",
    changes: true,
    long: true,
    errors: [404, 409],
  },
})
