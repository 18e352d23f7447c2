import { z } from "zod"
import { PermissionID, SessionID } from "./id.ts"

export const PermissionAction = z.enum(["allow", "ask", "deny"])
export type PermissionAction = z.infer<typeof PermissionAction>

/** One rule. In a list the last rule whose permission and pattern match decides. */
export const PermissionRule = z.object({ permission: z.string(), pattern: z.string(), action: PermissionAction })
export type PermissionRule = z.infer<typeof PermissionRule>
export const PermissionRuleset = z.array(PermissionRule)
export type PermissionRuleset = z.infer<typeof PermissionRuleset>

/** One part of what is asked (a command of a line, a path): why it is asked. `metadata.parts` of a request is a list of these. */
export const PermissionPart = z.object({
  text: z.string(),
  verdict: PermissionAction,
  rule: PermissionRule.optional(),
  reason: z.string(),
  destructive: z.boolean().optional(),
})
export type PermissionPart = z.infer<typeof PermissionPart>

/** A stretch of an edit that may be approved by itself. `metadata.hunks` of a request is a list of these, in the order of `metadata.diff`. */
export const PermissionHunk = z.object({
  /** What a reply names it by, from 0; counted through all files of the request. */
  number: z.number().int().nonnegative(),
  file: z.string(),
  /** As in the diff: `@@ -1,3 +1,4 @@`; `whole file` for a move, or what cannot be shown by lines. */
  header: z.string(),
})
export type PermissionHunk = z.infer<typeof PermissionHunk>

export const PermissionRequest = z.object({
  id: PermissionID,
  sessionID: SessionID,
  permission: z.string(),
  patterns: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  always: z.array(z.string()),
  tool: z.object({ messageID: z.string(), callID: z.string() }).optional(),
})
export type PermissionRequest = z.infer<typeof PermissionRequest>

/** What was approved for good, until it is removed. */
export const PermissionApproval = z.object({
  /** Of the request that was answered `always`. */
  id: PermissionID,
  /** The session in which it was given: where it holds, unless it holds for the project. */
  sessionID: SessionID,
  scope: z.enum(["session", "project"]),
  permission: z.string(),
  patterns: z.array(z.string()),
})
export type PermissionApproval = z.infer<typeof PermissionApproval>

/** The answer to a request. `message` reaches the model; `scope` says how long `always` holds; `hunks` narrows an edit to these: none of them is a reject. */
export const PermissionReply = z.object({
  reply: z.enum(["once", "always", "reject"]),
  message: z.string().optional(),
  scope: z.enum(["session", "project"]).optional(),
  hunks: z.array(z.number().int().nonnegative()).optional(),
})
export type PermissionReply = z.infer<typeof PermissionReply>

/** Who answers: a client (`wait`), nobody (`deny`), or yes where that may be (`auto`), and nobody otherwise. */
export type AskMode = "wait" | "deny" | "auto"

/** Why a reply answered nothing: no such ask waits here, or it names hunks that the ask has not. */
export interface ReplyProblem {
  readonly kind: "unknown" | "hunks"
  readonly message: string
}
