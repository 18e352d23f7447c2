import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider"

/**
 * Chat completions take only text from a tool: files of results move into a user message after them. The same
 * messages give the same result, so that a prompt stays a prefix of the next one.
 */
export function filesAfterResults(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return messages.flatMap((message): LanguageModelV4Message[] => {
    if (message.role !== "tool") return [message]
    const files: LanguageModelV4FilePart[] = []
    const content = message.content.map((part) => (part.type === "tool-result" ? textOnly(part, files) : part))
    if (files.length === 0) return [message]
    const note = `The ${files.length === 1 ? "file" : "files"} of the tool results above, in their order:`
    return [
      { ...message, content },
      { role: "user", content: [{ type: "text", text: note }, ...files] },
    ]
  })
}

function textOnly(
  part: LanguageModelV4ToolResultPart,
  files: LanguageModelV4FilePart[],
): LanguageModelV4ToolResultPart {
  const { output } = part
  if (output.type !== "content") return part
  const texts: string[] = []
  for (const piece of output.value) {
    if (piece.type === "text") texts.push(piece.text)
    if (piece.type === "file") files.push(piece)
  }
  return { ...part, output: { type: "text", value: texts.join("\n") } }
}
