import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { ErrorClass, MessageError } from "@cairn/schema/error"
import type { Cooldowns } from "../model/cooldown.ts"
import type { ResolvedModel } from "../model/define.ts"
import { takesMedia } from "../model/media.ts"
import { usableTokens } from "../model/limits.ts"

/** What the next request asks of a model. */
export interface Demand {
  readonly tokens: number
  /** Tokens that the model may have that has the request now. If it is too long for that one, a compaction comes anyway. */
  readonly usable: number
  /** Kinds of the files that are sent with it. */
  readonly media: ReadonlySet<string>
  /** `compaction.reserved` of the config. */
  readonly reserved?: number | undefined
}

/** A failed model, as the user is told of it. */
export interface Failed {
  readonly message: string
  readonly class: ErrorClass
}

/** The chosen model first, then those that may take over, in order. */
export type LineUp = readonly [ResolvedModel, ...ResolvedModel[]]

export const modelName = ({ ref }: Pick<ResolvedModel, "ref">): string => `${ref.providerID}/${ref.modelID}`

/** Why a model cannot take over; undefined when it can. A change of model must not force a compaction. */
export function unfit(model: ResolvedModel, demand: Demand): string | undefined {
  if (!model.capabilities.toolcall) return "it cannot call tools"
  const refused = [...demand.media].find((mime) => !takes(model, mime))
  if (refused !== undefined) return `it takes no ${refused}, which is in the conversation`
  const { tokens, usable } = demand
  const room = usableTokens(model.limits, demand.reserved)
  const whole = model.limits.input ?? model.limits.context
  if (tokens <= room || (tokens > usable && (room >= usable || tokens <= whole))) return undefined
  return `the conversation of ${tokens} tokens is too long for it`
}

/** Media that a model takes. */
export function takes({ capabilities }: Pick<ResolvedModel, "capabilities">, mime: string): boolean {
  return takesMedia(capabilities, mime)
}

/** Kinds of the files in messages, those of tool results too. */
export function mediaIn(messages: readonly LanguageModelV4Message[]): Set<string> {
  const kinds = new Set<string>()
  for (const message of messages) {
    if (typeof message.content === "string") continue
    for (const part of message.content) {
      if (part.type === "file") kinds.add(part.mediaType)
      if (part.type !== "tool-result" || part.output.type !== "content") continue
      for (const item of part.output.value) if (item.type === "file") kinds.add(item.mediaType)
    }
  }
  return kinds
}

/**
 * Does another model take over? What passes by itself, and only when waiting did not help: a wrong key, an account
 * without credit or a refused request is for the user to mend, not to hide. A model that stands in already is
 * passed over for whatever reason it has, except those that lie in the conversation.
 */
export function fallsOver(kind: ErrorClass | undefined, standsIn: boolean): boolean {
  if (kind === "retryable" || kind === "rate_limit") return true
  return standsIn && (kind === "auth" || kind === "fatal")
}

/** What is looked at when a model is picked. */
export interface LookOut {
  readonly cooldowns: Pick<Cooldowns, "resting">
  /** By name: what failed since a model last answered. */
  readonly failed: ReadonlyMap<string, Failed>
  /** Looked at only where it matters. */
  demand(): Demand
}

/** The first model of the line-up that may be called and can do the work; the chosen one need not prove it. */
export function firstReady(lineUp: LineUp, { cooldowns, failed, demand }: LookOut): ResolvedModel | undefined {
  return lineUp.find(
    (model, index) =>
      !failed.has(modelName(model)) &&
      !cooldowns.resting(model) &&
      (index === 0 || unfit(model, demand()) === undefined),
  )
}

/** What the user reads when no model is left: each with its own reason, the chosen one first. */
export function noneLeft(lineUp: LineUp, { cooldowns, failed, demand }: LookOut, now: number) {
  const told = lineUp.map((model) => {
    const failure = failed.get(modelName(model))?.message
    const rest = failure === undefined ? cooldowns.resting(model) : undefined
    const resting =
      rest && `left alone for ${Math.ceil((rest.until - now) / 1_000)} s more, since it failed: ${rest.message}`
    const misfit = unfit(model, demand())
    const passedOver = misfit === undefined ? "not tried." : `not tried, since ${misfit}.`
    return `- ${modelName(model)}: ${failure ?? resting ?? passedOver}`
  })
  const message = `No model could answer; model_fallback has no further one.\n${told.join("\n")}`
  const error: MessageError = { name: "APIError", data: { message, isRetryable: true } }
  return { error, class: [...failed.values()][0]?.class ?? ("retryable" as const) }
}
