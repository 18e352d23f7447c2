import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { MessageWithParts } from "@cairn/schema/message"
import { type CallIDs, createCallIDs } from "./call-ids.ts"
import { convertAssistant } from "./convert-assistant.ts"
import { convertUser } from "./convert-user.ts"
import { messageTokens } from "./estimate.ts"
import { type History, isCompaction } from "./history.ts"
import { refusedFiles } from "./refused-files.ts"
import type { Target } from "./target.ts"

/**
 * The messages of a request, built as the session grows: each message is converted once, when it is finished, and its
 * conversion never changes. So the messages of one request are a prefix of those of the next, until a compaction
 * or a prune begins a new context.
 */
export interface Context {
  push(message: MessageWithParts): void
  /** A new array; the messages in it are shared and must not be changed. */
  messages(): LanguageModelV4Message[]
  /** Tokens of the next request: what the provider counted last, and an estimate of what came since. `fixed` estimates system prompt and tools, where nothing was counted. */
  tokens(fixed: () => number): number
  /** Some of it was counted by a provider. */
  readonly counted: boolean
  /** Stored messages that were converted so far. */
  readonly converted: number
}

/** `counted: false`: what the provider counted before holds no more, since results were cleared. */
export function createContext(
  target: Target,
  history: History,
  options: { counted: boolean } = { counted: true },
): Context {
  const messages: LanguageModelV4Message[] = [...history.opening]
  const ids = createCallIDs()
  let converted = 0
  let counted: { readonly tokens: number; readonly length: number } | undefined

  const add = (message: MessageWithParts, taker: Target): LanguageModelV4Message[] => {
    converted++
    const made = isCompaction(message) ? [] : convert(message, taker, ids)
    messages.push(...made)
    return made
  }
  const push = (message: MessageWithParts, refused = false) => {
    const before = messages.length
    add(message, refused ? { ...target, withoutFiles: "the provider refused a request with it" } : target)
    // The provider counted the request and its answer, but not the results of the answer's calls.
    const tokens = message.info.role === "assistant" ? message.info.tokens.total : undefined
    if (tokens && messages.length > before) counted = { tokens, length: before + 1 }
  }
  // What was said before a compaction was counted in another context, and its media are not sent again.
  for (const message of history.tail) add(message, { ...target, accepts: () => false })
  const refused = refusedFiles(history.since, target)
  for (const message of history.since) push(message, refused.has(message.info.id))
  if (!options.counted) counted = undefined
  return {
    push: (message) => push(message),
    messages: () => [...messages],
    tokens: (fixed) =>
      counted ? counted.tokens + messageTokens(messages.slice(counted.length)) : fixed() + messageTokens(messages),
    get counted() {
      return counted !== undefined
    },
    get converted() {
      return converted
    },
  }
}

function convert(message: MessageWithParts, target: Target, ids: CallIDs): LanguageModelV4Message[] {
  return message.info.role === "user"
    ? convertUser(message.info, message.parts, target)
    : convertAssistant(message.info, message.parts, target, ids)
}
