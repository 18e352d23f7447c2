import { z } from "zod"
import { PermissionID, SessionID } from "../id.ts"
import { PermissionReply, PermissionRequest } from "../permission.ts"
import { operationGroup } from "./define.ts"

export const permissionOperations = operationGroup({
  "permission.list": {
    method: "GET",
    path: "/permission",
    summary: "Asks that wait for an answer, oldest first",
    response: z.array(PermissionRequest),
    reach: "directory",
    changes: false,
  },
  "permission.reply": {
    method: "POST",
    path: "/permission/{requestID}/reply",
    summary: "Answers an ask",
    params: z.object({ requestID: PermissionID }),
    body: PermissionReply,
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404],
  },
  "permission.respond": {
    method: "POST",
    path: "/session/{sessionID}/permissions/{permissionID}",
    summary: "Answers an ask; the older way",
    params: z.object({ sessionID: SessionID, permissionID: PermissionID }),
    body: z.object({ response: PermissionReply.shape.reply }),
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404],
  },
})
