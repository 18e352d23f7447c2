import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { ModelRef } from "@cairn/schema/model"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Net } from "../net/net.ts"
import type { Env } from "../net/proxy.ts"
import { buildModel, type Definition, mergeDefinition } from "./build-model.ts"
import type { Catalog } from "./catalog.ts"
import { findCredential, keyVariables } from "./credential.ts"
import { defaultChoices, newestModel } from "./default-model.ts"
import type { ResolvedModel } from "./define.ts"
import { demoModel, demoProviderID } from "./demo/demo.ts"
import { findEndpoint } from "./endpoint.ts"

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
}

/** Splits at the first slash; a model id may contain more. */
export function parseModelRef(text: string): ModelRef | undefined {
  const slash = text.indexOf("/")
  if (slash < 1 || slash === text.length - 1) return undefined
  return { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) }
}

export function createModels(options: ModelsOptions): Models {
  const { catalog, config, env, auth, net, log } = options
  const configured = (id: string) => (Object.hasOwn(config.provider ?? {}, id) ? config.provider?.[id] : undefined)
  const configRefs = () =>
    Object.entries(config.provider ?? {}).flatMap(([id, { models = {} }]) =>
      Object.keys(models).map((name) => `${id}/${name}`),
    )

  function define({ providerID, modelID }: ModelRef): Definition | undefined {
    const known = catalog.model(configured(providerID)?.id ?? providerID, modelID)
    const own = configured(providerID)?.models
    const mine = own && Object.hasOwn(own, modelID) ? own[modelID] : undefined
    const aliased = mine?.id === undefined ? undefined : catalog.model(providerID, mine.id)
    return known || mine ? mergeDefinition(known ?? aliased, mine) : undefined
  }

  function resolve(wanted?: string | ModelRef): Result<ResolvedModel, SetupError> {
    if (wanted === undefined) {
      const chosen = defaultRef()
      return chosen.ok ? resolve(chosen.value) : chosen
    }
    const ref = typeof wanted === "string" ? parseModelRef(wanted) : wanted
    if (!ref) return err(unknownModel(typeof wanted === "string" ? wanted : "", "A model is written provider/model."))
    const { providerID, modelID } = ref
    if (providerID === demoProviderID && !configured(providerID)) {
      const demo = demoModel(modelID)
      return demo ? ok(demo) : err(unknownModel(`${providerID}/${modelID}`))
    }
    const barred = barredBy(config, ref)
    if (barred)
      return err({
        kind: "config",
        message: `The model ${providerID}/${modelID} is excluded by ${barred} in the config.`,
      })
    const definition = define(ref)
    if (!definition) return err(unknownModel(`${providerID}/${modelID}`, declare(ref)))
    return assemble(ref, definition)
  }

  function assemble(ref: ModelRef, definition: Definition): Result<ResolvedModel, SetupError> {
    const { providerID, modelID } = ref
    const own = configured(providerID)
    const known = catalog.provider(own?.id ?? providerID)
    const endpoint = findEndpoint({ providerID, modelID, known, config: own, model: definition, env })
    if (!endpoint.ok) return endpoint
    const providerName = own?.name ?? known?.name ?? providerID
    const credential = findCredential({
      providerID,
      providerName,
      baseURL: endpoint.value.baseURL,
      variables: own?.env ?? keyVariables(known?.env ?? []),
      configured: own?.options?.apiKey,
      stored: auth?.(providerID),
      inHeaders: Object.keys({ ...own?.options?.headers, ...definition.headers }).some((name) =>
        /^(authorization|x-api-key|api-key|x-goog-api-key)$/i.test(name),
      ),
      env,
    })
    if (!credential.ok) return credential
    const { npm, baseURL } = endpoint.value
    log.debug("model resolved", {
      model: `${providerID}/${modelID}`,
      npm,
      host: new URL(baseURL).host,
      keyFrom: credential.value.source,
    })
    return ok(
      buildModel({
        ref,
        providerName,
        definition,
        config: own,
        endpoint: endpoint.value,
        credential: credential.value,
        net,
      }),
    )
  }

  function defaultRef(): Result<ModelRef, SetupError> {
    if (config.model !== undefined) {
      const ref = parseModelRef(config.model)
      return ref ? ok(ref) : err(unknownModel(config.model, "A model is written provider/model (config key model)."))
    }
    for (const ref of candidates()) if (resolve(ref).ok) return ok(ref)
    return err({ kind: "key", message: noModel })
  }

  /** What could be the default: models that the config declares, then the usual providers whose key is at hand. */
  function* candidates(): Generator<ModelRef> {
    for (const [providerID, { models }] of Object.entries(config.provider ?? {})) {
      const modelID = models && newestModel(models)
      if (modelID !== undefined) yield { providerID, modelID }
    }
    for (const { providerID, like } of defaultChoices) {
      const variables = keyVariables(catalog.provider(providerID)?.env ?? [])
      const present =
        variables.some((name) => env[name]?.trim()) || configured(providerID)?.options?.apiKey || auth?.(providerID)
      if (!present) continue
      const modelID = newestModel(catalog.models(providerID), like)
      if (modelID !== undefined) yield { providerID, modelID }
    }
  }

  function unknownModel(text: string, advice = ""): SetupError {
    const near = catalog.suggest(text, configRefs())
    const hint = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""
    const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text
    return {
      kind: "model",
      message: `There is no model ${JSON.stringify(shown)}.${hint}${advice === "" ? "" : ` ${advice}`}`,
    }
  }

  return {
    resolve,
    defaultRef,
    list: (filter = "") => {
      const own = configRefs().filter((ref) => ref.toLowerCase().includes(filter.toLowerCase()))
      return [...new Set([...own, ...catalog.list(filter)])].sort()
    },
  }
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
