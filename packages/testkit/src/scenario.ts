import type { CapturedRequest } from "./request.ts"

/** Tokens as in Cairn's `Tokens`: `input` without what the cache gave or took, `output` without reasoning. */
export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** How an answer ends; each protocol has its own word for it. Any other text goes out as it stands. */
export type Finish = "stop" | "tool-calls" | "length" | "content-filter" | (string & {})

/** One thing the scripted model does. Made by the functions below. */
export type Step =
  | { readonly type: "text"; readonly text: string; readonly chunks: number }
  | { readonly type: "reasoning"; readonly text: string; readonly chunks: number; readonly signature?: string }
  | { readonly type: "redacted"; readonly data: string }
  | {
      readonly type: "tool"
      readonly name: string
      readonly args: string
      readonly chunks: number
      readonly open: boolean
      readonly id?: string
    }
  | { readonly type: "usage"; readonly usage: ScriptedUsage | undefined }
  | { readonly type: "finish"; readonly reason: Finish }
  | { readonly type: "delay"; readonly ms: number }
  | { readonly type: "wait"; readonly until: PromiseLike<unknown> }
  | { readonly type: "headers" }
  | { readonly type: "ping" }
  | { readonly type: "raw"; readonly text: string }
  | { readonly type: "error"; readonly message: string; readonly kind: string }
  | { readonly type: "cut" }
  | { readonly type: "end" }
  | { readonly type: "hang"; readonly headers: boolean }
  | { readonly type: "chunked"; readonly size: number }
  | {
      readonly type: "status"
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string | undefined
    }

/** What the scripted model answers to one request. A missing `finish` is added: tool-calls after calls, else stop. */
export type Reply = Step | readonly Step[]

/** Replies in order, or a function that chooses by the request (also for side calls such as titles). */
export type Scenario =
  | readonly (Reply | ((request: CapturedRequest) => Reply))[]
  | ((request: CapturedRequest, index: number) => Reply | Promise<Reply>)

/** Text, streamed in at most `chunks` pieces. Text steps in a row are one block. */
export const text = (value: string, options: { chunks?: number } = {}): Step => ({
  type: "text",
  text: value,
  chunks: options.chunks ?? 3,
})

/** Reasoning. The signature closes the block where the protocol has one. */
export const reasoning = (value: string, options: { chunks?: number; signature?: string } = {}): Step => ({
  type: "reasoning",
  text: value,
  chunks: options.chunks ?? 3,
  ...(options.signature === undefined ? {} : { signature: options.signature }),
})

/** Encrypted reasoning (Anthropic, Responses); other protocols send nothing. */
export const redactedReasoning = (data: string): Step => ({ type: "redacted", data })

/**
 * A tool call; calls in a row are parallel. A string goes out as it is, so that arguments may be malformed.
 * `open: true` leaves the call unfinished: what follows is the rest of the stream, or its end.
 */
export const toolCall = (
  name: string,
  args: Readonly<Record<string, unknown>> | string = {},
  options: { id?: string; chunks?: number; open?: boolean } = {},
): Step => ({
  type: "tool",
  name,
  args: typeof args === "string" ? args : JSON.stringify(args),
  chunks: options.chunks ?? 3,
  open: options.open ?? false,
  ...(options.id === undefined ? {} : { id: options.id }),
})

const standardUsage: ScriptedUsage = { input: 100, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 }

/** What the answer cost; may stand anywhere in the reply. Without it: 100 in, 20 out. */
export const usage = (value: Partial<ScriptedUsage>): Step => ({ type: "usage", usage: { ...standardUsage, ...value } })

/** A provider that reports no usage (Anthropic always does: zeros there). */
export const noUsage = (): Step => ({ type: "usage", usage: undefined })

/** The finish reason, the usage and the protocol's last frame, now. Steps after it play before the body ends. */
export const finish = (reason: Finish): Step => ({ type: "finish", reason })

/** Waits on the server's clock. */
export const delay = (ms: number): Step => ({ type: "delay", ms })

/** Waits for a gate or a promise; given up when the client leaves or the server stops. */
export const waitFor = (until: PromiseLike<unknown> | { readonly opened: PromiseLike<unknown> }): Step => ({
  type: "wait",
  until: "opened" in until ? until.opened : until,
})

/** Sends the response headers now; otherwise they go out with the first content. */
export const headers = (): Step => ({ type: "headers" })

/** A frame without content, as providers send to keep a connection open. */
export const ping = (): Step => ({ type: "ping" })

/** Bytes of the body as they stand: broken frames, unknown events. */
export const raw = (value: string): Step => ({ type: "raw", text: value })

/** An error inside a stream that began with 200; the body ends after it. `kind` is the provider's error type. */
export const streamError = (message: string, kind = "overloaded_error"): Step => ({ type: "error", message, kind })

/**
 * Destroys the socket: the client sees a broken connection. It has a moment to read what was sent before; a test
 * that needs this for certain puts a `waitFor` a gate in front.
 */
export const cutStream = (): Step => ({ type: "cut" })

/** Ends the body cleanly, but without finish reason and last frame. */
export const endStream = (): Step => ({ type: "end" })

/** Sends nothing more until the client leaves or the server stops; with `headers: false` not even headers. */
export const hang = (options: { headers?: boolean } = {}): Step => ({ type: "hang", headers: options.headers ?? true })

/** Splits the whole body into writes of `size` bytes, also inside UTF-8 sequences. May stand anywhere in the reply. */
export const chunked = (size: number): Step => ({ type: "chunked", size })

/** An answer with this status instead of a stream. Without a body: the protocol's error object. */
export const status = (code: number, options: { headers?: Record<string, string>; body?: string } = {}): Step => ({
  type: "status",
  status: code,
  headers: options.headers ?? {},
  body: options.body,
})

/** A web page with status 200, as a captive portal or a wrong base URL gives. */
export const html = (body = "<!doctype html><html><body><h1>Sign in</h1></body></html>"): Step => ({
  type: "status",
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body,
})

/** Status 200, the stream's content type, no byte of body. */
export const emptyBody = (): Step => endStream()

/** The usage that a reply reports, looked up ahead because some protocols open with it. */
export function usageOf(reply: readonly Step[]): ScriptedUsage | undefined {
  const step = reply.find((candidate) => candidate.type === "usage")
  return step === undefined ? standardUsage : step.usage
}
