import type { CatalogModel } from "./catalog.ts"

/** Where a model is looked for when none is configured, in order, and which of its models suit. */
export const defaultChoices: readonly { readonly providerID: string; readonly like: RegExp }[] = [
  { providerID: "anthropic", like: /^claude-sonnet-/ },
  { providerID: "openai", like: /^gpt-[\d.]+$/ },
  { providerID: "google", like: /^gemini-[\d.]+-(pro|flash)$/ },
  { providerID: "openrouter", like: /^anthropic\/claude-sonnet-/ },
  { providerID: "deepseek", like: /^deepseek-v\d+-pro$/ },
  { providerID: "xai", like: /^grok-[\d.]+$/ },
  { providerID: "mistral", like: /^mistral-medium/ },
  { providerID: "moonshotai", like: /^kimi-k[\d.]+(-code)?$/ },
  { providerID: "zai", like: /^glm-[\d.]+$/ },
  { providerID: "minimax", like: /^MiniMax-M[\d.]+$/ },
  { providerID: "alibaba", like: /^qwen[\d.]+-(plus|max)$/ },
  { providerID: "groq", like: /gpt-oss-120b$/ },
  { providerID: "cerebras", like: /glm|gpt-oss/ },
  { providerID: "togetherai", like: /GLM|Kimi/ },
  { providerID: "fireworks-ai", like: /models\/(glm|kimi)/ },
]

/** The newest model that can call tools, of those that `like` names if there are any. */
export function newestModel(models: Readonly<Record<string, CatalogModel>>, like?: RegExp): string | undefined {
  const usable = Object.entries(models).filter(
    ([, model]) => model.tool_call !== false && (model.status === undefined || model.status === "active"),
  )
  const liked = like ? usable.filter(([id]) => like.test(id)) : []
  const pool = liked.length > 0 ? liked : usable
  return pool.toSorted(([a, one], [b, two]) => {
    const newer = (two.release_date ?? "").localeCompare(one.release_date ?? "")
    return newer === 0 ? a.length - b.length || (a < b ? -1 : 1) : newer
  })[0]?.[0]
}
