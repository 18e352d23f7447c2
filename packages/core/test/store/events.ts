import type { DurableEvent } from "@cairn/schema/event"
import type { FileChange, FileState, RevertRecord } from "@cairn/schema/history"
import type { AssistantMessage, UserMessage } from "@cairn/schema/message"
import { noTokens, type Spending } from "@cairn/schema/model"
import type { Part, TextPart, ToolPart, ToolState } from "@cairn/schema/part"
import type { PermissionReply } from "@cairn/schema/permission"
import type { InboxItem } from "@cairn/schema/prompt"
import type { ChangedFile, Session } from "@cairn/schema/session"

/** Events with every required field, for tests that care for a few of them. Ids are given by the test. */

export const sessionInfo = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  slug: "quiet-hill",
  projectID: "project-1",
  directory: "/repo",
  title: "A title",
  version: "0.1.0",
  time: { created: 1, updated: 1 },
  ...more,
})

export const created = (id: string, more: Partial<Session> = {}): DurableEvent => ({
  type: "session.created",
  properties: { sessionID: id, info: sessionInfo(id, more) },
})

export const updated = (id: string, more: Partial<Session> = {}): DurableEvent => ({
  type: "session.updated",
  properties: { sessionID: id, info: sessionInfo(id, more) },
})

export const deleted = (id: string, spent?: Spending[]): DurableEvent => ({
  type: "session.deleted",
  properties: { sessionID: id, info: sessionInfo(id), ...(spent && { spent }) },
})

export const userMessage = (sessionID: string, id: string): UserMessage => ({
  id,
  sessionID,
  role: "user",
  time: { created: 1 },
  agent: "build",
  model: { providerID: "demo", modelID: "tour" },
})

export const assistantMessage = (sessionID: string, id: string, parentID = "msg_0"): AssistantMessage => ({
  id,
  sessionID,
  role: "assistant",
  time: { created: 1 },
  parentID,
  modelID: "tour",
  providerID: "demo",
  mode: "build",
  agent: "build",
  path: { cwd: "/repo", root: "/repo" },
  cost: 0,
  tokens: noTokens(),
})

/** An answer that is finished and was counted. */
export const answered = (sessionID: string, id: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  ...assistantMessage(sessionID, id),
  time: { created: 1, completed: 2 },
  cost: 0.25,
  tokens: { input: 1, output: 2, reasoning: 4, cache: { read: 8, write: 16 } },
  ...more,
})

export const toolPart = (sessionID: string, messageID: string, id: string, state: ToolState): ToolPart => ({
  ...{ id, sessionID, messageID, type: "tool", callID: "call_1", tool: "read" },
  state,
})

export const running: ToolState = { status: "running", input: {}, time: { start: 1 } }

export const completed = (
  output: string,
  more: Partial<Extract<ToolState, { status: "completed" }>> = {},
): ToolState => ({
  ...{ status: "completed", input: {}, output, title: "", metadata: {}, time: { start: 1, end: 2 } },
  ...more,
})

export const spent = (more: Partial<Spending> = {}): Spending => ({
  ...{ time: 3, agent: "title", providerID: "demo", modelID: "tour", cost: 0.5 },
  tokens: { input: 10, output: 20, reasoning: 0, cache: { read: 0, write: 0 } },
  ...more,
})

export const message = (info: UserMessage | AssistantMessage): DurableEvent => ({
  type: "message.updated",
  properties: { sessionID: info.sessionID, info },
})

export const textPart = (sessionID: string, messageID: string, id: string, text = ""): TextPart => ({
  id,
  sessionID,
  messageID,
  type: "text",
  text,
})

export const part = (value: Part): DurableEvent => ({
  type: "message.part.updated",
  properties: { sessionID: value.sessionID, part: value, time: 1 },
})

export const delta = (of: TextPart, text: string, offset = 0, field = "text"): DurableEvent => ({
  type: "message.part.delta",
  properties: { sessionID: of.sessionID, messageID: of.messageID, partID: of.id, field, delta: text, offset },
})

export const asked = (sessionID: string, id: string): DurableEvent => ({
  type: "permission.asked",
  properties: { id, sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: ["ls *"] },
})

export const replied = (sessionID: string, requestID: string, reply: PermissionReply): DurableEvent => ({
  type: "permission.replied",
  properties: { sessionID, requestID, ...reply },
})

export const questioned = (sessionID: string, id: string): DurableEvent => ({
  type: "question.asked",
  properties: {
    id,
    sessionID,
    questions: [{ question: "Which?", header: "Which", options: [{ label: "a", description: "the first" }] }],
  },
})

export const inboxItem = (id: string, delivery: InboxItem["delivery"] = "queue"): InboxItem => ({
  id,
  delivery,
  agent: "build",
  model: { providerID: "demo", modelID: "tour" },
  parts: [{ type: "text", text: "hello" }],
  time: { created: 1 },
})

export const inboxAdded = (sessionID: string, item: InboxItem): DurableEvent => ({
  type: "session.inbox.added",
  properties: { sessionID, item },
})

export const turnStarted = (sessionID: string, runID: string): DurableEvent => ({
  type: "session.turn.started",
  properties: { sessionID, runID, time: 1 },
})

export const turnEnded = (sessionID: string, runID: string): DurableEvent => ({
  type: "session.turn.ended",
  properties: { sessionID, runID, time: 2, reason: "done" },
})

/** A change of a file from one content to another; content is named by one letter, nothing means that there is no file. */
export const fileChange = (id: string, path: string, before = "", after = ""): FileChange => {
  const state = (letter: string): FileState =>
    letter === "" ? { kind: "absent" } : { kind: "file", hash: letter.repeat(64), size: 1, mode: 0o644 }
  return { id, path, before: state(before), after: state(after), additions: 1, deletions: 1 }
}

export const filesChanged = (sessionID: string, messageID: string, ...changes: FileChange[]): DurableEvent => ({
  type: "session.file.changed",
  properties: { sessionID, messageID, callID: "call_1", changes },
})

export const stepChanged = (
  sessionID: string,
  messageID: string,
  parentID: string,
  ...files: ChangedFile[]
): DurableEvent => ({ type: "session.step.changed", properties: { sessionID, messageID, parentID, files } })

export const changedFile = (
  file: string,
  status: ChangedFile["status"],
  additions = 1,
  deletions = 0,
): ChangedFile => ({
  file,
  status,
  additions,
  deletions,
})

/** A revert that takes files from one content to another, named as in `fileChange`. */
export const revertBegun = (sessionID: string, id: string, more: Partial<RevertRecord> = {}): DurableEvent => {
  const { additions: _, deletions: __, id: ___, ...file } = fileChange("chg_0", "/a", "b", "a")
  const revert: RevertRecord = { id, kind: "revert", messageID: "msg_1", files: [file], ...more }
  return { type: "session.revert.begun", properties: { sessionID, revert } }
}

export const revertEnded = (
  sessionID: string,
  revertID: string,
  outcome: "done" | "rolled_back" = "done",
  left: string[] = [],
): DurableEvent => ({ type: "session.revert.ended", properties: { sessionID, revertID, time: 2, outcome, left } })
