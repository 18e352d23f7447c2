import { z } from "zod"
import { InboxID, SessionID } from "../id.ts"
import { InboxChange, InboxItem } from "../prompt.ts"
import { operationGroup } from "./define.ts"

const params = z.object({ sessionID: SessionID, inboxID: InboxID })

/** Prompts that were accepted and wait. */
export const inboxOperations = operationGroup({
  "session.inbox.list": {
    method: "GET",
    path: "/session/{sessionID}/inbox",
    summary: "Prompts that wait, in the order in which they will be taken",
    params: z.object({ sessionID: SessionID }),
    response: z.array(InboxItem),
    reach: "directory",
    changes: false,
    errors: [404],
    ours: true,
  },
  "session.inbox.update": {
    method: "PATCH",
    path: "/session/{sessionID}/inbox/{inboxID}",
    summary: "Changes, moves or holds back a prompt that waits",
    params,
    body: InboxChange,
    response: InboxItem,
    reach: "directory",
    changes: true,
    errors: [404],
    ours: true,
  },
  "session.inbox.remove": {
    method: "DELETE",
    path: "/session/{sessionID}/inbox/{inboxID}",
    summary: "Takes a prompt that waits back; it is never answered",
    params,
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404],
    ours: true,
  },
})
