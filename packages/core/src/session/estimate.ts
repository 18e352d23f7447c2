import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { ModelTool } from "../model/call.ts"

/** What a picture or a document costs, whatever its bytes. Tokens. */
export const mediaTokens = 1_500

/** Of a text where nobody has counted its tokens. */
export const charactersPerToken = 4

export const textTokens = (text: string): number => Math.ceil(text.length / charactersPerToken)

/** Tokens of each tool as it stands in a request. */
export const toolTokens = (tools: readonly ModelTool[]): Record<string, number> =>
  Object.fromEntries(tools.map((tool) => [tool.name, textTokens(JSON.stringify(tool))]))

/** Tokens of messages as they would be sent, by the same measure; media count apart from their bytes. */
export function messageTokens(messages: readonly LanguageModelV4Message[]): number {
  let media = 0
  const text = JSON.stringify(messages, (key, value: unknown) => {
    if (key !== "data" || typeof value !== "object" || value === null || !("data" in value)) return value
    media++
    return "media"
  })
  return textTokens(text) + media * mediaTokens
}
