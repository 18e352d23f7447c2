import { z } from "zod"
import { MessageError } from "./error.ts"
import { MessageID, SessionID } from "./id.ts"
import { ModelRef, Tokens } from "./model.ts"
import { Part } from "./part.ts"
import { SnapshotFileDiff } from "./session.ts"

export const OutputFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({
    type: z.literal("json_schema"),
    schema: z.record(z.string(), z.unknown()),
    retryCount: z.number().int().optional(),
  }),
])

export type OutputFormat = z.infer<typeof OutputFormat>

export const UserMessage = z.object({
  id: MessageID,
  sessionID: SessionID,
  role: z.literal("user"),
  time: z.object({ created: z.number() }),
  format: OutputFormat.optional(),
  summary: z
    .object({ title: z.string().optional(), body: z.string().optional(), diffs: z.array(SnapshotFileDiff) })
    .optional(),
  agent: z.string(),
  model: ModelRef,
  system: z.string().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  /** Ours: `delivery: "steer"` marks a prompt that entered a running turn. */
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type UserMessage = z.infer<typeof UserMessage>

export const AssistantMessage = z.object({
  id: MessageID,
  sessionID: SessionID,
  role: z.literal("assistant"),
  time: z.object({ created: z.number().int(), completed: z.number().int().optional() }),
  error: MessageError.optional(),
  parentID: MessageID,
  modelID: z.string(),
  providerID: z.string(),
  mode: z.string(),
  agent: z.string(),
  path: z.object({ cwd: z.string(), root: z.string() }),
  summary: z.boolean().optional(),
  cost: z.number(),
  tokens: Tokens,
  /** Ours: the price of the model was not known, so that `cost` says nothing. */
  unpriced: z.literal(true).optional(),
  /** Ours: the provider counted nothing, so that `tokens` and `cost` are an estimate by the length of what was sent and said. */
  estimated: z.literal(true).optional(),
  /** Ours: tokens of each tool's schema in the request; absent when they were those of the agent's last request. */
  toolTokens: z.record(z.string(), z.number().int()).optional(),
  structured: z.unknown().optional(),
  variant: z.string().optional(),
  finish: z.string().optional(),
  /** Ours: the model that was chosen but does not answer now, why, and when it is tried again (ms since the epoch). */
  fallback: z
    .object({ providerID: z.string(), modelID: z.string(), message: z.string(), until: z.number().int() })
    .optional(),
})
export type AssistantMessage = z.infer<typeof AssistantMessage>

export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage])
export type Message = z.infer<typeof Message>

/** A message with its parts, as the routes and `cairn session show --format json` give it. */
export const MessageWithParts = z.object({ info: Message, parts: z.array(Part) })
export type MessageWithParts = z.infer<typeof MessageWithParts>
