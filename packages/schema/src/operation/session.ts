import { z } from "zod"
import { MessageID, SessionID } from "../id.ts"
import { MessageWithParts, OutputFormat } from "../message.ts"
import { PermissionRuleset } from "../permission.ts"
import { Delivery, PromptPart } from "../prompt.ts"
import { Session, SessionStatus } from "../session.ts"
import { Todo } from "../todo.ts"
import { largeBody, operationGroup } from "./define.ts"
import { count, cursor, flag, time } from "./query.ts"

const params = z.object({ sessionID: SessionID })
const model = z.object({ providerID: z.string(), modelID: z.string() })

export const SessionCreate = z.object({
  parentID: SessionID.optional(),
  title: z.string().optional(),
  agent: z.string().optional(),
  model: z.object({ id: z.string(), providerID: z.string(), variant: z.string().optional() }).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  permission: PermissionRuleset.optional(),
})
export type SessionCreate = z.infer<typeof SessionCreate>

export const SessionChange = z.object({
  title: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  permission: PermissionRuleset.optional(),
  time: z.object({ archived: z.number().optional() }).optional(),
})
export type SessionChange = z.infer<typeof SessionChange>

/** A prompt as it comes over the wire. */
export const PromptBody = z.object({
  messageID: MessageID.optional(),
  model: model.optional(),
  agent: z.string().optional(),
  noReply: z.boolean().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  format: OutputFormat.optional(),
  system: z.string().optional(),
  variant: z.string().optional(),
  /** Ours: whether it enters the running turn or is one of its own; `steer` when absent. */
  delivery: Delivery.optional(),
  parts: z.array(PromptPart),
})
export type PromptBody = z.infer<typeof PromptBody>

export const sessionOperations = operationGroup({
  "session.list": {
    method: "GET",
    path: "/session",
    summary: "Sessions of the directory or of its project, the one used last first",
    query: z.object({
      scope: z.enum(["project"]).optional(),
      path: z.string().optional(),
      roots: flag.optional(),
      start: time.optional(),
      search: z.string().optional(),
      limit: count.optional(),
      cursor: cursor.optional(),
    }),
    response: z.array(Session),
    reach: "directory",
    changes: false,
    paged: true,
  },
  "session.create": {
    method: "POST",
    path: "/session",
    summary: "A new session in the directory",
    body: SessionCreate.optional(),
    response: Session,
    reach: "directory",
    changes: true,
  },
  "session.status": {
    method: "GET",
    path: "/session/status",
    summary: "What the sessions do right now; those that are not named are idle",
    response: z.record(z.string(), SessionStatus),
    reach: "directory",
    changes: false,
  },
  "session.get": {
    method: "GET",
    path: "/session/{sessionID}",
    summary: "One session",
    params,
    response: Session,
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "session.update": {
    method: "PATCH",
    path: "/session/{sessionID}",
    summary: "Changes the title, the metadata, the rules or the archive mark of a session",
    params,
    body: SessionChange,
    response: Session,
    reach: "directory",
    changes: true,
    errors: [404],
  },
  "session.delete": {
    method: "DELETE",
    path: "/session/{sessionID}",
    summary: "Removes a session and what was said in it; a run of it is aborted first",
    params,
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404, 409],
  },
  "session.children": {
    method: "GET",
    path: "/session/{sessionID}/children",
    summary: "Sessions that were begun from this one, the oldest first",
    params,
    response: z.array(Session),
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "session.messages": {
    method: "GET",
    path: "/session/{sessionID}/message",
    summary: "Messages with their parts, oldest first: the newest ones, or those before a cursor",
    params,
    query: z.object({ limit: count.optional(), before: cursor.optional() }),
    response: z.array(MessageWithParts),
    reach: "directory",
    changes: false,
    paged: true,
    errors: [404],
  },
  "session.message": {
    method: "GET",
    path: "/session/{sessionID}/message/{messageID}",
    summary: "One message with its parts",
    params: params.extend({ messageID: MessageID }),
    response: MessageWithParts,
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "session.prompt": {
    method: "POST",
    path: "/session/{sessionID}/message",
    summary:
      "Sends a prompt; answered when the turn has ended, with its last message; with `noReply` at once, with the prompt",
    params,
    body: PromptBody,
    response: MessageWithParts,
    reach: "directory",
    changes: true,
    long: true,
    bodyLimit: largeBody,
    errors: [404, 409],
  },
  "session.prompt_async": {
    method: "POST",
    path: "/session/{sessionID}/prompt_async",
    summary: "Sends a prompt; answered as soon as it is stored",
    params,
    body: PromptBody,
    reach: "directory",
    changes: true,
    bodyLimit: largeBody,
    errors: [404, 409],
  },
  "session.todo": {
    method: "GET",
    path: "/session/{sessionID}/todo",
    summary: "What the session has on its list",
    params,
    response: z.array(Todo),
    reach: "directory",
    changes: false,
    errors: [404],
  },
  "session.fork": {
    method: "POST",
    path: "/session/{sessionID}/fork",
    summary: "Copies a session, up to a message that is not in the copy; files stay as they are",
    params,
    body: z.object({ messageID: MessageID.optional() }).optional(),
    response: Session,
    reach: "directory",
    changes: true,
    errors: [404],
  },
  "session.summarize": {
    method: "POST",
    path: "/session/{sessionID}/summarize",
    summary: "Replaces the older part of an idle session by a summary; false when the model gave none",
    params,
    // Without a model, the session's own sums up.
    body: z
      .object({ providerID: z.string().optional(), modelID: z.string().optional(), auto: z.boolean().optional() })
      .refine(({ providerID, modelID }) => (providerID === undefined) === (modelID === undefined), "name both or none")
      .optional(),
    response: z.boolean(),
    reach: "directory",
    changes: true,
    long: true,
    errors: [404, 409],
  },
  "session.abort": {
    method: "POST",
    path: "/session/{sessionID}/abort",
    summary: "Interrupts what the session does; answered when its end is recorded",
    params,
    response: z.boolean(),
    reach: "directory",
    changes: true,
    long: true,
    errors: [404],
  },
})
