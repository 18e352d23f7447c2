import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"

/**
 * The stream without events of kinds that the package does not know. An answer can be whole without them, so they are
 * errors only when nothing else came. `passed` is told of each.
 */
export async function* knownOnly(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  passed: (error: unknown) => void,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  let strange: { readonly error: unknown } | undefined
  let content = false
  for await (const part of stream) {
    if (part.type === "error" && isStrange(part.error)) {
      passed(part.error)
      strange ??= { error: part.error }
      continue
    }
    content ||= part.type === "text-delta" || part.type === "tool-call"
    // Packages end such an answer as failed, and forget how it ended.
    if (strange && part.type === "finish" && part.finishReason.unified === "error")
      yield content
        ? { ...part, finishReason: { unified: "other", raw: undefined } }
        : { type: "error", error: strange.error }
    else yield part
  }
}

/** Valid JSON of an unknown form. What speaks of errors or calls is no such event: the answer is not whole without it. */
function isStrange(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error)) return false
  const { value } = error
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return !/error|fail|detail|tool|function|call/i.test(JSON.stringify(value))
}
