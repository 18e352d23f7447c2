import type { MessageError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { AssistantMessage, Message, MessageWithParts } from "@cairn/schema/message"
import type { Part, ToolPart } from "@cairn/schema/part"

interface How {
  /** What an unsettled call says. */
  readonly toolError: string
  readonly now: number
  /** The answer is tried again: what it had begun to say is not part of the conversation. */
  readonly again?: boolean
}

/** Is this an answer that nothing has ended yet? */
export const isOpen = (info: Message): info is AssistantMessage =>
  info.role === "assistant" && info.time.completed === undefined

/** Events that close what stands open in an assistant message: texts, reasoning, calls. Empty when nothing does. */
export function closeParts(message: MessageWithParts, how: How): DurableEvent[] {
  return message.parts
    .map((part) => closed(part, how))
    .filter((part) => part !== undefined)
    .map((part) => ({
      type: "message.part.updated",
      properties: { sessionID: part.sessionID, part, time: how.now },
    }))
}

/** `closeParts`, and the message itself with its error and end time. */
export function closeMessage(message: MessageWithParts, how: How & { error?: MessageError }): DurableEvent[] {
  const { info } = message
  if (info.role !== "assistant") return []
  const events = closeParts(message, how)
  if (!isOpen(info)) return events
  const done: AssistantMessage = {
    ...info,
    time: { ...info.time, completed: how.now },
    ...(how.error && { error: how.error }),
  }
  return [...events, { type: "message.updated", properties: { sessionID: info.sessionID, info: done } }]
}

function closed(part: Part, how: How): Part | undefined {
  if (part.type === "text" && part.time && part.time.end === undefined)
    return { ...part, ...(how.again && { ignored: true }), time: { ...part.time, end: how.now } }
  if (part.type === "reasoning" && part.time.end === undefined)
    return { ...part, metadata: { ...part.metadata, unfinished: true }, time: { ...part.time, end: how.now } }
  if (part.type === "tool") return closedCall(part, how)
  return undefined
}

function closedCall(part: ToolPart, how: How): ToolPart | undefined {
  const { state } = part
  if (state.status === "completed" || state.status === "error") return undefined
  const start = state.status === "running" ? state.time.start : how.now
  return {
    ...part,
    state: {
      status: "error",
      input: state.input,
      error: how.toolError,
      kind: "interrupted",
      ...(state.status === "running" && state.metadata && { metadata: state.metadata }),
      time: { start, end: how.now },
    },
  }
}
