import { list, name, record, type Json } from "./wire/json.ts"

export type WireProtocol = "chat" | "anthropic" | "responses" | "google"

/** A request as the scripted server received it. Keys are redacted; `usesKey` tells whether it was the right one. */
export interface CapturedRequest {
  /** Position in `server.requests`. */
  readonly index: number
  readonly protocol: WireProtocol
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** True when the request carried a key in the header its protocol uses. */
  readonly authorized: boolean
  usesKey(key: string): boolean
  /** The parsed JSON body, `undefined` when it is not JSON. */
  readonly body: unknown
  /** The body as it came, for comparing bytes. */
  readonly text: string
  /** Resolves when the client went away before the answer was complete. */
  readonly aborted: Promise<void>
  /** Resolves with how the answer ended. `closed`: by the server's own `cutStream` or dispose. */
  readonly ended: Promise<"sent" | "aborted" | "closed">
}

/** A tool result that a request carries, whatever the protocol. */
export interface SentToolResult {
  readonly callID: string
  readonly output: string
}

/** The names of the tools offered, in order. */
export function offeredTools(request: CapturedRequest): string[] {
  const tools = list(record(request.body).tools).map(record)
  const declared = tools.flatMap((tool) => list(tool.functionDeclarations).map(record))
  return [...tools, ...declared].map((tool) => name(record(tool.function).name) || name(tool.name)).filter(Boolean)
}

/** The model id of the request: the body's, or the path's for Google. */
export function requestedModel(request: CapturedRequest): string {
  return name(record(request.body).model) || (/models\/([^:]+):/.exec(request.path)?.[1] ?? "")
}

/** Every tool result in the request, oldest first. */
export function toolResults(request: CapturedRequest): SentToolResult[] {
  return entries(request).flatMap((entry): SentToolResult[] => {
    if (entry.role === "tool") return [{ callID: name(entry.tool_call_id), output: flat(entry.content) }]
    if (entry.type === "function_call_output") return [{ callID: name(entry.call_id), output: flat(entry.output) }]
    return list(entry.content ?? entry.parts).flatMap((item) => {
      const block = record(item)
      if (block.type === "tool_result") return [{ callID: name(block.tool_use_id), output: flat(block.content) }]
      const answer = record(block.functionResponse)
      if (answer.name === undefined) return []
      return [{ callID: name(answer.id) || name(answer.name), output: flat(record(answer.response)) }]
    })
  })
}

/** The text of the user's messages, oldest first; tool results are left out. */
export function userTexts(request: CapturedRequest): string[] {
  return entries(request)
    .filter((entry) => entry.role === "user")
    .map((entry) => text(entry.content ?? entry.parts))
    .filter(Boolean)
}

/** The system prompt as one text. */
export function systemText(request: CapturedRequest): string {
  const body = record(request.body)
  const apart = body.system ?? body.instructions ?? record(body.systemInstruction).parts
  if (apart !== undefined) return text(apart)
  return entries(request)
    .filter((entry) => entry.role === "system" || entry.role === "developer")
    .map((entry) => text(entry.content))
    .join("\n")
}

function entries(request: CapturedRequest): Json[] {
  const body = record(request.body)
  return list(body.messages ?? body.input ?? body.contents).map(record)
}

/** Text blocks only. */
function text(content: unknown): string {
  if (typeof content === "string") return content
  return list(content)
    .map(record)
    .map((block) => (typeof block.text === "string" ? block.text : ""))
    .filter(Boolean)
    .join("\n")
}

function flat(content: unknown): string {
  if (typeof content === "string") return content
  if (Array.isArray(content)) return text(content)
  const answer = record(content)
  const only = answer.content ?? answer.output ?? answer.result
  return typeof only === "string" ? only : JSON.stringify(content ?? "")
}
