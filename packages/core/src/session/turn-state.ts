import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Log } from "@cairn/kernel/log"
import type { Span } from "@cairn/kernel/span"
import type { AssistantMessage } from "@cairn/schema/message"
import type { Agent } from "../agent/define.ts"
import type { Instructions } from "../instruction/instructions.ts"
import type { ModelRequest } from "../model/call.ts"
import type { Cooldowns } from "../model/cooldown.ts"
import type { ResolvedModel } from "../model/define.ts"
import type { Store } from "../store/store.ts"
import type { Context } from "./context.ts"
import type { Failed, LineUp } from "./fallback.ts"
import type { Purse } from "./purse.ts"
import type { Run } from "./run.ts"
import type { Structured } from "./structured.ts"
import type { Target } from "./target.ts"
import type { CallDeps } from "./tool-run.ts"

/** What a turn has because of the model that answers: replaced as a whole when another one takes over. */
export interface Footing extends Pick<CallDeps, "find" | "parse" | "accepts"> {
  readonly model: ResolvedModel
  readonly target: Target
  readonly system: readonly string[]
  readonly tools: ModelRequest["tools"]
}

export interface TurnDeps extends Omit<CallDeps, "run" | "agent" | "span" | keyof Footing> {
  readonly store: Store
  /** Between 0 and 1, for jitter. */
  random(): number
  readonly compaction: CompactionSettings
  /** Files of instructions that left the conversation may join it again. */
  readonly instructions: Pick<Instructions, "restore">
  /** Models that failed lately, in any session. */
  readonly cooldowns: Cooldowns
  /** An interruption ends its waiting, with what there is. */
  footing(model: ResolvedModel): Promise<Footing>
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
export interface Turn extends Footing {
  readonly run: Run
  readonly log: Log
  readonly span: Span
  readonly agent: Agent
  /** The chosen model, and those that take over when it fails. */
  readonly lineUp: LineUp
  /** The chosen model, while another one answers. */
  standsInFor?: AssistantMessage["fallback"]
  /** By name: models that failed since one last answered. */
  readonly failed: Map<string, Failed>
  /** Replaced when the conversation is pruned or compacted, or another model takes over. */
  context: Context
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

export type NewTurn = Omit<
  Turn,
  "standsInFor" | "failed" | "messageID" | "measuredTools" | "steps" | "denied" | "overflows" | "compactions"
>

export const newTurn = (turn: NewTurn): Turn => ({
  ...turn,
  failed: new Map(),
  steps: 0,
  denied: 0,
  overflows: 0,
  compactions: 0,
})
