import { z } from "zod"
import { InboxID, MessageID } from "./id.ts"
import { OutputFormat } from "./message.ts"
import { ModelRef } from "./model.ts"
import { AgentPart, FilePart, SubtaskPart, TextPart } from "./part.ts"

const loose = { id: true, sessionID: true, messageID: true } as const

/** What a caller puts into a prompt: parts without their ids. */
export const PromptPart = z.discriminatedUnion("type", [
  TextPart.omit(loose),
  FilePart.omit(loose),
  AgentPart.omit(loose),
  SubtaskPart.omit(loose),
])
export type PromptPart = z.infer<typeof PromptPart>

export const Delivery = z.enum(["steer", "queue"])
export type Delivery = z.infer<typeof Delivery>

/** A prompt that was accepted and waits. `steer` enters the running turn at its next step, `queue` is a turn of its own. */
export const InboxItem = z.object({
  id: InboxID,
  /** What its message is to be called. */
  messageID: MessageID.optional(),
  delivery: Delivery,
  agent: z.string(),
  model: ModelRef,
  parts: z.array(PromptPart),
  system: z.string().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  format: OutputFormat.optional(),
  /** It becomes part of the conversation, and nobody answers it. */
  noReply: z.boolean().optional(),
  /** Waits until it is let go. */
  hold: z.boolean().optional(),
  /** Its place among those that wait, given when somebody moved one; without it, after those that have one. */
  rank: z.number().int().nonnegative().optional(),
  /** Who answers its asks. Absent: whoever attends the run that takes it up. */
  asks: z.enum(["wait", "deny", "auto"]).optional(),
  time: z.object({ created: z.number().int() }),
})
export type InboxItem = z.infer<typeof InboxItem>

/** What may be changed of a prompt that waits. `position` counts from 0 among all that wait in the session. */
export const InboxChange = z.object({
  text: z.string().optional(),
  delivery: Delivery.optional(),
  position: z.number().int().nonnegative().optional(),
  hold: z.boolean().optional(),
})
export type InboxChange = z.infer<typeof InboxChange>
