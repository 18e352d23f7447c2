import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import { createThinkingScanner, type ThinkingPiece, type ThinkingScanner } from "./scan-thinking.ts"

type Part = LanguageModelV4StreamPart

/**
 * Turns thinking that a model wrote at the start of its text into reasoning: `<think>…</think>`, `<thinking>`, GPT-OSS's
 * analysis channel, also without the opening tag (templates put it into the prompt) and without the closing one.
 * Other text passes byte for byte. An answer that does not begin with a tag is held back until its end, a closing
 * tag that begins a line or stands right behind a word, or a native call, because only that tells what it was.
 */
export async function* splitThinking(stream: AsyncIterable<Part>): AsyncGenerator<Part, void, undefined> {
  let block: Block | undefined
  let begun = false
  let unopened = true
  try {
    for await (const part of stream) {
      if (part.type === "reasoning-start") unopened = false
      if (part.type === "text-start" && !begun) {
        begun = true
        block = { start: part, scanner: createThinkingScanner(unopened), metadata: undefined }
      } else if (part.type === "text-delta" && block?.start.id === part.id) {
        if (part.providerMetadata) block.metadata = { ...block.metadata, ...part.providerMetadata }
        yield* show(block, block.scanner.push(part.delta))
      } else if (part.type === "text-end" && block?.start.id === part.id) {
        yield* close(block, part)
        block = undefined
      } else {
        if (block && endsHold.has(part.type)) yield* show(block, block.scanner.end())
        if (block && (part.type === "finish" || part.type === "error")) {
          yield* close(block, { type: "text-end", id: block.start.id })
          block = undefined
        }
        yield part
      }
    }
  } catch (error) {
    // What was held back is shown; the break itself goes on to whoever reads.
    if (block) yield* close(block, { type: "text-end", id: block.start.id })
    throw error
  }
  if (block) yield* close(block, { type: "text-end", id: block.start.id })
}

const endsHold = new Set<Part["type"]>(["tool-input-start", "tool-call"])

interface Block {
  readonly start: Extract<Part, { type: "text-start" }>
  readonly scanner: ThinkingScanner
  /** What is open now. */
  shown?: "reasoning" | "text"
  metadata: SharedV4ProviderMetadata | undefined
}

function* show(block: Block, pieces: readonly ThinkingPiece[]): Generator<Part> {
  const { id } = block.start
  for (const { type, text } of pieces) {
    if (block.shown !== type) {
      if (block.shown === "reasoning") yield { type: "reasoning-end", id: `${id}-think` }
      yield type === "text" ? block.start : { type: "reasoning-start", id: `${id}-think` }
      block.shown = type
    }
    if (type === "reasoning") yield { type: "reasoning-delta", id: `${id}-think`, delta: text }
    else {
      const { metadata } = block
      block.metadata = undefined
      yield { type: "text-delta", id, delta: text, ...(metadata && { providerMetadata: metadata }) }
    }
  }
}

function* close(block: Block, end: Extract<Part, { type: "text-end" }>): Generator<Part> {
  yield* show(block, block.scanner.end())
  const { id } = block.start
  if (block.shown === "reasoning") yield { type: "reasoning-end", id: `${id}-think` }
  if (block.shown === undefined) yield block.start
  if (block.shown === "reasoning") return
  const metadata = block.metadata && { ...block.metadata, ...end.providerMetadata }
  yield metadata ? { ...end, providerMetadata: metadata } : end
}
