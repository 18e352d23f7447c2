import type { AssistantMessage, MessageWithParts, UserMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part } from "@cairn/schema/part"
import type { PermissionRequest } from "@cairn/schema/permission"
import type { InboxItem } from "@cairn/schema/prompt"
import type { QuestionRequest } from "@cairn/schema/question"
import type { Session } from "@cairn/schema/session"

export const sessionID = "ses_1"
const model = { providerID: "demo", modelID: "tour" }

export function session(id = sessionID, updated = 1): Session {
  const of = { slug: id.slice(4), projectID: "prj", directory: "/repo", version: "1" }
  return { id, ...of, title: `title ${id}`, time: { created: 1, updated } }
}

/** Ids of a number grow with it. */
export const numbered = (prefix: string, number: number) => `${prefix}_${String(number).padStart(6, "0")}`

export function user(id: string, of = sessionID): UserMessage {
  return { id, sessionID: of, role: "user", time: { created: 1 }, agent: "build", model }
}

export function assistant(id: string, of = sessionID): AssistantMessage {
  const base = { parentID: "msg_000000", mode: "build", agent: "build", path: { cwd: "/repo", root: "/repo" } }
  return {
    ...{ id, sessionID: of, role: "assistant", ...model, ...base },
    ...{ time: { created: 1 }, cost: 0, tokens: noTokens() },
  }
}

interface Place {
  readonly id: string
  readonly messageID: string
  readonly sessionID?: string
}

export function text(place: Place, written: string, end?: number): Part {
  const time = { start: 1, ...(end !== undefined && { end }) }
  return { sessionID, ...place, type: "text", text: written, time }
}

export function tool(place: Place, status: "running" | "completed" = "completed", name = "read"): Part {
  const base = { sessionID, ...place, type: "tool" as const, callID: `call_${place.id}`, tool: name }
  if (status === "running") return { ...base, state: { status, input: {}, time: { start: 1 } } }
  const done = { output: "out", title: "done", metadata: {}, time: { start: 1, end: 2 } }
  return { ...base, state: { status, input: {}, ...done } }
}

function message(id: string, parts: readonly Part[] = [], of = sessionID): MessageWithParts {
  return { info: assistant(id, of), parts: [...parts] }
}

/** Messages with one text part each, whose numbers are `from` to `to`. */
export function messages(from: number, to: number, of = sessionID): MessageWithParts[] {
  return Array.from({ length: to - from + 1 }, (_, n) => {
    const id = numbered("msg", from + n)
    return message(
      id,
      [text({ id: numbered("prt", from + n), messageID: id, sessionID: of }, `text ${from + n}`, 2)],
      of,
    )
  })
}

export function permission(id: string, of = sessionID): PermissionRequest {
  return { id, sessionID: of, permission: "bash", patterns: ["ls"], metadata: {}, always: [] }
}

export function question(id: string, of = sessionID): QuestionRequest {
  return { id, sessionID: of, questions: [] }
}

export function waiting(id: string, rank?: number): InboxItem {
  const base = { delivery: "queue" as const, agent: "build", model, parts: [], time: { created: 1 } }
  return { id, ...base, ...(rank !== undefined && { rank }) }
}
