import type { Config } from "@cairn/schema/config"
import type { Catalog } from "../model/catalog.ts"
import { keyVariables } from "../model/credential.ts"
import type { Models } from "../model/registry.ts"
import type { Net } from "../net/net.ts"
import type { Check } from "./check.ts"

interface ModelsInput {
  readonly models: Models
  readonly catalog: Catalog
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Which keys are there, by the names of their variables alone, and which model a run without a choice gets. */
export function modelChecks({ models, catalog, config, env }: ModelsInput): Check[] {
  const names = new Set<string>()
  for (const id of catalog.providers())
    for (const name of keyVariables(catalog.provider(id)?.env ?? [])) if (env[name]?.trim()) names.add(name)
  const declared = Object.entries(config.provider ?? {}).flatMap(([id, { options }]) => (options?.apiKey ? [id] : []))
  const keys = [...[...names].sort(), ...declared.map((id) => `provider.${id} (config)`)]
  return [
    { area: "models", name: "keys", state: keys.length === 0 ? "note" : "ok", text: keys.join(", ") || "none found" },
    defaultCheck(models, config),
    ...fallbackChecks(models, config),
  ]
}

function defaultCheck(models: Models, config: Config): Check {
  const base = { area: "models", name: "default" } as const
  const found = models.resolve()
  if (!found.ok) {
    // Without any choice the scripted model still works; a choice that cannot be followed stops every run.
    const [state, text] =
      config.model === undefined ? (["warning", "none"] as const) : (["broken", config.model] as const)
    return { ...base, state, text, advice: found.error.message }
  }
  const { ref, keySource } = found.value
  const why =
    config.model === undefined ? "the first usual provider or declared model that can be used" : "from the config"
  const key = keySource === "none" ? "no key needed" : `key from ${keySource}`
  return { ...base, state: "ok", text: `${ref.providerID}/${ref.modelID} (${why}; ${key})` }
}

/** A name that means nothing stops every run; a model that cannot be used here is only left out. */
function fallbackChecks(models: Models, { model_fallback: names = [] }: Config): Check[] {
  if (names.length === 0) return []
  const found = names.map((name) => ({ name, model: models.resolve(name) }))
  const problems = found.flatMap(({ name, model }) => {
    if (!model.ok) return [{ fatal: model.error.kind !== "key", advice: `${name}: ${model.error.message}` }]
    return model.value.capabilities.toolcall ? [] : [{ fatal: false, advice: `${name} cannot call tools.` }]
  })
  const state = problems.some(({ fatal }) => fatal) ? "broken" : problems.length > 0 ? "warning" : "ok"
  const advice = problems.length > 0 ? { advice: problems.map((one) => one.advice).join(" ") } : {}
  return [{ area: "models", name: "fallback", state, text: names.join(", "), ...advice }]
}

/** One TCP connection to where the default model is. Nothing is sent. Interruption rejects with the reason. */
export async function networkCheck(models: Models, net: Net, signal: AbortSignal): Promise<Check> {
  const base = { area: "network", name: "provider" } as const
  const found = models.resolve()
  const url = found.ok ? found.value.baseURL : undefined
  if (url === undefined) return { ...base, state: "note", text: "no provider to reach" }
  const reached = await net.probe(url, signal)
  const { host } = new URL(url)
  if (reached.ok) return { ...base, state: "ok", text: `${host} takes connections` }
  return {
    ...base,
    state: "broken",
    text: reached.error.message,
    advice: "Check the connection, the proxy variables, and the baseURL.",
  }
}
