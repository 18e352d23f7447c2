import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import { offersOf, type WrittenCall } from "./call.ts"
import { createTextScanner, type Piece, type TextScanner } from "./scan-text.ts"

type Part = LanguageModelV4StreamPart
type TextStart = Extract<Part, { type: "text-start" }>
type TextEnd = Extract<Part, { type: "text-end" }>

/**
 * Turns tool calls that a model wrote into its text into real ones, with ids of their own, when the answer ends with
 * them; a finish `stop` with such calls becomes `tool-calls`. What cannot be a call passes at once and byte for byte; a
 * stream that breaks gives what was held back as text. Calls followed by prose, and those that stand in what the user
 * or a tool gave the model (`repeats`), are text. Only names of `tools` are recognised, except that a call in a model's
 * own tokens is given whatever its name, so that the model learns the right ones.
 */
export async function* recoverTextCalls(
  stream: AsyncIterable<Part>,
  tools: readonly { readonly name: string }[],
  repeats: (text: string) => boolean,
): AsyncGenerator<Part, void, undefined> {
  if (tools.length === 0) return yield* stream
  const offers = offersOf(tools.map(({ name }) => name))
  const blocks = new Map<string, Block>()
  let recovered = 0
  const blockOf = (id: string): Block => {
    const known = blocks.get(id)
    if (known) return known
    const block = newBlock({ type: "text-start", id }, createTextScanner(offers, repeats))
    blocks.set(id, block)
    return block
  }
  let waiting: { block: Block; end: TextEnd } | undefined
  /** A text that ended with calls: they count when no other text follows. */
  function* settle(followed: boolean): Generator<Part> {
    if (!waiting) return
    const { block, end } = waiting
    waiting = undefined
    yield* close(block, followed ? block.scanner.abandon() : block.scanner.end(), end)
    recovered += block.calls
  }
  function* closeAll(broken: boolean): Generator<Part> {
    yield* settle(broken)
    for (const [id, block] of blocks) {
      yield* close(block, broken ? block.scanner.abandon() : block.scanner.end(), { type: "text-end", id })
      recovered += block.calls
    }
    blocks.clear()
  }
  try {
    for await (const part of stream) {
      if (part.type === "text-start") blocks.set(part.id, newBlock(part, createTextScanner(offers, repeats)))
      else if (part.type === "text-delta") {
        if (part.delta.trim() !== "") yield* settle(true)
        const block = blockOf(part.id)
        if (part.providerMetadata) block.metadata = { ...block.metadata, ...part.providerMetadata }
        yield* show(block, block.scanner.push(part.delta))
      } else if (part.type === "text-end") {
        const block = blockOf(part.id)
        blocks.delete(part.id)
        yield* show(block, block.scanner.flush())
        if (block.scanner.waits) {
          yield* settle(false)
          waiting = { block, end: part }
        } else yield* close(block, block.scanner.end(), part)
      } else if (part.type === "finish") {
        yield* closeAll(false)
        const { finishReason } = part
        const called = recovered > 0 && finishReason.unified === "stop"
        yield called ? { ...part, finishReason: { ...finishReason, unified: "tool-calls" } } : part
      } else {
        if (part.type === "error") yield* closeAll(true)
        if (part.type === "tool-input-start" || part.type === "tool-call") yield* settle(false)
        yield part
      }
    }
  } catch (error) {
    // What was held back is shown; the break itself goes on to whoever reads.
    yield* closeAll(true)
    throw error
  }
  yield* closeAll(true)
}

/** One text block of the stream, shown as as many as there is prose between its calls. */
interface Block {
  readonly start: TextStart
  readonly scanner: TextScanner
  /** Id of the text that is open. */
  shown?: string
  /** White space that is only shown if prose follows. */
  blank: string
  metadata: SharedV4ProviderMetadata | undefined
  texts: number
  calls: number
}

function newBlock(start: TextStart, scanner: TextScanner): Block {
  return { start, scanner, blank: "", metadata: undefined, texts: 0, calls: 0 }
}

function* show(block: Block, pieces: readonly Piece[]): Generator<Part> {
  for (const piece of pieces) {
    if (piece.type === "call") {
      yield* hide(block)
      block.blank = ""
      block.calls++
      yield* callParts(piece.call)
    } else if (block.shown === undefined && piece.text.trim() === "") block.blank += piece.text
    else yield* showText(block, piece.text)
  }
}

function* showText(block: Block, text: string): Generator<Part> {
  if (block.shown === undefined) {
    block.shown = block.texts === 0 ? block.start.id : `${block.start.id}-${block.texts}`
    block.texts++
    yield { ...block.start, id: block.shown }
  }
  const { metadata } = block
  yield {
    type: "text-delta",
    id: block.shown,
    delta: block.blank + text,
    ...(metadata && { providerMetadata: metadata }),
  }
  block.blank = ""
  block.metadata = undefined
}

function* hide(block: Block, end?: TextEnd): Generator<Part> {
  if (block.shown === undefined) return
  const metadata = end && block.metadata ? { ...block.metadata, ...end.providerMetadata } : end?.providerMetadata
  yield { type: "text-end", id: block.shown, ...(metadata && { providerMetadata: metadata }) }
  delete block.shown
}

function* close(block: Block, pieces: readonly Piece[], end: TextEnd): Generator<Part> {
  yield* show(block, pieces)
  // A text without any call is given as it came, also when it is empty or blank.
  if (block.shown === undefined && block.calls === 0) yield* showText(block, "")
  yield* hide(block, end)
}

function* callParts({ name, input }: WrittenCall): Generator<Part> {
  const id = freshID()
  yield { type: "tool-input-start", id, toolName: name }
  yield { type: "tool-input-delta", id, delta: input }
  yield { type: "tool-input-end", id }
  yield { type: "tool-call", toolCallId: id, toolName: name, input }
}

/** Nine letters and digits: Mistral takes no other ids, everybody takes these. */
function freshID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9))
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join("")
}
