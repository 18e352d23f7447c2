import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Log } from "@cairn/kernel/log"
import { until } from "@cairn/kernel/task"
import type { Tokens } from "@cairn/schema/model"
import type { ModelRequest } from "../model/call.ts"
import { tokensOf } from "../model/usage.ts"

const longest = 80
/** Enough for a title, whatever the model thinks first. Tokens. */
const maxOutputTokens = 2_000

/**
 * Asks the model for a title of the user's text, and tells what that took. Undefined when it gave none: a title is never
 * worth an error. An interruption ends it at once, without a title.
 */
export async function askTitle(
  call: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<LanguageModelV4StreamPart>,
  input: { system: string; text: string; log: Log; counted(tokens: Tokens): void },
  signal: AbortSignal,
): Promise<string | undefined> {
  let text = ""
  try {
    const content = [{ type: "text" as const, text: input.text.slice(0, 8_000) }]
    const request = {
      system: [input.system],
      messages: [{ role: "user" as const, content }],
      tools: [],
      toolChoice: { type: "none" as const },
      maxOutputTokens,
    }
    for await (const part of until(call(request, signal), signal)) {
      if (part.type === "error") throw part.error
      if (part.type === "text-delta") text += part.delta
      if (part.type === "finish") input.counted(tokensOf(part.usage))
    }
  } catch (error) {
    if (!signal.aborted) input.log.warn("no title came", { error })
    return undefined
  }
  return cleanTitle(text)
}

/** The first line with something in it, without quotes, bounded. */
export function cleanTitle(text: string): string | undefined {
  const line = text
    .replace(/<think>[\s\S]*?(<\/think>|$)/g, "")
    .split("\n")
    .map((each) => each.trim().replace(/^["'`#*\s]+|["'`*\s]+$/g, ""))
    .find((each) => each !== "")
  if (line === undefined) return undefined
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
