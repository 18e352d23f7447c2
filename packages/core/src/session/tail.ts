import type { MessageWithParts } from "@cairn/schema/message"
import { messageTokens } from "./estimate.ts"
import { createContext } from "./context.ts"
import { isCompaction } from "./history.ts"
import type { Target } from "./target.ts"

/** A quarter of what is usable, within these bounds. Tokens. */
const [least, most] = [2_000, 15_000]

export const tailBudget = (usable: number, configured?: number): number =>
  configured ?? Math.min(most, Math.max(least, Math.floor(usable / 4)))

/**
 * Where the tail begins that stays verbatim beside a summary: an index into `messages`, at the end when nothing fits. A
 * call and its result are one message and stay together. What the user wrote last and nobody has answered is always in it.
 */
export function tailStart(messages: readonly MessageWithParts[], target: Target, budget: number): number {
  let start = messages.length
  let left = budget
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!
    if (isCompaction(message)) break
    const history = { opening: [], tail: [], since: [message] }
    left -= messageTokens(createContext(target, history).messages())
    const unanswered = message.info.role === "user" && start === index + 1 && onlyUser(messages.slice(index))
    if (left < 0 && !unanswered) break
    start = index
  }
  return start
}

const onlyUser = (messages: readonly MessageWithParts[]) => messages.every(({ info }) => info.role === "user")
