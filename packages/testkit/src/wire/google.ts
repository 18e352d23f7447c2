import { requestedModel, type CapturedRequest } from "../request.ts"
import type { ScriptedUsage, Step } from "../scenario.ts"
import { checkGoogle } from "./google-check.ts"
import { pieces, stream, type Protocol, type Wire } from "./wire.ts"

const words: Record<string, string> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
}
const statuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
}

/** Google `POST /v1beta/models/<model>:streamGenerateContent?alt=sse`. */
export const googleProtocol: Protocol = {
  name: "google",
  base: "/v1beta",
  route: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/,
  key: { header: "x-goog-api-key", scheme: "" },
  headers: stream,
  check: checkGoogle,
  wire: googleWire,
  refusal: (status, message) =>
    JSON.stringify({ error: { code: status, message, status: statuses[status] ?? "UNKNOWN" } }, null, 2),
}

/**
 * One chunk a piece. A call comes whole, never in pieces: arguments that are no JSON object, or a call left open,
 * give no part but the finish reason MALFORMED_FUNCTION_CALL. A thought's signature stands on the part after it.
 */
function googleWire(request: CapturedRequest, usage: ScriptedUsage | undefined): Wire {
  let signature: string | undefined
  let malformed = false
  let calls = 0

  const chunk = (parts: object[], finishReason?: string): string =>
    frame({
      candidates: [
        { content: { parts, role: "model" }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) },
      ],
      ...(usage === undefined ? {} : { usageMetadata: googleUsage(usage, finishReason !== undefined) }),
      modelVersion: requestedModel(request),
      responseId: `response-${request.index}`,
    })
  const signed = (part: object): object => {
    const given = signature === undefined ? part : { ...part, thoughtSignature: signature }
    signature = undefined
    return given
  }

  return {
    open: () => [],
    text: (step) => pieces(step.text, step.chunks).map((text) => chunk([signed({ text })])),
    reasoning(step) {
      signature = step.signature
      return pieces(step.text, step.chunks).map((text) => chunk([{ text, thought: true }]))
    },
    redacted(step) {
      signature = step.data
      return []
    },
    tool(step) {
      const args = step.open ? undefined : objectOf(step)
      malformed ||= args === undefined
      const id = step.id ?? `call_${request.index}_${calls}`
      calls++
      return args === undefined ? [] : [chunk([signed({ functionCall: { id, name: step.name, args } })])]
    },
    ping: () => [": keep-alive\r\n\r\n"],
    error: (message, kind) => [frame({ error: { code: 503, message, status: kind.toUpperCase() } })],
    finish: (reason) => [
      chunk([signed({ text: "" })], malformed ? "MALFORMED_FUNCTION_CALL" : (words[reason] ?? reason)),
    ],
  }
}

function objectOf(step: Extract<Step, { type: "tool" }>): object | undefined {
  try {
    const value: unknown = JSON.parse(step.args)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function googleUsage(usage: ScriptedUsage, last: boolean) {
  const promptTokenCount = usage.input + usage.cacheRead + usage.cacheWrite
  const total = promptTokenCount + usage.output + usage.reasoning
  return {
    promptTokenCount,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    ...(last && usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    ...(last ? { candidatesTokenCount: usage.output } : {}),
    totalTokenCount: last ? total : promptTokenCount,
  }
}

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\r\n\r\n`
