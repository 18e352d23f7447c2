import type { ModelInfo, ModelScope } from "@cairn/schema/model-info"
import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { ModelRef } from "@cairn/schema/model"
import type { Clock } from "@cairn/kernel/clock"
import { type Log, silentLog } from "@cairn/kernel/log"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Net } from "../net/net.ts"
import type { Env } from "../net/proxy.ts"
import { nearest } from "../config/nearest.ts"
import { buildModel, type Definition, mergeDefinition } from "./build-model.ts"
import type { Catalog } from "./catalog.ts"
import { findCredential, keyVariables } from "./credential.ts"
import { defaultChoices, newestModel } from "./default-model.ts"
import type { ResolvedModel } from "./define.ts"
import { demoModel, demoProviderID } from "./demo/demo.ts"
import { findEndpoint } from "./endpoint.ts"
import { modelInfo } from "./listing.ts"

/** The part of the config that says which models there are. */
export type ModelConfigSource = Pick<Config, "model" | "provider" | "enabled_providers" | "disabled_providers">

export interface ModelsOptions {
  readonly catalog: Catalog
  readonly config: ModelConfigSource
  readonly env: Env
  /** A key that was kept for a provider, if there is one. */
  readonly auth?: (providerID: string) => string | undefined
  readonly net: Net
  readonly clock: Clock
  readonly log: Log
}

export interface Models {
  /** `provider/model`, or the default when nothing is given. Unknown models and missing keys are errors to mend first. */
  resolve(ref?: string | ModelRef): Result<ResolvedModel, SetupError>
  /** The model that a run without a choice gets: the config's, else one whose key is present. */
  defaultRef(): Result<ModelRef, SetupError>
  /** Every model of catalogue and config as `provider/model`, those that contain `filter`. */
  list(filter?: string): string[]
  /** Those that can be called with the keys that are present, and those of the config; sorted. Some may still not resolve. */
  ready(): string[]
  /** What a list shows of them: all, or those that can be called with the keys that are present and those of the config. */
  infos(filter: string, scope: ModelScope): ModelInfo[]
  /** At most three references that may have been meant by `text`, best first. */
  suggest(text: string): string[]
}

/** Splits at the first slash; a model id may contain more. */
export function parseModelRef(text: string): ModelRef | undefined {
  const slash = text.indexOf("/")
  if (slash < 1 || slash === text.length - 1) return undefined
  return { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) }
}

export function createModels(options: ModelsOptions): Models {
  const resolve = (wanted?: string | ModelRef): Result<ResolvedModel, SetupError> => {
    if (wanted !== undefined) return resolveNamed(options, wanted)
    const chosen = defaultRef()
    return chosen.ok ? resolveNamed(options, chosen.value) : chosen
  }
  const defaultRef = (): Result<ModelRef, SetupError> => {
    const { model } = options.config
    if (model !== undefined) {
      const ref = parseModelRef(model)
      return ref ? ok(ref) : err(unknownModel(options, model, "A model is written provider/model (config key model)."))
    }
    for (const ref of candidates(options)) if (resolveNamed(options, ref).ok) return ok(ref)
    return err({ kind: "key", message: noModel })
  }
  const list = (filter = "") => {
    const own = ownRefs(options.config).filter((ref) => ref.toLowerCase().includes(filter.toLowerCase()))
    return [...new Set([...own, ...options.catalog.list(filter)])].sort()
  }
  const infos = (filter: string, scope: ModelScope) => {
    const has = (ref: string) => ref.toLowerCase().includes(filter.toLowerCase())
    const refs = scope === "all" ? list(filter) : [...readyRefs(options)].filter(has).sort()
    // Thousands of them are only looked at.
    const quiet = { ...options, log: silentLog }
    const known = refs.map((ref) => modelInfo(ref, { ...options, resolve: (wanted) => resolveNamed(quiet, wanted) }))
    return known.filter((model) => scope === "all" || model.source !== "catalogue" || model.problem === undefined)
  }
  const suggest = (text: string) => options.catalog.suggest(text, ownRefs(options.config))
  const ready = () => [...readyRefs(options)].sort()
  return { resolve, defaultRef, list, ready, infos, suggest }
}

function resolveNamed(options: ModelsOptions, wanted: string | ModelRef): Result<ResolvedModel, SetupError> {
  const { catalog, config } = options
  const ref = typeof wanted === "string" ? parseModelRef(wanted) : wanted
  if (!ref)
    return err(unknownModel(options, typeof wanted === "string" ? wanted : "", "A model is written provider/model."))
  const { providerID, modelID } = ref
  const name = `${providerID}/${modelID}`
  const provider = own(config.provider, providerID)
  if (providerID === demoProviderID && !provider) {
    const demo = demoModel(modelID)
    return demo ? withVariant(demo, ref.variant) : err(unknownModel(options, name))
  }
  const barred = barredBy(config, ref)
  if (barred) return err({ kind: "config", message: `The model ${name} is excluded by ${barred} in the config.` })
  const mine = own(provider?.models, modelID)
  const catalogID = provider?.id ?? providerID
  const known =
    catalog.model(catalogID, modelID) ?? (mine?.id === undefined ? undefined : catalog.model(catalogID, mine.id))
  if (!known && !mine) return err(unknownModel(options, name, declare(ref)))
  const model = assemble(options, { providerID, modelID }, mergeDefinition(known, mine))
  return model.ok ? withVariant(model.value, ref.variant) : model
}

/** The model as the variant wants it called. */
function withVariant(model: ResolvedModel, variant: string | undefined): Result<ResolvedModel, SetupError> {
  if (variant === undefined) return ok(model)
  const options = own(model.variants, variant)
  if (options) return ok({ ...model, ref: { ...model.ref, variant }, options: { ...model.options, ...options } })
  const { providerID, modelID } = model.ref
  const names = Object.keys(model.variants)
  const near = nearest(variant, names)
  const exist = names.length === 0 ? "It has none." : `There are: ${names.join(", ")}.`
  const hint = near === undefined ? "" : ` Did you mean ${near}?`
  const message = `The model ${providerID}/${modelID} has no variant ${JSON.stringify(variant.slice(0, 100))}.${hint} ${exist}`
  return err({ kind: "model", message })
}

function assemble(
  { catalog, config, env, auth, net, log }: ModelsOptions,
  ref: ModelRef,
  definition: Definition,
): Result<ResolvedModel, SetupError> {
  const { providerID, modelID } = ref
  const provider = own(config.provider, providerID)
  const known = catalog.provider(provider?.id ?? providerID)
  const endpoint = findEndpoint({ providerID, modelID, known, config: provider, model: definition, env })
  if (!endpoint.ok) return endpoint
  const { npm, baseURL } = endpoint.value
  const providerName = provider?.name ?? known?.name ?? providerID
  const credential = findCredential({
    providerID,
    providerName,
    baseURL,
    variables: provider?.env ?? keyVariables(known?.env ?? []),
    configured: provider?.options?.apiKey,
    stored: auth?.(providerID),
    inHeaders: Object.keys({ ...provider?.options?.headers, ...definition.headers }).some((header) =>
      /^(authorization|x-api-key|api-key|x-goog-api-key)$/i.test(header),
    ),
    env,
  })
  if (!credential.ok) return credential
  const { source } = credential.value
  log.debug("model resolved", { model: `${providerID}/${modelID}`, npm, host: new URL(baseURL).host, keyFrom: source })
  const parts = { ref, providerName, definition, config: provider, endpoint: endpoint.value }
  return ok(buildModel({ ...parts, credential: credential.value, net }))
}

/** What could be the default: models that the config declares, then the usual providers whose key is at hand. */
function* candidates(options: ModelsOptions): Generator<ModelRef> {
  const { catalog, config } = options
  for (const [providerID, { models }] of Object.entries(config.provider ?? {})) {
    const modelID = models && newestModel(models)
    if (modelID !== undefined) yield { providerID, modelID }
  }
  for (const { providerID, like } of defaultChoices) {
    const present = hasKey(options, providerID)
    const modelID = present ? newestModel(catalog.models(providerID), like) : undefined
    if (modelID !== undefined) yield { providerID, modelID }
  }
}

function hasKey({ catalog, config, env, auth }: ModelsOptions, providerID: string): boolean {
  const variables = keyVariables(catalog.provider(providerID)?.env ?? [])
  return Boolean(
    variables.some((name) => env[name]?.trim()) ||
    own(config.provider, providerID)?.options?.apiKey ||
    auth?.(providerID),
  )
}

/** Models that the config declares, the scripted one, and those of catalogue providers whose key is at hand. */
function readyRefs(options: ModelsOptions): Set<string> {
  const { catalog, config } = options
  const configured = new Set(Object.keys(config.provider ?? {}))
  const providers = catalog.providers().filter((id) => configured.has(id) || hasKey(options, id))
  const known = providers.flatMap((id) => Object.keys(catalog.models(id)).map((model) => `${id}/${model}`))
  return new Set([...ownRefs(config), ...known])
}

function unknownModel({ catalog, config }: ModelsOptions, text: string, advice = ""): SetupError {
  const own = ownRefs(config)
  const alike = catalog.suggest(text, own)
  // Letter pairs say little of short names: there a slip of the finger is looked for.
  const near = alike.length > 0 ? alike : [nearest(text, own) ?? []].flat()
  const hint = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text
  const message = `There is no model ${JSON.stringify(shown)}.${hint}${advice === "" ? "" : ` ${advice}`}`
  return { kind: "model", message }
}

/** Models that the catalogue does not have: those of the config, and the scripted one. */
function ownRefs({ provider = {} }: ModelConfigSource): string[] {
  const configured = Object.entries(provider).flatMap(([id, { models = {} }]) =>
    Object.keys(models).map((name) => `${id}/${name}`),
  )
  return [...configured, `${demoProviderID}/tour`]
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined
}

const noModel =
  "No model is configured and no key was found. Set the key of a provider in the environment, for example ANTHROPIC_API_KEY, " +
  'OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or choose a model in the config: "model": "provider/model". ' +
  "To see how it works without a key, use the scripted model: --model demo/tour in the tour project (npm start)."

function declare({ providerID, modelID }: ModelRef): string {
  return `If the provider has it, declare it in the config: provider.${providerID}.models["${modelID.slice(0, 100)}"].`
}

/** The config key that forbids the model, if one does. */
function barredBy(config: ModelConfigSource, { providerID, modelID }: ModelRef): string | undefined {
  const { whitelist, blacklist } = config.provider?.[providerID] ?? {}
  if (config.disabled_providers?.includes(providerID)) return "disabled_providers"
  if (config.enabled_providers && !config.enabled_providers.includes(providerID)) return "enabled_providers"
  if (blacklist?.includes(modelID)) return `provider.${providerID}.blacklist`
  return whitelist && !whitelist.includes(modelID) ? `provider.${providerID}.whitelist` : undefined
}
