import type { PromptPart } from "@cairn/schema/prompt"
import { convertFile } from "./convert-user.ts"
import type { Target } from "./target.ts"

/** The files of a prompt that the model gets no more of than a note, a sentence each, for the user. */
export function leftOutOf(parts: readonly PromptPart[], target: Target): string[] {
  return parts.flatMap((part) => {
    // What lies in a file is looked at when it is taken in.
    if (part.type !== "file" || !part.url.startsWith("data:")) return []
    const sent = convertFile(part, target)
    const note = sent.type === "text" ? /^\[(The file .*)\]$/s.exec(sent.text)?.[1] : undefined
    return note === undefined ? [] : [`${note}; the model is told`]
  })
}
