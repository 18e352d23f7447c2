import type { LanguageModelV4Message } from "@ai-sdk/provider"

/**
 * Does a text stand in what the user or a tool gave the model? White space, the numbers of lines and a fence around it
 * do not count. Asked only for what looks like a call, so the conversation is not gone through before.
 */
export function createRepeats(messages: readonly LanguageModelV4Message[]): (text: string) => boolean {
  let given: string | undefined
  return (text) => {
    const wanted = squeezed(unwrapped(text))
    if (wanted === "") return false
    given ??= givenIn(messages)
    return given.includes(wanted)
  }
}

/** Between the texts, and between a text and itself without line numbers, so that none runs into the next. */
const border = "\n"

function givenIn(messages: readonly LanguageModelV4Message[]): string {
  const all: string[] = []
  for (const { role, content } of messages) {
    if (role !== "user" && role !== "tool") continue
    for (const part of content) {
      if (part.type === "text") all.push(part.text)
      else if (part.type === "tool-result") all.push(...stringsIn(part.output))
    }
  }
  return all.flatMap((text) => [squeezed(text), squeezed(text.replace(/^\s*\d+[\t:|→]/gm, ""))]).join(border)
}

/** Every string of an output, whatever its form. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const unwrapped = (text: string): string => text.trim().replace(/^`{3,}[\w-]*|`+$/g, "")

const squeezed = (text: string): string => text.replace(/\s+/g, "")
