import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { Result } from "@cairn/kernel/result"
import { mergeDefinition } from "./build-model.ts"
import type { Catalog } from "./catalog.ts"
import type { ResolvedModel } from "./define.ts"

/** A model as a list shows it: what it takes, what it costs, and whether it could be called as things are. */
export interface ModelInfo {
  /** `provider/model` */
  readonly ref: string
  readonly name: string
  /** Tokens; absent when nobody told us. */
  readonly context?: number
  readonly output?: number
  /** Dollars a million tokens; absent when not known. */
  readonly price?: { readonly input: number; readonly output: number }
  /** It can call tools. */
  readonly tools: boolean
  /** Names that `--variant` takes; absent when there are none, or the model cannot be called as things are. */
  readonly variants?: readonly string[]
  readonly source: "config" | "catalogue" | "demo"
  readonly key: "present" | "not needed" | "missing" | "unknown"
  /** Where the key comes from: `env:ANTHROPIC_API_KEY`, `config`, `auth`. */
  readonly keySource?: string
  /** What is to be mended before it can be called. */
  readonly problem?: string
}

/** `ready`: what a key is present for, what the config declares, and the scripted model. */
export type ModelScope = "ready" | "all"

interface ListingInput {
  readonly catalog: Catalog
  readonly config: Pick<Config, "provider">
  resolve(ref: string): Result<ResolvedModel, SetupError>
}

/** Describes one model that the catalogue or the config knows. Nothing is sent anywhere. */
export function modelInfo(ref: string, { catalog, config, resolve }: ListingInput): ModelInfo {
  const slash = ref.indexOf("/")
  const [providerID, modelID] = [ref.slice(0, slash), ref.slice(slash + 1)]
  const providers = config.provider ?? {}
  const provider = Object.hasOwn(providers, providerID) ? providers[providerID] : undefined
  const models = provider?.models ?? {}
  const mine = Object.hasOwn(models, modelID) ? models[modelID] : undefined
  const found = resolve(ref)
  if (found.ok) {
    const { name, limits, cost, capabilities, keySource, npm } = found.value
    const variants = Object.keys(found.value.variants)
    const price = cost && { input: cost.input, output: cost.output }
    return {
      ref,
      name,
      ...(limits.known && { context: limits.context, output: limits.output }),
      ...(price && { price }),
      tools: capabilities.toolcall,
      ...(variants.length > 0 && { variants }),
      source: npm === "demo" ? "demo" : mine ? "config" : "catalogue",
      ...(keySource === "none" || npm === "demo"
        ? { key: "not needed" as const }
        : { key: "present" as const, keySource }),
    }
  }
  const { name, limit, cost, tool_call } = mergeDefinition(catalog.model(provider?.id ?? providerID, modelID), mine)
  return {
    ref,
    name: name ?? modelID,
    ...(limit && limit.context > 0 && { context: limit.context, output: limit.output }),
    ...(cost && { price: { input: cost.input, output: cost.output } }),
    tools: tool_call ?? true,
    source: mine ? "config" : "catalogue",
    key: found.error.kind === "key" ? "missing" : "unknown",
    problem: found.error.message,
  }
}
