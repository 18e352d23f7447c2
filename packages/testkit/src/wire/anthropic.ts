import { requestedModel, type CapturedRequest } from "../request.ts"
import type { ScriptedUsage, Step } from "../scenario.ts"
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
  wire: anthropicWire,
  refusal: (status, message) => JSON.stringify({ type: "error", error: { type: refusalType(status), message } }),
}

/**
 *     message_start (block_start block_delta* block_stop)* message_delta message_stop
 *
 * Blocks never overlap. Text and thinking stay open until another kind of content comes.
 */
function anthropicWire(request: CapturedRequest, usage: ScriptedUsage | undefined): Wire {
  let index = -1
  let open: "text" | "thinking" | "tool_use" | undefined
  let calls = 0

  const close = (): string[] => {
    if (open === undefined) return []
    open = undefined
    return [event("content_block_stop", { index })]
  }
  const start = (kind: "text" | "thinking" | "tool_use", block: unknown): string[] => {
    const before = close()
    index++
    open = kind
    return [...before, event("content_block_start", { index, content_block: block })]
  }
  const delta = (value: unknown) => event("content_block_delta", { index, delta: value })

  return {
    open: () => [
      event("message_start", {
        message: {
          id: `msg_${request.index}`,
          type: "message",
          role: "assistant",
          model: requestedModel(request),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...inputUsage(usage), output_tokens: 1, service_tier: "standard" },
        },
      }),
      event("ping", {}),
    ],
    text(step) {
      const begin = open === "text" ? [] : start("text", { type: "text", text: "" })
      return [...begin, ...pieces(step.text, step.chunks).map((part) => delta({ type: "text_delta", text: part }))]
    },
    reasoning(step) {
      const begin = open === "thinking" ? [] : start("thinking", { type: "thinking", thinking: "", signature: "" })
      const deltas = pieces(step.text, step.chunks).map((part) => delta({ type: "thinking_delta", thinking: part }))
      if (step.signature === undefined) return [...begin, ...deltas]
      return [...begin, ...deltas, delta({ type: "signature_delta", signature: step.signature }), ...close()]
    },
    redacted(step) {
      const before = close()
      index++
      const block = { type: "redacted_thinking", data: step.data }
      return [
        ...before,
        event("content_block_start", { index, content_block: block }),
        event("content_block_stop", { index }),
      ]
    },
    tool(step) {
      const id = step.id ?? `toolu_${request.index}_${calls}`
      calls++
      const begin = start("tool_use", { type: "tool_use", id, name: step.name, input: {} })
      const deltas = toolDeltas(step).map((part) => delta({ type: "input_json_delta", partial_json: part }))
      return [...begin, ...deltas, ...(step.open ? [] : close())]
    },
    ping: () => [event("ping", {})],
    error: (message, kind) => [event("error", { error: { type: kind, message } })],
    finish: (reason) => [
      ...close(),
      event("message_delta", {
        delta: { stop_reason: words[reason] ?? reason, stop_sequence: null },
        usage: { ...inputUsage(usage), ...outputUsage(usage) },
      }),
      event("message_stop", {}),
    ],
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
