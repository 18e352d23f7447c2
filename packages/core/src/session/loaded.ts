import type { MessageWithParts } from "@cairn/schema/message"
import { historyOf } from "./history.ts"

/**
 * Files of instructions that joined results and that the model still has before it: those of cleared results and of
 * messages that were compacted are gone, and may join again.
 */
export function loadedIn(stored: readonly MessageWithParts[]): string[] {
  const { tail, since } = historyOf(stored, 0)
  return [...tail, ...since]
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      if (part.type !== "tool" || part.state.status !== "completed" || part.state.time.compacted) return []
      const { loaded } = part.state.metadata
      return Array.isArray(loaded) ? loaded.filter((path): path is string => typeof path === "string") : []
    })
}
