import { z } from "zod"
import { MessageID, PartID, SessionID } from "../id.ts"
import { MessageWithParts } from "../message.ts"
import { Part } from "../part.ts"
import { largeBody, operationGroup } from "./define.ts"

const message = z.object({ sessionID: SessionID, messageID: MessageID })
const part = message.extend({ partID: PartID })

/** What a person does by hand in a session. */
export const editOperations = operationGroup({
  "session.deleteMessage": {
    method: "DELETE",
    path: "/session/{sessionID}/message/{messageID}",
    summary: "Takes a message with its parts out of an idle session",
    params: message,
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404, 409],
  },
  "part.delete": {
    method: "DELETE",
    path: "/session/{sessionID}/message/{messageID}/part/{partID}",
    summary: "Takes a part out of a message of an idle session",
    params: part,
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404, 409],
  },
  "part.update": {
    method: "PATCH",
    path: "/session/{sessionID}/message/{messageID}/part/{partID}",
    summary: "Replaces a part of an idle session by another one of its type",
    params: part,
    body: Part,
    response: Part,
    reach: "directory",
    changes: true,
    bodyLimit: largeBody,
    errors: [404, 409],
  },
  "session.shell": {
    method: "POST",
    path: "/session/{sessionID}/shell",
    summary: "Runs a command line of the user's own; the model sees it from the next prompt on",
    params: z.object({ sessionID: SessionID }),
    body: z.object({
      messageID: MessageID.optional(),
      agent: z.string().optional(),
      model: z.object({ providerID: z.string(), modelID: z.string() }).optional(),
      command: z.string().min(1),
    }),
    response: MessageWithParts,
    reach: "directory",
    changes: true,
    long: true,
    errors: [404, 409],
  },
})
