import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Log } from "@cairn/kernel/log"
import type { Span } from "@cairn/kernel/span"
import type { Agent } from "../agent/define.ts"
import type { Instructions } from "../instruction/instructions.ts"
import type { ModelRequest } from "../model/call.ts"
import type { ResolvedModel } from "../model/define.ts"
import type { Store } from "../store/store.ts"
import type { Context } from "./context.ts"
import type { Purse } from "./purse.ts"
import type { Run } from "./run.ts"
import type { Structured } from "./structured.ts"
import type { Target } from "./target.ts"
import type { CallDeps } from "./tool-run.ts"

export interface TurnDeps extends Omit<CallDeps, "run" | "agent" | "span"> {
  readonly store: Store
  /** Between 0 and 1, for jitter. */
  random(): number
  readonly compaction: CompactionSettings
  /** Files of instructions that left the conversation may join it again. */
  readonly instructions: Pick<Instructions, "restore">
  call(model: ResolvedModel, request: ModelRequest, signal: AbortSignal): AsyncIterable<LanguageModelV4StreamPart>
}

/** `compaction` of the config, and what the model is asked for. */
export interface CompactionSettings {
  readonly auto?: boolean | undefined
  readonly prune?: boolean | undefined
  /** Tokens kept free. */
  readonly reserved?: number | undefined
  readonly preserve_recent_tokens?: number | undefined
  /** The task of the `compaction` agent. */
  readonly prompt: string
}

/** A turn under way. The fields that change are what one step leaves for the next. */
export interface Turn {
  readonly run: Run
  readonly log: Log
  readonly span: Span
  readonly agent: Agent
  readonly model: ResolvedModel
  readonly target: Target
  /** Replaced when the conversation is pruned or compacted. */
  context: Context
  readonly system: readonly string[]
  readonly tools: ModelRequest["tools"]
  /** What form the result must have; undefined when it is text. */
  readonly structured: Structured | undefined
  /** The ids of all calls of the session. */
  readonly callIDs: Set<string>
  /** The user message that is being answered. */
  parentID: string
  /** The assistant message that is open, or was last. */
  messageID?: string
  steps: number
  /** What the turn has spent, and whether it may spend more. */
  readonly purse: Purse
  /** The tools whose size was recorded last. */
  measuredTools?: ModelRequest["tools"]
  /** Asks that nobody could approve. */
  denied: number
  /** How often the provider said that the request is too long. */
  overflows: number
  /** Compactions since a step last fitted. */
  compactions: number
}

export type NewTurn = Omit<Turn, "messageID" | "measuredTools" | "steps" | "denied" | "overflows" | "compactions">

export const newTurn = (turn: NewTurn): Turn => ({
  ...turn,
  steps: 0,
  denied: 0,
  overflows: 0,
  compactions: 0,
})
