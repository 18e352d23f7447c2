import type { DurableEvent } from "@cairn/schema/event"
import type { PermissionReply, PermissionRequest, PermissionRuleset } from "@cairn/schema/permission"
import type { Ask } from "./ask.ts"
import { evaluate, type Subject, subjectOf } from "./rule.ts"

/** What `always` has approved so far. They turn an ask into allow, and never touch a deny. */
export interface Approvals {
  readonly session: PermissionRuleset
  /** Approved for the whole project, in whatever session. */
  readonly project: PermissionRuleset
}

/** The approvals that a session's log holds, and the requests that nobody has answered. Pure. */
export function foldApprovals(events: Iterable<DurableEvent>): Approvals & { readonly pending: PermissionRequest[] } {
  const asked = new Map<string, PermissionRequest>()
  const given = new Map<string, { readonly request: PermissionRequest; readonly reply: PermissionReply }>()
  for (const event of events) {
    if (event.type === "permission.asked") asked.set(event.properties.id, event.properties)
    if (event.type === "permission.removed") given.delete(event.properties.requestID)
    if (event.type !== "permission.replied") continue
    const { requestID, ...reply } = event.properties
    const request = asked.get(requestID)
    asked.delete(requestID)
    if (request && reply.reply === "always") given.set(requestID, { request, reply })
  }
  return { ...approvalsIn([...given.values()]), pending: [...asked.values()] }
}

/** The approvals among stored requests that were answered `always`: those of the session itself, and those of its project. */
export function approvalsIn(
  stored: readonly { readonly request: PermissionRequest; readonly reply: PermissionReply }[],
): Approvals {
  const rules = (scope: "session" | "project") =>
    stored.filter(({ reply }) => (reply.scope ?? "session") === scope).flatMap(({ request }) => approvalOf(request))
  return { session: rules("session"), project: rules("project") }
}

/** The rules that approving a request for good adds. */
function approvalOf(request: Pick<PermissionRequest, "permission" | "always">): PermissionRuleset {
  return request.always.map((pattern) => ({ permission: request.permission, pattern, action: "allow" }))
}

/**
 * True when approvals cover everything of an ask that `allowed` does not. What is opaque or protected is never covered,
 * and where something must be asked for, all of it has to be approved.
 */
export function approved(
  ask: Ask,
  approvals: PermissionRuleset,
  worktree: string,
  allowed: (pattern: string) => boolean = () => false,
): boolean {
  if (ask.opaque || ask.mustAsk?.protected || ask.patterns.length === 0 || approvals.length === 0) return false
  const own = approvals.filter((one) => one.permission === ask.permission)
  return ask.patterns.every((pattern) => {
    if (!ask.mustAsk && allowed(pattern)) return true
    const covers = (subject: Subject) => evaluate(ask.permission, subject, own).action === "allow"
    const parts = ask.commands?.filter((part) => part.text === pattern) ?? []
    if (parts.length > 0) return parts.every((part) => part.named.some(covers))
    return covers(subjectOf(ask.permission, pattern, worktree))
  })
}
