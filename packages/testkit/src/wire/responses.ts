import { requestedModel, type CapturedRequest } from "../request.ts"
import type { Finish, ScriptedUsage, Step } from "../scenario.ts"
import { checkResponses } from "./responses-check.ts"
import { created, openaiRefusal, pieces, stream, type Protocol, type Wire } from "./wire.ts"

/** OpenAI Responses: `POST /v1/responses`. */
export const responsesProtocol: Protocol = {
  name: "responses",
  base: "/v1",
  route: /^\/v1\/responses$/,
  key: { header: "authorization", scheme: "Bearer " },
  headers: stream,
  check: checkResponses,
  wire: (request, usage) => new ResponsesWire(request, usage),
  refusal: openaiRefusal,
}

type Item = Record<string, unknown> & { id: string }

/**
 *     created in_progress (item.added … item.done)* completed | incomplete
 *
 * Items never overlap. A message stays open until another kind of content comes.
 */
class ResponsesWire implements Wire {
  readonly #output: Item[] = []
  #sequence = 0
  #message: { item: Item; text: string } | undefined
  #calls = 0

  constructor(
    private readonly request: CapturedRequest,
    private readonly usage: ScriptedUsage | undefined,
  ) {}

  open(): string[] {
    return [
      this.#event("response.created", { response: this.#response("in_progress") }),
      this.#event("response.in_progress", { response: this.#response("in_progress") }),
    ]
  }

  text(step: Extract<Step, { type: "text" }>): string[] {
    const begin = this.#message ? [] : this.#openMessage()
    const message = this.#message
    if (message === undefined) return begin
    message.text += step.text
    const deltas = pieces(step.text, step.chunks).map((delta) =>
      this.#event("response.output_text.delta", {
        ...this.#place(message.item),
        content_index: 0,
        delta,
        logprobs: [],
      }),
    )
    return [...begin, ...deltas]
  }

  reasoning(step: Extract<Step, { type: "reasoning" }>): string[] {
    const before = this.#closeMessage()
    const item = this.#newItem("rs", { type: "reasoning", summary: [], encrypted_content: null })
    const place = { ...this.#place(item), summary_index: 0 }
    const part = { type: "summary_text", text: step.text }
    const frames = [
      ...before,
      this.#added(item),
      this.#event("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } }),
      ...pieces(step.text, step.chunks).map((delta) =>
        this.#event("response.reasoning_summary_text.delta", { ...place, delta }),
      ),
      this.#event("response.reasoning_summary_text.done", { ...place, text: step.text }),
      this.#event("response.reasoning_summary_part.done", { ...place, part }),
    ]
    Object.assign(item, { summary: [part], encrypted_content: step.signature ?? null })
    return [...frames, this.#done(item)]
  }

  redacted(step: Extract<Step, { type: "redacted" }>): string[] {
    const before = this.#closeMessage()
    const item = this.#newItem("rs", { type: "reasoning", summary: [], encrypted_content: step.data })
    return [...before, this.#added(item), this.#done(item)]
  }

  tool(step: Extract<Step, { type: "tool" }>): string[] {
    const before = this.#closeMessage()
    const call_id = step.id ?? `call_${this.request.index}_${this.#calls}`
    this.#calls++
    const item = this.#newItem("fc", {
      type: "function_call",
      status: "in_progress",
      call_id,
      name: step.name,
      arguments: "",
    })
    const place = this.#place(item)
    const frames = [
      ...before,
      this.#added(item),
      ...pieces(step.args, step.chunks).map((delta) =>
        this.#event("response.function_call_arguments.delta", { ...place, delta }),
      ),
    ]
    if (step.open) return frames
    Object.assign(item, { status: "completed", arguments: step.args })
    return [
      ...frames,
      this.#event("response.function_call_arguments.done", { ...place, arguments: step.args }),
      this.#done(item),
    ]
  }

  ping(): string[] {
    return [": keep-alive\n\n"]
  }

  error(message: string, kind: string): string[] {
    return [this.#event("error", { code: kind, message, param: null })]
  }

  finish(reason: Finish): string[] {
    const before = this.#closeMessage()
    if (reason === "stop" || reason === "tool-calls") {
      return [...before, this.#event("response.completed", { response: this.#response("completed") })]
    }
    const words: Record<string, string> = { length: "max_output_tokens", "content-filter": "content_filter" }
    const incomplete_details = { reason: words[reason] ?? reason }
    return [
      ...before,
      this.#event("response.incomplete", { response: { ...this.#response("incomplete"), incomplete_details } }),
    ]
  }

  #openMessage(): string[] {
    const item = this.#newItem("msg", { type: "message", status: "in_progress", role: "assistant", content: [] })
    this.#message = { item, text: "" }
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] }
    return [
      this.#added(item),
      this.#event("response.content_part.added", { ...this.#place(item), content_index: 0, part }),
    ]
  }

  #closeMessage(): string[] {
    if (this.#message === undefined) return []
    const { item, text } = this.#message
    this.#message = undefined
    const part = { type: "output_text", text, annotations: [], logprobs: [] }
    const place = { ...this.#place(item), content_index: 0 }
    Object.assign(item, { status: "completed", content: [part] })
    return [
      this.#event("response.output_text.done", { ...place, text, logprobs: [] }),
      this.#event("response.content_part.done", { ...place, part }),
      this.#done(item),
    ]
  }

  #newItem(prefix: string, fields: Record<string, unknown>): Item {
    const item = { id: `${prefix}_${this.request.index}_${this.#output.length}`, ...fields }
    this.#output.push(item)
    return item
  }

  #place(item: Item) {
    return { item_id: item.id, output_index: this.#output.indexOf(item) }
  }

  #added(item: Item): string {
    return this.#event("response.output_item.added", { output_index: this.#output.indexOf(item), item })
  }

  #done(item: Item): string {
    return this.#event("response.output_item.done", { output_index: this.#output.indexOf(item), item })
  }

  #response(status: string) {
    return {
      id: `resp_${this.request.index}`,
      object: "response",
      created_at: created,
      status,
      model: requestedModel(this.request),
      error: null,
      incomplete_details: null,
      output: status === "in_progress" ? [] : this.#output,
      usage: status === "in_progress" || this.usage === undefined ? null : responsesUsage(this.usage),
    }
  }

  #event(type: string, data: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...data })}\n\n`
  }
}

function responsesUsage(usage: ScriptedUsage) {
  const input_tokens = usage.input + usage.cacheRead + usage.cacheWrite
  const output_tokens = usage.output + usage.reasoning
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input_tokens + output_tokens,
  }
}
