import { z } from "zod"
import { ApiError, ToolFailureKind } from "./error.ts"
import { MessageID, PartID, SessionID } from "./id.ts"
import { Tokens } from "./model.ts"

const base = { id: PartID, sessionID: SessionID, messageID: MessageID }
const metadata = z.record(z.string(), z.unknown())
const input = z.record(z.string(), z.unknown())
const time = z.number().int()

export const TextPart = z.object({
  ...base,
  type: z.literal("text"),
  text: z.string(),
  synthetic: z.boolean().optional(),
  ignored: z.boolean().optional(),
  time: z.object({ start: time, end: time.optional() }).optional(),
  metadata: metadata.optional(),
})
export type TextPart = z.infer<typeof TextPart>

export const ReasoningPart = z.object({
  ...base,
  type: z.literal("reasoning"),
  text: z.string(),
  metadata: metadata.optional(),
  time: z.object({ start: time, end: time.optional() }),
})
export type ReasoningPart = z.infer<typeof ReasoningPart>

/** Where an attachment was named in a prompt. The original counts files in any number, agents in whole ones. */
const fileText = z.object({ value: z.string(), start: z.number(), end: z.number() })
const sourceText = z.object({ value: z.string(), start: time, end: time })
const position = z.object({ line: z.number().int(), character: z.number().int() })
export const FilePartSource = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file"), text: fileText, path: z.string() }),
  z.object({
    type: z.literal("symbol"),
    text: fileText,
    path: z.string(),
    range: z.object({ start: position, end: position }),
    name: z.string(),
    kind: z.number().int(),
  }),
  z.object({ type: z.literal("resource"), text: fileText, clientName: z.string(), uri: z.string() }),
])
export const FilePart = z.object({
  ...base,
  type: z.literal("file"),
  mime: z.string(),
  filename: z.string().optional(),
  /** `data:` or `file:`; other schemes are passed through only where a provider takes them. */
  url: z.string(),
  source: FilePartSource.optional(),
})
export type FilePart = z.infer<typeof FilePart>

/**
 *     pending ──► running ──► completed
 *        └───────────┴──────► error
 */
export const ToolState = z.discriminatedUnion("status", [
  z.object({ status: z.literal("pending"), input, raw: z.string() }),
  z.object({
    status: z.literal("running"),
    input,
    title: z.string().optional(),
    metadata: metadata.optional(),
    time: z.object({ start: time }),
  }),
  z.object({
    status: z.literal("completed"),
    input,
    output: z.string(),
    title: z.string(),
    metadata,
    time: z.object({ start: time, end: time, compacted: time.optional() }),
    attachments: z.array(FilePart).optional(),
  }),
  z.object({
    status: z.literal("error"),
    input,
    error: z.string(),
    /** Ours beside the original's: the stable kind of the failure, for programs. */
    kind: ToolFailureKind.optional(),
    metadata: metadata.optional(),
    time: z.object({ start: time, end: time }),
  }),
])
export type ToolState = z.infer<typeof ToolState>
export const ToolPart = z.object({
  ...base,
  type: z.literal("tool"),
  callID: z.string(),
  tool: z.string(),
  state: ToolState,
  metadata: metadata.optional(),
})
export type ToolPart = z.infer<typeof ToolPart>

export const StepStartPart = z.object({ ...base, type: z.literal("step-start"), snapshot: z.string().optional() })
export const StepFinishPart = z.object({
  ...base,
  type: z.literal("step-finish"),
  reason: z.string(),
  snapshot: z.string().optional(),
  cost: z.number(),
  tokens: Tokens,
})
export type StepFinishPart = z.infer<typeof StepFinishPart>
export const SnapshotPart = z.object({ ...base, type: z.literal("snapshot"), snapshot: z.string() })
export const PatchPart = z.object({ ...base, type: z.literal("patch"), hash: z.string(), files: z.array(z.string()) })
export const AgentPart = z.object({
  ...base,
  type: z.literal("agent"),
  name: z.string(),
  source: sourceText.optional(),
})
export const SubtaskPart = z.object({
  ...base,
  type: z.literal("subtask"),
  prompt: z.string(),
  description: z.string(),
  agent: z.string(),
  model: z.object({ providerID: z.string(), modelID: z.string() }).optional(),
  command: z.string().optional(),
})
export const RetryPart = z.object({
  ...base,
  type: z.literal("retry"),
  attempt: z.number().int(),
  error: ApiError,
  /** Ours beside the original's: `next`, when the next try begins. */
  time: z.object({ created: time, next: time.optional() }),
})
export type RetryPart = z.infer<typeof RetryPart>
export const CompactionPart = z.object({
  ...base,
  type: z.literal("compaction"),
  auto: z.boolean(),
  overflow: z.boolean().optional(),
  tail_start_id: MessageID.optional(),
})

export const Part = z.discriminatedUnion("type", [
  TextPart,
  ReasoningPart,
  FilePart,
  ToolPart,
  StepStartPart,
  StepFinishPart,
  SnapshotPart,
  PatchPart,
  AgentPart,
  SubtaskPart,
  RetryPart,
  CompactionPart,
])
export type Part = z.infer<typeof Part>
export type PartType = Part["type"]
