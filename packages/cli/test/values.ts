import type { TurnOutcome } from "@cairn/schema/engine"
import type { BusEvent } from "@cairn/schema/event"
import type { AssistantMessage, UserMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part, PartType } from "@cairn/schema/part"
import type { Session } from "@cairn/schema/session"

/** Values of the schema with every required field, for tests that care about one or two of them. */

export const sessionID = "ses_000000000001abcdefghijklmn"
export const messageID = "msg_000000000001abcdefghijklmn"
export const userMessageID = "msg_000000000000abcdefghijklmn"

export function session(change: Partial<Session> = {}): Session {
  return {
    id: sessionID,
    slug: "calm-stone",
    projectID: "project",
    directory: "/repo",
    title: "Fix the parser",
    version: "9.9.9",
    time: { created: Date.UTC(2026, 0, 1), updated: Date.UTC(2026, 0, 1) },
    ...change,
  }
}

export function assistant(change: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    id: messageID,
    sessionID,
    role: "assistant",
    time: { created: 1 },
    parentID: userMessageID,
    modelID: "tour",
    providerID: "demo",
    mode: "build",
    agent: "build",
    path: { cwd: "/repo", root: "/repo" },
    cost: 0,
    tokens: noTokens(),
    ...change,
  }
}

export function user(change: Partial<UserMessage> = {}): UserMessage {
  return {
    id: userMessageID,
    sessionID,
    role: "user",
    time: { created: 1 },
    agent: "build",
    model: { providerID: "demo", modelID: "tour" },
    ...change,
  }
}

type Body<T extends PartType> = Omit<Extract<Part, { type: T }>, "id" | "sessionID" | "messageID" | "type">

let parts = 0

/** A part of the assistant message, with an id of its own unless one is given. */
export function part<T extends PartType>(
  type: T,
  body: Body<T>,
  ids: { id?: string; messageID?: string } = {},
): Extract<Part, { type: T }> {
  const id = ids.id ?? `prt_${String(++parts).padStart(12, "0")}abcdefghijklmn`
  return { id, sessionID, messageID: ids.messageID ?? messageID, type, ...body } as Extract<Part, { type: T }>
}

export function tool(
  name: string,
  input: Record<string, unknown>,
  done: { output?: string; metadata?: Record<string, unknown>; error?: string; kind?: "denied" | "not_found" } = {},
): Extract<Part, { type: "tool" }> {
  const time = { start: 1, end: 2 }
  const { error, kind, output = "", metadata = {} } = done
  const state =
    error === undefined
      ? ({ status: "completed", input, output, title: name, metadata, time } as const)
      : ({ status: "error", input, error, time, ...(kind ? { kind } : {}) } as const)
  return part("tool", { callID: `call_${name}`, tool: name, state })
}

/** The same call while it runs. */
export function running(settled: Extract<Part, { type: "tool" }>): Extract<Part, { type: "tool" }> {
  return { ...settled, state: { status: "running", input: settled.state.input, time: { start: 1 } } }
}

type EventBody<T extends BusEvent["type"]> = Extract<BusEvent, { type: T }>["properties"]

let events = 0

export function event<T extends BusEvent["type"]>(type: T, properties: EventBody<T>): BusEvent {
  const seq = ++events
  return { id: `evt_${String(seq).padStart(12, "0")}abcdefghijklmn`, seq, type, properties } as BusEvent
}

export const updated = (body: Part): BusEvent => event("message.part.updated", { sessionID, part: body, time: 1 })

export const delta = (body: Part, text: string): BusEvent =>
  event("message.part.delta", {
    sessionID,
    messageID: body.messageID,
    partID: body.id,
    field: "text",
    delta: text,
    offset: 0,
  })

export function outcome(change: Partial<TurnOutcome> = {}): TurnOutcome {
  return { sessionID, reason: "done", text: "The answer.", tokens: noTokens(), cost: 0, denied: 0, ...change }
}
