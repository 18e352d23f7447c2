import type { LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { ResolvedModel } from "../define.ts"
import { recoverTextCalls } from "./recover-text-calls.ts"
import { createRepeats } from "./repeats.ts"
import { splitThinking } from "./split-thinking.ts"

/** The stream as a model with these quirks meant it. Thinking first: what it only thinks of calling is no call. */
export function applyQuirks(
  quirks: ResolvedModel["quirks"],
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  tools: readonly { readonly name: string }[],
  messages: readonly LanguageModelV4Message[],
): AsyncIterable<LanguageModelV4StreamPart> {
  const split = quirks.includes("think-tags") ? splitThinking(stream) : stream
  return quirks.includes("text-tools") ? recoverTextCalls(split, tools, createRepeats(messages)) : split
}
