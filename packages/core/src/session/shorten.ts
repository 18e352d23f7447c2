import type { LanguageModelV4Message } from "@ai-sdk/provider"

/** Characters of a tool result that a summary may need at most. */
const longestResult = 2_000
/** And of a text of the user: more than that is no request, but what it is about. */
const longestText = 8_000

/**
 * A conversation cut down until it can be summed up. 0 leaves it as it is; from 1 on long results and texts are cut and media named;
 * from 2 on the older half of what is left goes as well, the first message aside, each time again.
 */
export function shorten(messages: readonly LanguageModelV4Message[], cut: number): LanguageModelV4Message[] {
  if (cut === 0) return [...messages]
  let kept = messages.map(withoutBulk)
  for (let half = 1; half < cut; half++) kept = newerHalf(kept)
  return kept
}

function withoutBulk(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role === "user")
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === "file"
          ? { type: "text", text: `[attached: ${part.filename ?? "a file"} (${part.mediaType})]` }
          : { ...part, text: middleCut(part.text) },
      ),
    }
  if (message.role !== "tool") return message
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result") return part
      const text = textOf(part.output)
      const value = text.length > longestResult ? `${text.slice(0, longestResult)}\n[cut]` : text
      return { ...part, output: { type: part.output.type === "error-text" ? "error-text" : "text", value } }
    }),
  }
}

/** People say what they want before or after what they paste. */
function middleCut(text: string): string {
  if (text.length <= longestText) return text
  const half = longestText / 2
  return `${text.slice(0, half)}\n[${text.length - longestText} characters are left out]\n${text.slice(-half)}`
}

function textOf(
  output: Extract<
    Extract<LanguageModelV4Message, { role: "tool" }>["content"][number],
    { type: "tool-result" }
  >["output"],
): string {
  if (output.type === "text" || output.type === "error-text") return output.value
  if (output.type === "content")
    return output.value.map((item) => (item.type === "text" ? item.text : "[a file]")).join("\n")
  return JSON.stringify(output)
}

/** The first message and the newer half, beginning with something that is no result of a call that is gone. */
function newerHalf(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const [first, ...rest] = messages
  if (!first) return []
  const newer = rest.slice(Math.ceil(rest.length / 2))
  const begin = newer.findIndex((message) => message.role !== "tool")
  return [first, ...(begin < 0 ? [] : newer.slice(begin))]
}
