import type { MessageWithParts } from "@cairn/schema/message"
import type { ToolPart } from "@cairn/schema/part"
import { textTokens } from "./estimate.ts"

/** Results that are instructions, not findings. */
const kept = new Set(["skill"])

/**
 * The tool results that may be cleared: older than the last two user turns and beyond the newest `protect` tokens of
 * results. None, when they are fewer than `minimum` tokens: then it is not worth a new prompt.
 */
export function prunable(messages: readonly MessageWithParts[], usable: number): ToolPart[] {
  const protect = Math.min(40_000, usable / 2)
  const minimum = Math.min(20_000, usable / 4)
  const candidates: ToolPart[] = []
  let turns = 0
  let seen = 0
  let freed = 0
  for (const { info, parts } of messages.toReversed()) {
    if (info.role === "user" && info.metadata?.["delivery"] !== "steer" && parts.some(isWritten)) turns++
    for (const part of parts.toReversed()) {
      if (part.type !== "tool" || part.state.status !== "completed" || kept.has(part.tool)) continue
      if (part.state.time.compacted !== undefined) return freed >= minimum ? candidates : []
      const tokens = textTokens(part.state.output)
      seen += tokens
      if (turns < 2 || seen <= protect) continue
      candidates.push(part)
      freed += tokens
    }
  }
  return freed >= minimum ? candidates : []
}

/** The user's own words, not a note of ours. */
const isWritten = (part: MessageWithParts["parts"][number]): boolean =>
  part.type === "file" || (part.type === "text" && part.synthetic !== true)
