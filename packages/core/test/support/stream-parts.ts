import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"

type Part = LanguageModelV4StreamPart

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** What a provider package streams for one text in these deltas, then `more`, then a finish. */
export async function* textStream(deltas: readonly string[], more: readonly Part[] = []): AsyncGenerator<Part> {
  yield { type: "stream-start", warnings: [] }
  yield { type: "text-start", id: "txt" }
  for (const delta of deltas) yield { type: "text-delta", id: "txt", delta }
  yield { type: "text-end", id: "txt" }
  yield* more
  yield { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } }
}

export async function collect(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = []
  for await (const part of parts) all.push(part)
  return all
}

/** The text in pieces, cut at these places. */
export function cutAt(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end))
}
