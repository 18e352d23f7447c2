import type { Result } from "@cairn/kernel/result"
import type { Span } from "@cairn/kernel/span"
import type { ToolFailure } from "@cairn/schema/error"
import type { FilePart } from "@cairn/schema/part"
import type { z } from "zod"
import type { Ask } from "../permission/ask.ts"
import type { Approval } from "../permission/asks.ts"
import type { JsonSchema } from "./json-schema.ts"

export type { Approval, Ask }

/** What a running tool gets: who calls, where, and the few operations that belong to the call. */
export interface ToolContext {
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
  readonly agent: string
  /** Aborted when the turn is interrupted. A tool stops at once, releases everything, and rejects with the reason. */
  readonly signal: AbortSignal
  /** Real path of the session's directory: relative paths start here. */
  readonly directory: string
  /** Real path of the worktree root: what lies outside is `external_directory`. */
  readonly worktree: string
  /** Of this call: whatever it starts is a part of it. Without one nothing is traced. */
  readonly span?: Span
  /** Resolves when allowed; a refusal is a failure that the tool returns as it is. Rejects when interrupted. */
  ask(ask: Ask): Promise<Result<Approval, ToolFailure>>
  /** Does the model of this call take files of this type (`image/png`)? Without it: no. */
  accepts?(mime: string): boolean
  /** Shows how far the call is. Cheap to call often: the engine passes on at most ten a second. */
  progress(update: { title?: string; metadata?: Record<string, unknown> }): void
}

/** What the model gets (`output`), and what clients draw (`title`, `metadata`, `attachments`). */
export interface ToolOutput {
  readonly title: string
  readonly output: string
  readonly metadata: Record<string, unknown>
  readonly attachments?: readonly Omit<FilePart, "id" | "sessionID" | "messageID">[]
}

export interface Tool<Parameters extends z.ZodType = z.ZodType> {
  readonly name: string
  /** The text of `name.md`, sent to the model. */
  readonly description: string
  readonly parameters: Parameters
  /** What the model is told of the arguments, where that is not made from `parameters`. */
  readonly schema?: JsonSchema
  /** False: found by its name, but not among those that are sent to the model. */
  readonly offered?: boolean
  /** Needs somebody who answers: not offered, and refused, where nobody is there. */
  readonly attended?: boolean
  /** No other tool of the step runs at the same time. */
  readonly exclusive?: boolean
  /** Paths that the call writes, as given by the model. Calls that write one path run in call order. */
  writes?(args: z.infer<Parameters>): readonly string[]
  /** Expected failures are values; what is thrown (other than the signal's reason) is a defect. */
  execute(args: z.infer<Parameters>, context: ToolContext): Promise<Result<ToolOutput, ToolFailure>>
}

/** Keeps the parameter type of a tool while it is written. */
export function defineTool<Parameters extends z.ZodType>(tool: Tool<Parameters>): Tool<Parameters> {
  return tool
}
