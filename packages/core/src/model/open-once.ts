import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Fetch } from "../net/net.ts"
import type { ResolvedModel } from "./define.ts"

/**
 * Opens a package's model at the first call and keeps it: with each model a package makes its schemas anew, which
 * costs more than the rest of a step. Calls may run side by side, each through the `fetch` that it was opened with: it
 * is found by the call's signal, which packages pass on to `fetch`.
 */
export function openOnce(pinned: Fetch, open: (fetch: Fetch) => Promise<LanguageModelV4>): ResolvedModel["open"] {
  const routes = new WeakMap<AbortSignal, Fetch>()
  let newest = pinned
  const route = (input: string | URL | Request, init?: RequestInit) =>
    ((init?.signal && routes.get(init.signal)) ?? newest)(input, init)
  let opened: Promise<LanguageModelV4> | undefined
  const reopen = (error: unknown) => {
    opened = undefined
    throw error
  }
  return async (fetch = pinned) => {
    const model = await (opened ??= open(Object.assign(route, { preconnect: () => {} })).catch(reopen))
    const by = <Options extends { abortSignal?: AbortSignal | undefined }>(options: Options): Options => {
      newest = fetch
      if (options.abortSignal) routes.set(options.abortSignal, fetch)
      return options
    }
    return {
      specificationVersion: "v4",
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      doGenerate: (options) => model.doGenerate(by(options)),
      doStream: (options) => model.doStream(by(options)),
    }
  }
}
