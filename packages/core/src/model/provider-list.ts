import type { Config } from "@cairn/schema/config"
import type { Provider, ProviderList, ProviderModel } from "@cairn/schema/provider"
import { mergeDefinition } from "./build-model.ts"
import type { Catalog, CatalogModel } from "./catalog.ts"
import { newestModel } from "./default-model.ts"
import type { ModelCost, ResolvedModel } from "./define.ts"
import { demoProviderID } from "./demo/demo.ts"
import type { Models } from "./registry.ts"

interface ListInput {
  readonly catalog: Catalog
  readonly config: Pick<Config, "provider" | "disabled_providers" | "enabled_providers">
  readonly models: Pick<Models, "ready" | "resolve">
}

/**
 * The providers as clients list them. Models stand only with those that can be called as things are: the whole catalogue
 * has megabytes. No key and no header is in it.
 */
export function listProviders({ catalog, config, models }: ListInput): ProviderList {
  const found = new Map<string, ResolvedModel[]>()
  for (const ref of models.ready()) {
    const resolved = models.resolve(ref)
    if (!resolved.ok) continue
    const { providerID } = resolved.value.ref
    found.set(providerID, [...(found.get(providerID) ?? []), resolved.value])
  }
  const barred = (id: string) =>
    config.disabled_providers?.includes(id) === true ||
    (config.enabled_providers !== undefined && !config.enabled_providers.includes(id))
  const ids = new Set([...found.keys(), ...Object.keys(config.provider ?? {}), ...catalog.providers()])
  const shown = [...ids].filter((id) => found.has(id) || !barred(id))
  const all = shown.map((id) => shownProvider(id, found.get(id) ?? [], { catalog, config }))
  const defaults = [...found].map(([id, resolved]) => [id, defaultOf(id, resolved, { catalog, config })])
  return { all, default: Object.fromEntries(defaults), connected: [...found.keys()] }
}

type Known = Pick<ListInput, "catalog" | "config">

function shownProvider(id: string, resolved: readonly ResolvedModel[], { catalog, config }: Known): Provider {
  const own = config.provider?.[id]
  const known = catalog.provider(own?.id ?? id)
  const [first] = resolved
  return {
    id,
    name: own?.name ?? known?.name ?? first?.providerName ?? id,
    source: sourceOf(id, first, own !== undefined),
    env: [...(own?.env ?? known?.env ?? [])],
    options: {},
    models: Object.fromEntries(
      resolved.map((model) => [model.ref.modelID, shownModel(model, definitionOf(model, { catalog, config }))]),
    ),
  }
}

function sourceOf(id: string, first: ResolvedModel | undefined, configured: boolean): Provider["source"] {
  if (first?.keySource.startsWith("env:")) return "env"
  if (first?.keySource === "auth") return "api"
  return configured && id !== demoProviderID ? "config" : "custom"
}

function definitionOf({ ref, apiID }: ResolvedModel, { catalog, config }: Known): CatalogModel {
  const own = config.provider?.[ref.providerID]
  const catalogID = own?.id ?? ref.providerID
  const known = catalog.model(catalogID, ref.modelID) ?? catalog.model(catalogID, apiID)
  return mergeDefinition(known, own?.models?.[ref.modelID])
}

/** The newest of a provider's models that can call tools. */
function defaultOf(id: string, resolved: readonly ResolvedModel[], known: Known): string {
  const models = Object.fromEntries(resolved.map((model) => [model.ref.modelID, definitionOf(model, known)]))
  return newestModel(models) ?? resolved[0]?.ref.modelID ?? id
}

const states = new Set(["alpha", "beta", "deprecated"])

function shownModel(model: ResolvedModel, definition: CatalogModel): ProviderModel {
  const { ref, capabilities, limits } = model
  const takes = new Set(definition.modalities?.input ?? ["text"])
  const none = { text: false, audio: false, image: false, video: false, pdf: false }
  return {
    id: ref.modelID,
    providerID: ref.providerID,
    api: { id: model.apiID, url: model.baseURL ?? "", npm: model.npm },
    name: model.name,
    ...(model.family !== undefined && { family: model.family }),
    capabilities: {
      temperature: capabilities.temperature,
      reasoning: capabilities.reasoning,
      attachment: capabilities.attachment,
      toolcall: capabilities.toolcall,
      input: {
        text: true,
        audio: takes.has("audio"),
        image: takes.has("image"),
        video: takes.has("video"),
        pdf: takes.has("pdf"),
      },
      output: { ...none, text: true },
      interleaved: capabilities.interleaved,
    },
    cost: shownCost(model.cost),
    limit: {
      context: limits.context,
      ...(limits.input !== undefined && { input: limits.input }),
      output: limits.output,
    },
    status: states.has(definition.status ?? "") ? (definition.status as ProviderModel["status"]) : "active",
    options: {},
    headers: {},
    release_date: definition.release_date ?? "",
    ...(Object.keys(model.variants).length > 0 && {
      variants: Object.fromEntries(Object.entries(model.variants).map(([name, options]) => [name, { ...options }])),
    }),
  }
}

function shownCost(cost: ModelCost | undefined): ProviderModel["cost"] {
  if (!cost) return { input: 0, output: 0, cache: { read: 0, write: 0 } }
  const { input, output, cache, tiers } = cost
  return {
    ...{ input, output, cache: { ...cache } },
    ...(tiers.length > 0 && {
      tiers: tiers.map((tier) => ({
        ...{ input: tier.input, output: tier.output, cache: { ...tier.cache } },
        tier: { type: "context" as const, size: tier.above },
      })),
    }),
  }
}
