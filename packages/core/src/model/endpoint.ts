import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { ProviderConfig } from "@cairn/schema/config-provider"
import type { Env } from "../net/proxy.ts"
import type { CatalogModel, CatalogProvider } from "./catalog.ts"
import { chatEndpoints, type Protocol, protocols } from "./protocol.ts"

export interface Endpoint {
  readonly npm: string
  readonly protocol: Protocol
  readonly baseURL: string
}

export interface EndpointInput {
  readonly providerID: string
  readonly modelID: string
  readonly known: CatalogProvider | undefined
  readonly config: ProviderConfig | undefined
  /** Catalogue and config of the model, merged. */
  readonly model: CatalogModel
  readonly env: Env
}

const chat = "@ai-sdk/openai-compatible"

/** Which package speaks to the model, and where. Config beats catalogue; in each the model's own entry beats the provider's. */
export function findEndpoint(input: EndpointInput): Result<Endpoint, SetupError> {
  const { providerID, modelID, known, config, model, env } = input
  const own = config?.models?.[modelID]?.provider
  const wanted = own?.npm ?? config?.npm ?? model.provider?.npm ?? known?.npm ?? chat
  const npm = Object.hasOwn(chatEndpoints, wanted) ? chat : wanted
  const protocol = Object.hasOwn(protocols, npm) ? protocols[npm] : undefined
  if (!protocol) return err(unsupported(providerID, wanted))
  const given = own?.api ?? config?.options?.baseURL ?? config?.api ?? model.provider?.api ?? known?.api
  const moved = protocol.baseURLEnv === undefined ? undefined : env[protocol.baseURLEnv]?.trim() || undefined
  const template = given ?? moved ?? chatEndpoints[wanted] ?? protocol.baseURL
  if (template === undefined)
    return err(misfit(`No address is known for ${providerID}. Set provider.${providerID}.options.baseURL.`))
  const missing = [...template.matchAll(/\$\{(\w+)\}/g)]
    .map((match) => match[1] ?? "")
    .find((name) => !env[name]?.trim())
  if (missing !== undefined)
    return err({
      kind: "key",
      message: `The address of ${known?.name ?? providerID} needs ${missing}. Set it in the environment, or set provider.${providerID}.options.baseURL.`,
    })
  const text = template.replace(/\$\{(\w+)\}/g, (_, name: string) => env[name]?.trim() ?? "")
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    return err(misfit(`${JSON.stringify(text)} is not an http address (provider.${providerID}.options.baseURL).`))
  const path = url.pathname === "/" ? (protocol.basePath ?? "") : url.pathname.replace(/\/+$/, "")
  return ok({ npm, protocol, baseURL: `${url.origin}${path}` })
}

function unsupported(providerID: string, npm: string): SetupError {
  return misfit(
    `The package ${npm} of provider ${providerID} is not supported. Supported: ${Object.keys(protocols).join(", ")}. ` +
      `If the provider offers an OpenAI-compatible address, set provider.${providerID}.npm to "${chat}" and provider.${providerID}.options.baseURL.`,
  )
}

const misfit = (message: string): SetupError => ({ kind: "config", message })
