import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { ModelRef } from "@cairn/schema/model"
import type { Fetch } from "../net/net.ts"

/** Dollars a million tokens. What is not priced apart costs as input or output does. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Absent: as output. */
  readonly reasoning?: number
  readonly cache: { readonly read: number; readonly write: number }
}

export interface ModelCost extends ModelPrice {
  /** Prices that hold once the prompt has more than `above` tokens, in rising order. */
  readonly tiers: readonly (ModelPrice & { readonly above: number })[]
}

/** Tokens. `known: false` when nobody told us: 128,000 is then a guess. */
export interface ModelLimits {
  readonly context: number
  readonly input?: number
  readonly output: number
  readonly known: boolean
}

export interface ModelCapabilities {
  readonly attachment: boolean
  readonly image: boolean
  readonly pdf: boolean
  readonly reasoning: boolean
  readonly toolcall: boolean
  readonly temperature: boolean
  /** Reasoning is sent back with the messages it belongs to. */
  readonly interleaved: boolean
}

/** Milliseconds, or `false` for no limit. */
export interface ModelTimeouts {
  readonly connect: number | false
  readonly firstByte: number | false
  readonly silence: number | false
  readonly total: number | false
}

/** A model that can be called: what it is, where it is, and how to open it. Holds no key that could be printed. */
export interface ResolvedModel {
  readonly ref: ModelRef
  readonly name: string
  readonly providerName: string
  readonly family?: string
  /** Package that speaks to it; `demo` for the scripted one. */
  readonly npm: string
  /** The id on the wire. */
  readonly apiID: string
  /** Key of its `providerOptions` and `providerMetadata`. */
  readonly optionsKey: string
  /** As in `Protocol`. */
  readonly callIDs?: RegExp
  readonly limits: ModelLimits
  /** Undefined when the price is not known. */
  readonly cost: ModelCost | undefined
  readonly capabilities: ModelCapabilities
  readonly quirks: readonly ("text-tools" | "think-tags")[]
  readonly profile?: "small"
  /** The option that takes the key under which the service caches a session's prompts. */
  readonly cacheKeyOption?: string
  /** Sent under `optionsKey` with every call. */
  readonly options: Readonly<Record<string, unknown>>
  /** Options that `ref.variant` may name; those of the one it names stand in `options` already. */
  readonly variants: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly timeouts: ModelTimeouts
  /** Base URL; undefined for what runs in this process. */
  readonly baseURL: string | undefined
  readonly keySource: string
  /** Opens the model; its requests go through `fetch`, by default the net's. Loads the package on first use. */
  open(fetch?: Fetch): Promise<LanguageModelV4>
}
