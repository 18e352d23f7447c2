import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { PermissionApproval } from "@cairn/schema/permission"
import type { ApprovalFilter } from "@cairn/schema/engine"
import type { Store } from "../store/store.ts"

/** What was approved for good in these projects, oldest first: all of it, or only of one scope or session. */
export function listApprovals(
  store: Store,
  projects: readonly string[],
  { scope, sessionID }: ApprovalFilter = {},
): PermissionApproval[] {
  return store.read
    .allApprovals(projects)
    .map(({ request, reply }): PermissionApproval => {
      const { id, sessionID: given, permission, always } = request
      return { id, sessionID: given, scope: reply.scope ?? "session", permission, patterns: always }
    })
    .filter((one) => scope === undefined || one.scope === scope)
    .filter((one) => sessionID === undefined || one.sessionID === sessionID)
}

/**
 * Takes approvals back, for every process from its next ask on. When one of the ids is none of these projects, nothing
 * is changed. One that somebody else takes back at the same time is as it should be.
 */
export function removeApprovals(
  store: Store,
  projects: readonly string[],
  ids: readonly string[],
): Result<PermissionApproval[], SetupError> {
  const given = new Map(listApprovals(store, projects).map((one) => [one.id, one]))
  const unknown = ids.filter((id) => !given.has(id))
  if (unknown.length > 0) return err({ kind: "usage", message: unknownText(unknown) })
  const removed = [...new Set(ids)].map((id) => given.get(id)!)
  for (const { id, sessionID } of removed) {
    store.derive(sessionID, () => {
      const holds = store.read.approvals(sessionID, []).some(({ request }) => request.id === id)
      return holds ? [{ type: "permission.removed", properties: { sessionID, requestID: id } }] : []
    })
  }
  return ok(removed)
}

const unknownText = (ids: readonly string[]): string =>
  `Nothing is approved in this project by ${ids.join(", ")}, and nothing was changed. "cairn permission list" shows what is.`
