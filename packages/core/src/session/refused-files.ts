import type { MessageWithParts } from "@cairn/schema/message"
import type { Target } from "./target.ts"

/** What a provider says that cannot make anything of a request; 404 where its words are about files. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 415, 422])
const aboutFiles = /image|picture|pdf|document|media|vision|modalit|attachment/i

/**
 * Messages whose files this model's provider refused: those of a request that it answered with an error, as far as they
 * were new in it. They would be refused in every later request too.
 */
export function refusedFiles(messages: readonly MessageWithParts[], target: Target): ReadonlySet<string> {
  const refused = new Set<string>()
  for (const [index, { info, parts }] of messages.entries()) {
    if (info.role !== "assistant" || info.error?.name !== "APIError" || parts.some(isContent)) continue
    if (info.providerID !== target.providerID || info.modelID !== target.modelID) continue
    const { statusCode, message } = info.error.data
    if (!refusals.has(statusCode) && !(statusCode === 404 && aboutFiles.test(message))) continue
    for (const before of messages.slice(0, index).toReversed()) {
      refused.add(before.info.id)
      if (before.info.role === "assistant" && before.parts.some(isContent)) break
    }
  }
  return refused
}

const isContent = ({ type }: MessageWithParts["parts"][number]) =>
  type === "text" || type === "reasoning" || type === "tool"
