import type { CapturedRequest, WireProtocol } from "../request.ts"
import type { Finish, ScriptedUsage, Step } from "../scenario.ts"

type StepOf<T extends Step["type"]> = Extract<Step, { type: T }>

/** Writes one answer in a provider's stream format. Each returned text is one frame; the order of calls is the scenario's. */
export interface Wire {
  /** Frames that stand before the first content. */
  open(): string[]
  text(step: StepOf<"text">): string[]
  reasoning(step: StepOf<"reasoning">): string[]
  redacted(step: StepOf<"redacted">): string[]
  tool(step: StepOf<"tool">): string[]
  ping(): string[]
  error(message: string, kind: string): string[]
  /** Closes what is open and says how the answer ended, to the protocol's last frame. */
  finish(reason: Finish): string[]
}

/** A provider's protocol: where it is called, how it streams, how it refuses. */
export interface Protocol {
  readonly name: WireProtocol
  /** The path that a client's base URL ends with. */
  readonly base: string
  readonly route: RegExp
  /** The header that carries the key, and what the value is before the key. */
  readonly key: { readonly header: string; readonly scheme: string }
  readonly headers: Readonly<Record<string, string>>
  /** Why the real service would refuse this body; undefined when it would take it. */
  check(body: unknown): string | undefined
  wire(request: CapturedRequest, usage: ScriptedUsage | undefined): Wire
  /** The JSON body of an answer with an error status. */
  refusal(status: number, message: string): string
}

/** Cuts a text into at most `count` pieces of about equal length, never inside a code point. At least one piece. */
export function pieces(value: string, count: number): string[] {
  const points = [...value]
  const size = Math.max(1, Math.ceil(points.length / Math.max(1, count)))
  const result: string[] = []
  for (let at = 0; at < points.length; at += size) result.push(points.slice(at, at + size).join(""))
  return result.length > 0 ? result : [""]
}

export const stream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" } as const

/** Seconds since the epoch that every scripted answer carries: bytes must not depend on when a test runs. */
export const created = 1_767_225_600

/** The error object of OpenAI's services. */
export const openaiRefusal = (status: number, message: string): string =>
  JSON.stringify({ error: { message, type: refusalType(status), param: null, code: refusalCode(status) } })

function refusalType(status: number): string {
  if (status === 401) return "invalid_request_error"
  if (status === 429) return "rate_limit_error"
  return status >= 500 ? "server_error" : "invalid_request_error"
}

function refusalCode(status: number): string | null {
  if (status === 401) return "invalid_api_key"
  return status === 429 ? "rate_limit_exceeded" : null
}
