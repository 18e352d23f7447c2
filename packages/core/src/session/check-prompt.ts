import type { SetupError } from "@cairn/schema/error"
import type { PromptPart } from "@cairn/schema/prompt"
import type { ResolvedModel } from "../model/define.ts"
import { charactersPerToken } from "./estimate.ts"

/** Largest file that a prompt may carry, bytes. */
export const largestFile = 20 * 1024 * 1024
/** A text of so many tokens fits no model, whatever nobody told us of it. */
const mostTokens = 1_000_000

/**
 * Why a prompt cannot be answered, before it is stored: nothing in it, or more than the model can take. What fits the
 * model alone but not the conversation is for compaction.
 */
export function checkPrompt(
  { parts, system }: { readonly parts: readonly PromptPart[]; readonly system?: string },
  { ref, limits }: Pick<ResolvedModel, "ref" | "limits">,
): SetupError | undefined {
  if (!parts.some(hasContent)) return { kind: "usage", message: "The prompt is empty. Say what is to be done." }
  for (const part of parts)
    if (part.type === "file" && part.url.length * 0.75 > largestFile)
      return tooLarge(part.filename ?? "The attached file")
  const text = parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), system?.length ?? 0)
  const tokens = Math.ceil(text / charactersPerToken)
  const most = limits.known ? (limits.input ?? limits.context) : mostTokens
  if (tokens <= most) return undefined
  const message =
    `The prompt is too long: about ${count(tokens)} tokens, and ${ref.providerID}/${ref.modelID} takes ${count(most)} at most. ` +
    "Put the text into a file and name it in the prompt: the model reads the parts that it needs."
  return { kind: "usage", message }
}

/** A prompt may be a file alone. */
const hasContent = (part: PromptPart): boolean => part.type !== "text" || part.text.trim() !== ""

/** The refusal of a file that no provider takes. */
export const tooLarge = (name: string): SetupError => ({
  kind: "file",
  message: `${name} is larger than ${largestFile / 1024 / 1024} MB. Name it in the prompt instead: the model can read parts of it.`,
})

const count = (tokens: number): string =>
  tokens < 10_000
    ? String(tokens)
    : tokens < 1_000_000
      ? `${Math.round(tokens / 1_000)}k`
      : `${(tokens / 1_000_000).toFixed(1)}M`
