import { z } from "zod"
import { MessageError } from "./error.ts"
import { EventID, InboxID, MessageID, PartID, PermissionID, QuestionID, RevertID, SessionID } from "./id.ts"
import { FileChange, RevertRecord } from "./history.ts"
import { Message } from "./message.ts"
import { Spending } from "./model.ts"
import { Part, ToolPart } from "./part.ts"
import { PermissionReply, PermissionRequest } from "./permission.ts"
import { Project } from "./project.ts"
import { InboxItem } from "./prompt.ts"
import { QuestionAnswer, QuestionRequest } from "./question.ts"
import { ChangedFile, Session, SessionStatus } from "./session.ts"
import { Todo } from "./todo.ts"

const event = <T extends string, P extends z.ZodRawShape>(type: T, properties: P) =>
  z.object({ type: z.literal(type), properties: z.object(properties) })

const delta = { sessionID: SessionID, messageID: MessageID, partID: PartID, field: z.string(), delta: z.string() }

/** How a turn ended. `reason` is for programs, `error` as on the assistant message. */
export const TurnEnd = z.enum([
  "done",
  "aborted",
  "error",
  "rejected",
  "loop_guard",
  "step_limit",
  "budget",
  "interrupted_by_restart",
])
export type TurnEnd = z.infer<typeof TurnEnd>

/**
 * The durable events: the log. Only `store.append` writes them, projectors turn them into rows.
 * Names without the original's counterpart (`session.turn.*`, `session.inbox.*`, `session.spent`) are additions.
 */
export const DurableEvent = z.discriminatedUnion("type", [
  event("session.created", { sessionID: SessionID, info: Session }),
  event("session.updated", { sessionID: SessionID, info: Session }),
  /** What it cost stays; what was said goes. */
  event("session.deleted", { sessionID: SessionID, info: Session, spent: z.array(Spending).optional() }),
  /** A call beside the conversation (a title): what it cost, since no message says so. */
  event("session.spent", { sessionID: SessionID, spent: Spending }),
  event("session.turn.started", { sessionID: SessionID, runID: z.string(), time: z.number().int() }),
  event("session.turn.ended", {
    sessionID: SessionID,
    runID: z.string(),
    time: z.number().int(),
    reason: TurnEnd,
    error: MessageError.optional(),
  }),
  event("session.inbox.added", { sessionID: SessionID, item: InboxItem }),
  event("session.inbox.updated", { sessionID: SessionID, item: InboxItem }),
  event("session.inbox.removed", {
    sessionID: SessionID,
    inboxID: InboxID,
    reason: z.enum(["delivered", "cancelled"]),
  }),
  event("message.updated", { sessionID: SessionID, info: Message }),
  event("message.removed", { sessionID: SessionID, messageID: MessageID }),
  event("message.part.updated", { sessionID: SessionID, part: Part, time: z.number().int() }),
  event("message.part.delta", { ...delta, offset: z.number().int().nonnegative() }),
  event("message.part.removed", { sessionID: SessionID, messageID: MessageID, partID: PartID }),
  /** What a call is about to change in files, before it does. The contents that it names are stored by then. */
  event("session.file.changed", {
    sessionID: SessionID,
    messageID: MessageID,
    callID: z.string(),
    changes: z.array(FileChange),
  }),
  /** Comes with the end of a step that changed files. `parentID` is the user message that the step answers. */
  event("session.step.changed", {
    sessionID: SessionID,
    messageID: MessageID,
    parentID: MessageID,
    files: z.array(ChangedFile),
  }),
  /** A revert or unrevert is about to touch files. The contents that it names are stored by then. */
  event("session.revert.begun", { sessionID: SessionID, revert: RevertRecord }),
  /** It is over. `rolled_back`: no file is changed. `left` are paths that somebody changed meanwhile: they are as they were. */
  event("session.revert.ended", {
    sessionID: SessionID,
    revertID: RevertID,
    time: z.number().int(),
    outcome: z.enum(["done", "rolled_back"]),
    left: z.array(z.string()),
  }),
  /** What was reverted is gone for good: a new prompt came. */
  event("session.revert.cleared", { sessionID: SessionID }),
  event("permission.asked", PermissionRequest.shape),
  event("permission.replied", {
    sessionID: SessionID,
    requestID: PermissionID,
    reply: PermissionReply.shape.reply,
    message: PermissionReply.shape.message,
    scope: PermissionReply.shape.scope,
    hunks: PermissionReply.shape.hunks,
  }),
  /** An `always` holds no longer: what is left of it is the one call that it answered. */
  event("permission.removed", { sessionID: SessionID, requestID: PermissionID }),
  event("question.asked", QuestionRequest.shape),
  event("question.replied", { sessionID: SessionID, requestID: QuestionID, answers: z.array(QuestionAnswer) }),
  event("question.rejected", { sessionID: SessionID, requestID: QuestionID }),
  event("todo.updated", { sessionID: SessionID, todos: z.array(Todo) }),
  event("project.updated", Project.shape),
])
export type DurableEvent = z.infer<typeof DurableEvent>
export type DurableType = DurableEvent["type"]

/** A durable event as it stands in the log. `seq` orders all events of the file, `id` is for the wire. */
export const LogEntry = z.object({
  seq: z.number().int(),
  id: EventID,
  /** The session that the event belongs to; for `project.updated` the project's id. */
  sessionID: z.string(),
  time: z.number().int(),
  event: DurableEvent,
})
export type LogEntry = z.infer<typeof LogEntry>

/** Events that are published but not stored: what a client may miss without losing anything. */
export const TransientEvent = z.discriminatedUnion("type", [
  /** `offset` is where it belongs in the part's text, in UTF-16 units; ours beside the original's. */
  event("message.part.delta", { ...delta, offset: z.number().int().nonnegative().optional() }),
  /** Progress of a running tool, at most ten a second; the last state is stored with the tool's end. */
  event("message.part.updated", { sessionID: SessionID, part: ToolPart, time: z.number().int() }),
  event("session.status", { sessionID: SessionID, status: SessionStatus }),
  event("session.idle", { sessionID: SessionID }),
  event("session.compacted", { sessionID: SessionID }),
  event("session.error", { sessionID: SessionID.optional(), error: MessageError.optional() }),
])
export type TransientEvent = z.infer<typeof TransientEvent>

/** What subscribers of the bus receive. `seq` is present for what stands in the log. */
export type BusEvent =
  | ({ readonly id: string; readonly seq: number } & DurableEvent)
  | ({ readonly id: string; readonly seq?: undefined } & TransientEvent)
