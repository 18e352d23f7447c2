import type { DurableEvent, TransientEvent } from "@cairn/schema/event"
import type { AssistantMessage, UserMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part, TextPart } from "@cairn/schema/part"
import type { Session } from "@cairn/schema/session"

/** Events with every required field, for tests that care for a few of them. */

const sessionInfo = (id: string, directory: string, more: Partial<Session> = {}): Session => ({
  ...{ id, directory, slug: "quiet-hill", projectID: `project of ${directory}`, title: "A title", version: "test" },
  time: { created: 1, updated: 1 },
  ...more,
})

export const created = (id: string, directory: string): DurableEvent => ({
  type: "session.created",
  properties: { sessionID: id, info: sessionInfo(id, directory) },
})

export const renamed = (id: string, directory: string, title: string): DurableEvent => ({
  type: "session.updated",
  properties: { sessionID: id, info: sessionInfo(id, directory, { title }) },
})

export const deleted = (id: string, directory: string): DurableEvent => ({
  type: "session.deleted",
  properties: { sessionID: id, info: sessionInfo(id, directory) },
})

export const user = (sessionID: string, id: string): UserMessage => ({
  ...{ id, sessionID, role: "user", agent: "build" },
  time: { created: 1 },
  model: { providerID: "demo", modelID: "tour" },
})

export const assistant = (sessionID: string, id: string, parentID = "msg_0"): AssistantMessage => ({
  ...{ id, sessionID, parentID, role: "assistant", mode: "build", agent: "build", modelID: "tour", providerID: "demo" },
  time: { created: 1 },
  path: { cwd: "/repo", root: "/repo" },
  cost: 0,
  tokens: noTokens(),
})

export const message = (info: UserMessage | AssistantMessage): DurableEvent => ({
  type: "message.updated",
  properties: { sessionID: info.sessionID, info },
})

/** A text that grows: `end` closes it. */
export const growing = (
  sessionID: string,
  messageID: string,
  id: string,
  { text = "", end }: { text?: string; end?: number } = {},
): TextPart => ({
  ...{ id, sessionID, messageID, type: "text", text },
  time: { start: 1, ...(end !== undefined && { end }) },
})

export const part = (value: Part): DurableEvent => ({
  type: "message.part.updated",
  properties: { sessionID: value.sessionID, part: value, time: 1 },
})

export const piece = (of: TextPart, text: string, offset: number) => ({
  type: "message.part.delta" as const,
  properties: { sessionID: of.sessionID, messageID: of.messageID, partID: of.id, field: "text", delta: text, offset },
})

export const turnStarted = (sessionID: string, runID: string): DurableEvent => ({
  type: "session.turn.started",
  properties: { sessionID, runID, time: 1 },
})

export const turnEnded = (sessionID: string, runID: string): DurableEvent => ({
  type: "session.turn.ended",
  properties: { sessionID, runID, time: 2, reason: "done" },
})

export const status = (sessionID: string, type: "busy" | "idle"): TransientEvent => ({
  type: "session.status",
  properties: { sessionID, status: { type } },
})

export const asked = (sessionID: string, id: string): DurableEvent => ({
  type: "permission.asked",
  properties: { id, sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: [] },
})

export const replied = (sessionID: string, requestID: string): DurableEvent => ({
  type: "permission.replied",
  properties: { sessionID, requestID, reply: "once" },
})

export const questioned = (sessionID: string, id: string): DurableEvent => ({
  type: "question.asked",
  properties: { id, sessionID, questions: [{ question: "Which?", header: "Which", options: [] }] },
})
