import type { ModelRef } from "@cairn/schema/model"
import type { PermissionRuleset } from "@cairn/schema/permission"
import type { RuleStack } from "../permission/rule.ts"

export type AgentMode = "primary" | "subagent" | "all"

/** Who works: a prompt, a model, limits and rules. Field names are those of the wire's `Agent`. */
export interface Agent {
  readonly name: string
  readonly description?: string
  /** `primary` may be chosen for a session, `subagent` is given work by another agent, `all` is both. */
  readonly mode: AgentMode
  /** Built in, though config may have changed it. */
  readonly native: boolean
  /** Not shown where agents are chosen. */
  readonly hidden: boolean
  /** It may look and must not change anything: its denials cannot be lifted. */
  readonly readOnly: boolean
  readonly model?: ModelRef
  readonly modelFallback?: readonly ModelRef[]
  readonly variant?: string
  readonly temperature?: number
  readonly topP?: number
  /** Stands in the system prompt after the environment. */
  readonly prompt?: string
  /** Goes with the turn's first user message, as a fragment. */
  readonly reminder?: string
  readonly options: Readonly<Record<string, unknown>>
  /** Most steps of a turn; a message that the user sends meanwhile begins the count anew. */
  readonly steps?: number
  readonly color?: string
  /** What decides: the strictest verdict over these lists. */
  readonly rules: RuleStack
  /** The rules as one list, for display. */
  readonly permission: PermissionRuleset
}
