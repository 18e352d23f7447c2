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
  let answered = false
  const newest = messages.findLastIndex(isWritten)
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!
    if (isCompaction(message)) break
    const sent = createContext(target, { opening: [], tail: [], since: [message] }).messages()
    // An answer that broke off before it said anything is no answer.
    answered ||= message.info.role === "assistant" && sent.length > 0
    left -= sent.length === 0 ? 0 : messageTokens(sent)
    if (left < 0 && answered) break
    start = index
    // Prompts before it that nobody could answer must not keep it from being answered.
    answered ||= index === newest
  }
  return start
}

/** Something that the user said, not a note of ours. */
const isWritten = ({ info, parts }: MessageWithParts): boolean =>
  info.role === "user" && parts.some((part) => part.type !== "compaction" && !("synthetic" in part && part.synthetic))
