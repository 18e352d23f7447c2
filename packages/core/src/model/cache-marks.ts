import type { LanguageModelV4FunctionTool, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider"

interface Prompt {
  readonly system: readonly LanguageModelV4Message[]
  readonly messages: readonly LanguageModelV4Message[]
  readonly tools: readonly LanguageModelV4FunctionTool[]
}

/**
 * Puts Anthropic's cache breakpoints (four at most) on the last tool, the static system block and the last two
 * user-side messages. Neighbouring user and tool messages are one message on the wire and count once.
 */
export function markCache({ system, messages, tools }: Prompt): Prompt {
  const userSide = (message: LanguageModelV4Message | undefined) => message?.role === "user" || message?.role === "tool"
  const ends = messages.flatMap((message, at) => (userSide(message) && !userSide(messages[at + 1]) ? [at] : []))
  const marked = new Set(ends.slice(-2))
  return {
    tools: tools.map((tool, at) => (at === tools.length - 1 ? mark(tool) : tool)),
    system: system.map((block, at) => (at === 0 ? mark(block) : block)),
    messages: messages.map((message, at) => (marked.has(at) ? mark(message) : message)),
  }
}

function mark<T extends { providerOptions?: SharedV4ProviderOptions }>(item: T): T {
  const anthropic = { ...item.providerOptions?.["anthropic"], cacheControl: { type: "ephemeral" } }
  return { ...item, providerOptions: { ...item.providerOptions, anthropic } }
}
