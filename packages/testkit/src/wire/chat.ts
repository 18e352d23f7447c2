import { requestedModel, type CapturedRequest } from "../request.ts"
import type { ScriptedUsage } from "../scenario.ts"
import { checkChat } from "./chat-check.ts"
import { created, openaiRefusal, pieces, stream, type Protocol, type Wire } from "./wire.ts"

const words: Record<string, string> = { "tool-calls": "tool_calls", "content-filter": "content_filter" }

/** OpenAI-compatible chat completions: `POST /v1/chat/completions`. Reasoning goes out as `reasoning_content`. */
export const chatProtocol: Protocol = {
  name: "chat",
  base: "/v1",
  route: /^\/v1\/chat\/completions$/,
  key: { header: "authorization", scheme: "Bearer " },
  headers: stream,
  check: checkChat,
  wire: chatWire,
  refusal: openaiRefusal,
}

function chatWire(request: CapturedRequest, usage: ScriptedUsage | undefined): Wire {
  const wantsUsage = withUsage(request.body)
  const id = `chatcmpl-${request.index}`
  const model = requestedModel(request)
  let calls = 0
  const chunk = (choices: unknown[], spent: unknown = null) =>
    frame({
      id,
      object: "chat.completion.chunk",
      created,
      model,
      system_fingerprint: null,
      choices,
      ...(wantsUsage ? { usage: spent } : {}),
    })
  const delta = (value: unknown, finishReason: string | null = null) =>
    chunk([{ index: 0, delta: value, logprobs: null, finish_reason: finishReason }])

  return {
    open: () => [delta({ role: "assistant", content: "" })],
    text: (step) => pieces(step.text, step.chunks).map((content) => delta({ content })),
    reasoning: (step) => pieces(step.text, step.chunks).map((part) => delta({ reasoning_content: part })),
    redacted: () => [],
    tool(step) {
      const index = calls++
      const call = { index, id: step.id ?? `call_${request.index}_${index}`, type: "function" }
      const first = delta({ tool_calls: [{ ...call, function: { name: step.name, arguments: "" } }] })
      const rest = pieces(step.args, step.chunks).map((part) =>
        delta({ tool_calls: [{ index, function: { arguments: part } }] }),
      )
      return [first, ...rest]
    },
    ping: () => [": keep-alive\n\n"],
    error: (message, kind) => [frame({ error: { message, type: kind, param: null, code: kind } })],
    finish(reason) {
      const last = delta({}, words[reason] ?? reason)
      const spent = wantsUsage && usage !== undefined ? [chunk([], chatUsage(usage))] : []
      return [last, ...spent, "data: [DONE]\n\n"]
    },
  }
}

function chatUsage(usage: ScriptedUsage) {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  const completion = usage.output + usage.reasoning
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

function withUsage(body: unknown): boolean {
  const options = (body as { stream_options?: { include_usage?: unknown } } | undefined)?.stream_options
  return options?.include_usage === true
}

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
