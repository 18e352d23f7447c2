import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"

/**
 * Gives the parts of one stream, one by one, without events of kinds that the package does not know: undefined for those.
 * An answer can be whole without them, so they are errors only when nothing else came. `passed` is told of each.
 */
export function createKnownOnly(
  passed: (error: unknown) => void,
): (part: LanguageModelV4StreamPart) => LanguageModelV4StreamPart | undefined {
  let strange: { readonly error: unknown } | undefined
  let content = false
  return (part) => {
    if (part.type === "error" && isStrange(part.error)) {
      passed(part.error)
      strange ??= { error: part.error }
      return undefined
    }
    content ||= part.type === "text-delta" || part.type === "tool-call"
    if (!strange || part.type !== "finish" || part.finishReason.unified !== "error") return part
    // Packages end such an answer as failed, and forget how it ended.
    return content
      ? { ...part, finishReason: { unified: "other", raw: undefined } }
      : { type: "error", error: strange.error }
  }
}

/** Kinds of events and of their contents without which an answer is not whole; so it is not for errors. */
const essential = /^(tool_use|text|text_delta|input_json_delta|message_\w+|content_block_\w+)$|^response\.|error|fail/i

/**
 * Valid JSON of an unknown form. Where the kind of the event or of the block in it is said, that decides; otherwise what
 * speaks of errors or calls is no such event: the answer is not whole without it.
 */
function isStrange(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error)) return false
  const { value } = error
  if (!isRecord(value)) return false
  const kind = kindOf(value["content_block"]) ?? kindOf(value["delta"]) ?? kindOf(value)
  if (kind !== undefined && !essential.test(kind)) return true
  const content = ["choices", "candidates", "type"].some((field) => field in value)
  const spoken = content ? JSON.stringify(value) : Object.keys(value).join(" ")
  return !(content ? /error|fail|detail|tool|function|call/i : /error|fail|detail|message|code/i).test(spoken)
}

const kindOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value["type"] === "string" ? value["type"] : undefined

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
