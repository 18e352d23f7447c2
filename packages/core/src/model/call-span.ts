import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Clock } from "@cairn/kernel/clock"
import { noSpan, type Span, type Tracer } from "@cairn/kernel/span"
import type { ModelRequest } from "./call.ts"
import type { ResolvedModel } from "./define.ts"
import { finishOf, tokensOf } from "./usage.ts"

type Parts = AsyncIterable<LanguageModelV4StreamPart>

/** Names that the conventions have for providers we call otherwise. */
const providerNames: Readonly<Record<string, string>> = {
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
}

export interface TracedCall {
  readonly sessionID: string
  readonly model: ResolvedModel
  readonly request: ModelRequest
  readonly clock: Clock
}

/**
 * The stream of a call as it is, with a span below `parent` as long as it is read, by OpenTelemetry's conventions for
 * generative AI: models, settings and counts, never a word that was sent or came. Where nobody traces it costs nothing.
 */
export function tracedCall(parent: Tracer, call: TracedCall, stream: Parts): Parts {
  return parent === noSpan ? stream : watched(parent, call, stream)
}

function begin(parent: Tracer, { sessionID, model: { ref }, request }: TracedCall): Span {
  return parent.span(`chat ${ref.modelID}`, {
    "cairn.kind": "model_call",
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerNames[ref.providerID] ?? ref.providerID,
    "gen_ai.request.model": ref.modelID,
    "gen_ai.conversation.id": sessionID,
    "gen_ai.request.stream": true,
    "gen_ai.request.max_tokens": request.maxOutputTokens,
    "gen_ai.request.temperature": request.temperature,
    "gen_ai.request.top_p": request.topP,
  })
}

/** Without an end of the stream's own it was interrupted: then whoever reads lets go, and so does the span. */
async function* watched(
  parent: Tracer,
  call: TracedCall,
  stream: Parts,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  using span = begin(parent, call)
  const start = call.clock.monotonic()
  let first = true
  let over = false
  try {
    for await (const part of stream) {
      if (first && gives(part)) {
        first = false
        span.set({ "gen_ai.response.time_to_first_chunk": (call.clock.monotonic() - start) / 1_000 })
      }
      if (part.type === "error") span.fail(kindOf(part.error))
      if (part.type === "finish") finished(span, part)
      over ||= part.type === "error" || part.type === "finish"
      yield part
    }
  } finally {
    if (!over) span.fail("interrupted")
  }
}

const gives = ({ type }: LanguageModelV4StreamPart): boolean =>
  type === "text-delta" || type === "reasoning-delta" || type === "tool-input-start" || type === "tool-call"

function finished(span: Span, { usage, finishReason }: Extract<LanguageModelV4StreamPart, { type: "finish" }>): void {
  const { input, output, reasoning, cache } = tokensOf(usage)
  span.set({
    "gen_ai.response.finish_reasons": [finishOf(finishReason)],
    "gen_ai.usage.input_tokens": input + cache.read + cache.write,
    "gen_ai.usage.output_tokens": output + reasoning,
    "gen_ai.usage.reasoning.output_tokens": reasoning || undefined,
    "gen_ai.usage.cache_read.input_tokens": cache.read || undefined,
    "gen_ai.usage.cache_creation.input_tokens": cache.write || undefined,
  })
}

/** A status, a code or a name; a message may quote the request. */
function kindOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "error"
  if ("statusCode" in error && typeof error.statusCode === "number") return String(error.statusCode)
  if ("code" in error && typeof error.code === "string" && /^[\w.-]{1,64}$/.test(error.code)) return error.code
  return error instanceof Error ? error.name : "error"
}
