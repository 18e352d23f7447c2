import type { ModelConfig, ProviderConfig } from "@cairn/schema/config-provider"
import type { ModelRef } from "@cairn/schema/model"
import { reachOf } from "../net/address.ts"
import type { Net } from "../net/net.ts"
import type { CatalogModel, Price } from "./catalog.ts"
import type { Credential } from "./credential.ts"
import type { ModelCapabilities, ModelCost, ModelLimits, ModelPrice, ModelTimeouts, ResolvedModel } from "./define.ts"
import type { Endpoint } from "./endpoint.ts"
import { openOnce } from "./open-once.ts"
import { variantsOf } from "./variants.ts"
import type { Protocol } from "./protocol.ts"

/** Catalogue and config of one model, config first, objects field by field. */
export type Definition = CatalogModel &
  Pick<ModelConfig, "id" | "options" | "headers" | "quirks" | "profile" | "variants">

export interface Parts {
  readonly ref: ModelRef
  readonly providerName: string
  readonly definition: Definition
  readonly config: ProviderConfig | undefined
  readonly endpoint: Endpoint
  readonly credential: Credential
  readonly net: Net
}

/** What context is assumed when nobody told us. */
const guessedContext = 128_000

const ownOptions = new Set([
  "apiKey",
  "baseURL",
  "headers",
  "enterpriseUrl",
  "setCacheKey",
  "timeout",
  "connectTimeout",
  "headerTimeout",
  "chunkTimeout",
])

export function mergeDefinition(known: CatalogModel | undefined, config: ModelConfig | undefined): Definition {
  const { cost, ...rest } = config ?? {}
  const tiers = cost?.context_over_200k && [{ ...cost.context_over_200k, tier: { type: "context", size: 200_000 } }]
  return {
    ...known,
    ...rest,
    // Prices of thoughts and of long prompts belong to those that they stand beside.
    cost: cost ? { ...known?.cost, reasoning: undefined, ...cost, tiers } : known?.cost,
    modalities: { ...known?.modalities, ...config?.modalities },
    provider: { ...known?.provider, ...config?.provider },
  }
}

export function buildModel(parts: Parts): ResolvedModel {
  const { ref, definition, endpoint, credential, config } = parts
  const { npm, protocol, baseURL } = endpoint
  const pinned = parts.net.client({ origin: new URL(baseURL).origin })
  const headers = { ...config?.options?.headers, ...definition.headers }
  const extra = Object.fromEntries(Object.entries(config?.options ?? {}).filter(([name]) => !ownOptions.has(name)))
  const apiID = definition.id ?? ref.modelID
  return {
    ref,
    name: definition.name ?? ref.modelID,
    providerName: parts.providerName,
    ...(definition.family === undefined ? {} : { family: definition.family }),
    npm,
    apiID,
    optionsKey: protocol.optionsKey,
    ...(protocol.callIDs && { callIDs: protocol.callIDs }),
    limits: limitsOf(definition),
    cost: definition.cost && costOf(definition.cost),
    capabilities: capabilitiesOf(definition, npm),
    quirks: definition.quirks ?? [],
    ...(definition.profile === undefined ? {} : { profile: definition.profile }),
    ...cacheKeyOf(protocol, config),
    options: { ...protocol.options, ...definition.options },
    variants: variantsOf(definition, npm),
    timeouts: timeoutsOf(config, new URL(baseURL).hostname),
    baseURL,
    keySource: credential.source,
    open: openOnce(pinned, (fetch) =>
      protocol.open(apiID, {
        baseURL,
        apiKey: credential.key,
        headers,
        fetch,
        extra,
        reasoningField: reasoningField(definition),
      }),
    ),
  }
}

function cacheKeyOf({ cacheKey }: Protocol, config: ProviderConfig | undefined) {
  const wanted = config?.options?.setCacheKey ?? cacheKey?.asked === false
  return cacheKey && wanted ? { cacheKeyOption: cacheKey.option } : {}
}

function limitsOf({ limit }: Definition): ModelLimits {
  const known = limit !== undefined && limit.context > 0
  const context = known ? limit.context : guessedContext
  const output = limit !== undefined && limit.output > 0 ? limit.output : context
  return { context, output, known, ...(limit?.input ? { input: limit.input } : {}) }
}

function costOf(cost: NonNullable<Definition["cost"]>): ModelCost {
  const tiers = (cost.tiers ?? [])
    .filter(({ tier }) => tier.type === "context")
    .map((tier) => ({ ...priceOf(tier), above: tier.tier.size }))
    .sort((a, b) => a.above - b.above)
  return { ...priceOf(cost), tiers }
}

function priceOf(price: Price): ModelPrice {
  const { input, output, reasoning, cache_read: read = input, cache_write: write = input } = price
  return { input, output, ...(reasoning === undefined ? {} : { reasoning }), cache: { read, write } }
}

function capabilitiesOf(definition: Definition, npm: string): ModelCapabilities {
  const takes = definition.modalities?.input ?? ["text"]
  // Chat completions lose reasoning between calls unless the server asks for it; the others carry it in their protocol.
  const interleaved = npm !== "@ai-sdk/openai-compatible" || Boolean(definition.interleaved)
  return {
    attachment: definition.attachment ?? false,
    image: takes.includes("image"),
    pdf: takes.includes("pdf"),
    reasoning: definition.reasoning ?? false,
    toolcall: definition.tool_call ?? true,
    temperature: definition.temperature ?? true,
    interleaved,
  }
}

/** The wire has a structured form of `reasoning_details` that we never saw; such servers take plain `reasoning` too. */
function reasoningField({ interleaved }: Definition): string | undefined {
  if (interleaved === undefined || interleaved === false) return undefined
  const field = typeof interleaved === "object" ? interleaved.field : interleaved === true ? "" : interleaved
  if (field === "reasoning_details") return "reasoning"
  return field === "" ? "reasoning_content" : field
}

/** Watchdogs as in the config. A server of this machine or network may have to load its model first. */
function timeoutsOf(config: ProviderConfig | undefined, host: string): ModelTimeouts {
  const { connectTimeout, headerTimeout, chunkTimeout, timeout } = config?.options ?? {}
  const near = reachOf(host) !== "public"
  return {
    connect: connectTimeout ?? 15_000,
    firstByte: headerTimeout ?? (near ? 600_000 : 120_000),
    silence: chunkTimeout ?? 120_000,
    total: timeout ?? false,
  }
}
