import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { MessageWithParts } from "@cairn/schema/message"
import { convertAssistant } from "./convert-assistant.ts"
import { convertUser } from "./convert-user.ts"
import type { Target } from "./target.ts"

/**
 * The messages of a request, built as the session grows: each message is converted once, when it is finished, and its
 * conversion never changes. So the messages of one request are a prefix of those of the next.
 */
export interface Context {
  push(message: MessageWithParts): void
  /** A new array; the messages in it are shared and must not be changed. */
  messages(): LanguageModelV4Message[]
  /** Stored messages that were converted so far. */
  readonly converted: number
}

export function createContext(target: Target, history: readonly MessageWithParts[] = []): Context {
  const messages: LanguageModelV4Message[] = []
  let converted = 0
  const push = (message: MessageWithParts) => {
    converted++
    messages.push(...convert(message, target))
  }
  for (const message of history) push(message)
  return {
    push,
    messages: () => [...messages],
    get converted() {
      return converted
    },
  }
}

function convert(message: MessageWithParts, target: Target): LanguageModelV4Message[] {
  return message.info.role === "user"
    ? convertUser(message.info, message.parts, target)
    : convertAssistant(message.info, message.parts, target)
}
