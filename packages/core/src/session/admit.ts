import type { DurableEvent } from "@cairn/schema/event"
import type { MessageWithParts, UserMessage } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { InboxItem } from "@cairn/schema/prompt"
import type { Run } from "./run.ts"

/** What makes a user message, wherever it waited. */
export type Admission = Pick<InboxItem, "agent" | "model" | "parts" | "system" | "tools" | "format" | "messageID">

interface Admitted {
  readonly message: MessageWithParts
  readonly events: DurableEvent[]
}

/** A user message with its parts, as events. `facts` are synthetic texts that go before what the user wrote. */
export function admit(
  from: Pick<Run, "sessionID" | "messageID" | "partID">,
  admission: Admission,
  options: { now: number; facts?: readonly string[]; steer?: boolean },
): Admitted {
  const { sessionID } = from
  const info: UserMessage = {
    id: from.messageID(admission.messageID),
    sessionID,
    role: "user",
    time: { created: options.now },
    agent: admission.agent,
    model: admission.model,
    ...(admission.system !== undefined && { system: admission.system }),
    ...(admission.tools && { tools: admission.tools }),
    ...(admission.format && { format: admission.format }),
    ...(options.steer && { metadata: { delivery: "steer" } }),
  }
  const base = () => ({ id: from.partID(), sessionID, messageID: info.id })
  const facts = (options.facts ?? []).map((text): Part => ({ ...base(), type: "text", text, synthetic: true }))
  const parts = [...facts, ...admission.parts.map((part): Part => ({ ...base(), ...part }))]
  return {
    message: { info, parts },
    events: [
      { type: "message.updated", properties: { sessionID, info } },
      ...parts.map((part): DurableEvent => ({
        type: "message.part.updated",
        properties: { sessionID, part, time: options.now },
      })),
    ],
  }
}

/** A prompt left the inbox for the conversation. */
export const delivered = (sessionID: string, item: InboxItem): DurableEvent => ({
  type: "session.inbox.removed",
  properties: { sessionID, inboxID: item.id, reason: "delivered" },
})

/** The first line of what the user wrote, for a title; empty when there is no text. */
export function titleOf(admission: Admission): string {
  const text = admission.parts.find((part) => part.type === "text" && !part.synthetic && part.text.trim() !== "")
  const line = text?.type === "text" ? text.text.trim().split("\n", 1)[0]!.trim() : ""
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
