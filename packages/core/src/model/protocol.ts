import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Fetch } from "../net/net.ts"

/** Everything a provider package is told. It reads nothing from the environment. */
export interface OpenSettings {
  readonly baseURL: string
  readonly apiKey: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  /** What else stands in the provider's `options`, for the package as it is. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Field of an assistant message that carries reasoning back (chat completions only). */
  readonly reasoningField: string | undefined
}

/** A wire protocol: the package that speaks it, imported when a model is opened. */
export interface Protocol {
  /** Key of `providerOptions` and `providerMetadata`. */
  readonly optionsKey: string
  readonly baseURL?: string
  /** Variable that moves the default base URL. */
  readonly baseURLEnv?: string
  /** Path added to an address that has none. */
  readonly basePath?: string
  /** The option that takes a key for the prompt cache; `asked`: only where the config has `setCacheKey`. */
  readonly cacheKey?: { readonly option: string; readonly asked: boolean }
  /** The form of ids of calls outside of which it refuses a request; absent when it takes any. */
  readonly callIDs?: RegExp
  /** Options sent with every call. */
  readonly options?: Readonly<Record<string, unknown>>
  open(modelID: string, settings: OpenSettings): Promise<LanguageModelV4>
}

/** Sent where a package insists on a key and the server (on this machine) needs none. */
const noKey = "none"

/** The packages we can use, by npm name. One row a protocol. */
export const protocols: Readonly<Record<string, Protocol>> = {
  "@ai-sdk/openai-compatible": {
    optionsKey: "compat",
    // The package hands on what it does not know; a server that is strict would refuse it.
    cacheKey: { option: "prompt_cache_key", asked: true },
    async open(modelID, { extra, baseURL, apiKey, headers, fetch, reasoningField }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
      return createOpenAICompatible({
        ...extra,
        name: "compat",
        baseURL,
        ...(apiKey === undefined ? {} : { apiKey }),
        headers: { ...headers },
        fetch,
        includeUsage: true,
        transformRequestBody: (body) => withReasoningField(body, reasoningField),
      }).chatModel(modelID)
    },
  },
  "@ai-sdk/anthropic": {
    optionsKey: "anthropic",
    callIDs: /^[a-zA-Z0-9_-]+$/,
    baseURL: "https://api.anthropic.com/v1",
    baseURLEnv: "ANTHROPIC_BASE_URL",
    basePath: "/v1",
    async open(modelID, { extra, baseURL, apiKey = noKey, headers, fetch }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic")
      return createAnthropic({ ...extra, baseURL, apiKey, headers: { ...headers }, fetch }).languageModel(modelID)
    },
  },
  "@ai-sdk/openai": {
    optionsKey: "openai",
    cacheKey: { option: "promptCacheKey", asked: false },
    baseURL: "https://api.openai.com/v1",
    baseURLEnv: "OPENAI_BASE_URL",
    // Nothing is kept at the provider, so reasoning comes back to us encrypted and is sent again.
    options: { store: false },
    async open(modelID, { extra, baseURL, apiKey = noKey, headers, fetch }) {
      const { createOpenAI } = await import("@ai-sdk/openai")
      return createOpenAI({ ...extra, baseURL, apiKey, headers: { ...headers }, fetch }).responses(modelID)
    },
  },
  "@ai-sdk/google": {
    optionsKey: "google",
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
    async open(modelID, { extra, baseURL, apiKey = noKey, headers, fetch }) {
      const { createGoogle } = await import("@ai-sdk/google")
      return createGoogle({ ...extra, baseURL, apiKey, headers: { ...headers }, fetch }).languageModel(modelID)
    },
  },
}

/** Providers whose own package we do not ship, at their endpoint for chat completions. */
export const chatEndpoints: Readonly<Record<string, string>> = {
  "@openrouter/ai-sdk-provider": "https://openrouter.ai/api/v1",
  "@ai-sdk/groq": "https://api.groq.com/openai/v1",
  "@ai-sdk/mistral": "https://api.mistral.ai/v1",
  "@ai-sdk/xai": "https://api.x.ai/v1",
  "@ai-sdk/deepinfra": "https://api.deepinfra.com/v1/openai",
  "@ai-sdk/togetherai": "https://api.together.xyz/v1",
  "@ai-sdk/cerebras": "https://api.cerebras.ai/v1",
  "@ai-sdk/perplexity": "https://api.perplexity.ai",
  "@ai-sdk/gateway": "https://ai-gateway.vercel.sh/v1",
  "@ai-sdk/vercel": "https://api.v0.dev/v1",
  "@ai-sdk/cohere": "https://api.cohere.ai/compatibility/v1",
  "venice-ai-sdk-provider": "https://api.venice.ai/api/v1",
}

type Message = Record<string, unknown>

/**
 * The package always says `reasoning_content`. Other servers call it otherwise, and those that want it back want it
 * on every message with calls, even when there was none.
 */
function withReasoningField(body: Record<string, unknown>, field: string | undefined): Record<string, unknown> {
  const messages = body["messages"]
  if (field === undefined || !Array.isArray(messages)) return body
  return {
    ...body,
    messages: messages.map((message: Message) => {
      if (message["role"] !== "assistant") return message
      const { reasoning_content: reasoning, ...rest } = message
      if (typeof reasoning === "string") return { ...rest, [field]: reasoning }
      return rest["tool_calls"] === undefined ? rest : { ...rest, [field]: "" }
    }),
  }
}
