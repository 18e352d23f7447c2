import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { Result } from "@cairn/kernel/result"
import type { ModelInfo } from "@cairn/schema/model-info"
import { mergeDefinition } from "./build-model.ts"
import type { Catalog } from "./catalog.ts"
import type { ResolvedModel } from "./define.ts"

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
