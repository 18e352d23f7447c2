import { requestedModel, type CapturedRequest } from "../request.ts"
import type { Finish, ScriptedUsage, Step } from "../scenario.ts"
import { checkAnthropic } from "./anthropic-check.ts"
import { pieces, stream, type Protocol, type Wire } from "./wire.ts"

const words: Record<string, string> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
}

/** Anthropic Messages: `POST /v1/messages`. */
export const anthropicProtocol: Protocol = {
  name: "anthropic",
  base: "/v1",
  route: /^\/v1\/messages$/,
  key: { header: "x-api-key", scheme: "" },
  headers: stream,
  check: checkAnthropic,
  wire: (request, usage) => new AnthropicWire(request, usage),
  refusal: (status, message) => JSON.stringify({ type: "error", error: { type: refusalType(status), message } }),
}

type Kind = "text" | "thinking" | "tool_use"

/**
 *     message_start (block_start block_delta* block_stop)* message_delta message_stop
 *
 * Blocks never overlap. Text and thinking stay open until another kind of content comes.
 */
class AnthropicWire implements Wire {
  #index = -1
  #open: Kind | undefined
  #calls = 0

  constructor(
    private readonly request: CapturedRequest,
    private readonly usage: ScriptedUsage | undefined,
  ) {}

  open(): string[] {
    const message = {
      id: `msg_${this.request.index}`,
      type: "message",
      role: "assistant",
      model: requestedModel(this.request),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...inputUsage(this.usage), output_tokens: 1, service_tier: "standard" },
    }
    return [event("message_start", { message }), event("ping", {})]
  }

  text(step: Extract<Step, { type: "text" }>): string[] {
    const begin = this.#open === "text" ? [] : this.#start("text", { text: "" })
    return [...begin, ...pieces(step.text, step.chunks).map((text) => this.#delta({ type: "text_delta", text }))]
  }

  reasoning(step: Extract<Step, { type: "reasoning" }>): string[] {
    const begin = this.#open === "thinking" ? [] : this.#start("thinking", { thinking: "", signature: "" })
    const parts = pieces(step.text, step.chunks).map((thinking) => this.#delta({ type: "thinking_delta", thinking }))
    if (step.signature === undefined) return [...begin, ...parts]
    const signature = this.#delta({ type: "signature_delta", signature: step.signature })
    return [...begin, ...parts, signature, ...this.#close()]
  }

  redacted(step: Extract<Step, { type: "redacted" }>): string[] {
    const before = this.#close()
    const index = ++this.#index
    const content_block = { type: "redacted_thinking", data: step.data }
    return [...before, event("content_block_start", { index, content_block }), event("content_block_stop", { index })]
  }

  tool(step: Extract<Step, { type: "tool" }>): string[] {
    const id = step.id ?? `toolu_${this.request.index}_${this.#calls}`
    this.#calls++
    const begin = this.#start("tool_use", { id, name: step.name, input: {} })
    const parts = toolDeltas(step).map((partial_json) => this.#delta({ type: "input_json_delta", partial_json }))
    return [...begin, ...parts, ...(step.open ? [] : this.#close())]
  }

  ping(): string[] {
    return [event("ping", {})]
  }

  error(message: string, kind: string): string[] {
    return [event("error", { error: { type: kind, message } })]
  }

  finish(reason: Finish): string[] {
    const delta = { stop_reason: words[reason] ?? reason, stop_sequence: null }
    const usage = { ...inputUsage(this.usage), ...outputUsage(this.usage) }
    return [...this.#close(), event("message_delta", { delta, usage }), event("message_stop", {})]
  }

  #start(type: Kind, fields: object): string[] {
    const before = this.#close()
    this.#open = type
    return [...before, event("content_block_start", { index: ++this.#index, content_block: { type, ...fields } })]
  }

  #close(): string[] {
    if (this.#open === undefined) return []
    this.#open = undefined
    return [event("content_block_stop", { index: this.#index })]
  }

  #delta(delta: object): string {
    return event("content_block_delta", { index: this.#index, delta })
  }
}

/** The real service opens every call with an empty delta, and sends nothing else for a call without arguments. */
function toolDeltas(step: Extract<Step, { type: "tool" }>): string[] {
  return step.args === "{}" ? [""] : ["", ...pieces(step.args, step.chunks)]
}

function inputUsage(usage: ScriptedUsage | undefined) {
  return {
    input_tokens: usage?.input ?? 0,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
  }
}

function outputUsage(usage: ScriptedUsage | undefined) {
  const reasoning = usage?.reasoning ?? 0
  return {
    output_tokens: (usage?.output ?? 0) + reasoning,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  }
}

const refusals: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
}
const refusalType = (status: number): string =>
  refusals[status] ?? (status >= 500 ? "api_error" : "invalid_request_error")

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
