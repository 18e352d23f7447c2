import type { ErrorClass, MessageError } from "@cairn/schema/error"
import { matchRule } from "./error-rules.ts"
import { longestWaitMs, retryAfter, waitText } from "./retry-after.ts"

/** A failed model call as plain data: what the probe takes, and what every thrown thing is reduced to. */
export interface ErrorData {
  readonly providerID: string
  /** For people; the id when missing. */
  readonly providerName?: string
  /** Where it was sent: named when no connection came about. */
  readonly baseURL?: string
  /** As in `ResolvedModel.keySource`; names what to check when a key is refused. */
  readonly keySource?: string
  readonly status?: number
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Network code, or the name of the AI SDK's error. */
  readonly code?: string
  readonly message?: string
  /** What the package thinks, where no rule knows better. */
  readonly retryable?: boolean
}

/** A failed model call, understood. */
export interface Classified {
  readonly class: ErrorClass
  readonly providerID: string
  /** What happened, where, and what to do. */
  readonly message: string
  /** When the provider wants to be asked again, ms from now. */
  readonly retryAfterMs?: number
  readonly status?: number
  /** At most 4 kB, keys removed. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly code?: string
  /** No connection came about: these are tried less often. */
  readonly network?: "refused" | "unknown_host" | "probe"
}

export type ErrorContext = Pick<ErrorData, "providerID" | "providerName" | "keySource" | "baseURL"> & {
  readonly now?: number
}

const longestText = 16_384
const longestBody = 4_096
const longestMessage = 600
const longestValue = 200
const keptHeader = /^(retry-after(-ms)?|x-ratelimit-[\w-]+|anthropic-ratelimit-[\w-]+|(x-)?request-id|content-type)$/

/** Understands whatever a provider package, the net or a stream threw or sent. */
export function classify(error: unknown, context: ErrorContext): Classified {
  return classifyData({ ...dataOf(error), ...context }, context.now)
}

/** The one decision, from data alone. `now` is ms since the epoch, for dates in `retry-after`. */
export function classifyData(data: ErrorData, now: number = Date.now()): Classified {
  const body = data.body?.slice(0, longestText)
  const headers = lowerCase(data.headers ?? {})
  const text = [data.message, data.code, headers["x-amzn-errortype"], body].filter(Boolean).join("\n")
  // An error may come with the status of a success: then what it says of itself counts.
  const status = isStatus(data.status) ? data.status : (statusIn(text) ?? data.status)
  const rule = matchRule({ status, code: data.code, text: text.slice(0, longestText) })
  const kind = rule?.class ?? (data.retryable ? "retryable" : "fatal")
  const wait = kind === "retryable" || kind === "rate_limit" ? retryAfter(headers, text, now) : undefined
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => keptHeader.test(name)))
  const network = networkOf(data.code)
  return {
    class: kind,
    providerID: data.providerID,
    message: describe(data, kind, status, rule?.advice) + waitAdvice(wait),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(status === undefined ? {} : { status }),
    ...(body ? { body: redact(body.slice(0, longestBody)) } : {}),
    ...(Object.keys(kept).length > 0 ? { headers: kept } : {}),
    ...(data.code === undefined ? {} : { code: data.code }),
    ...(network === undefined ? {} : { network }),
  }
}

/** As it stands on the assistant message and in `session.error`. */
export function toMessageError(failure: Classified): MessageError {
  const { message, providerID, body, headers, status, code } = failure
  const responseBody = body === undefined ? {} : { responseBody: body }
  switch (failure.class) {
    case "auth":
      return { name: "ProviderAuthError", data: { providerID, message } }
    case "overflow":
      return { name: "ContextOverflowError", data: { message, ...responseBody } }
    case "content_filter":
      return { name: "ContentFilterError", data: { message } }
    case "aborted":
      return { name: "MessageAbortedError", data: { message } }
    case "retryable":
    case "rate_limit":
    case "fatal":
      return {
        name: "APIError",
        data: {
          message,
          isRetryable: failure.class !== "fatal",
          ...(status === undefined ? {} : { statusCode: status }),
          ...(headers === undefined ? {} : { responseHeaders: { ...headers } }),
          ...responseBody,
          ...(code === undefined ? {} : { metadata: { code } }),
        },
      }
  }
}

/** Status, headers, body, code and message of a thrown thing, taken from it or from what caused it. */
function dataOf(error: unknown): Omit<ErrorData, "providerID"> {
  const data: { -readonly [K in keyof Omit<ErrorData, "providerID">]: ErrorData[K] } = {}
  let current = error
  for (let depth = 0; depth < 6 && current !== undefined && current !== null; depth++) {
    if (typeof current === "string") {
      data.message ??= current
      break
    }
    if (typeof current !== "object") break
    const fields = current as Record<string, unknown>
    const status = fields["statusCode"] ?? fields["status"] ?? fields["code"]
    if (isStatus(status)) data.status ??= status
    if (isHeaders(fields["responseHeaders"])) data.headers ??= fields["responseHeaders"]
    if (typeof fields["responseBody"] === "string") data.body ??= fields["responseBody"]
    if (typeof fields["isRetryable"] === "boolean") data.retryable ??= fields["isRetryable"]
    data.code = codeOf(fields) ?? data.code
    if (typeof fields["message"] === "string" && fields["message"] !== "") data.message ??= wordsOf(fields)
    if (!(current instanceof Error) && data.body === undefined) data.body = safeJson(current)
    current = fields["cause"] ?? (typeof fields["error"] === "object" ? fields["error"] : undefined)
  }
  return data
}

/** The message, without what a check of forms says of what it expected. */
function wordsOf(fields: Record<string, unknown>): string {
  const message = String(fields["message"])
  if (fields["name"] !== "AI_TypeValidationError") return message
  return `it sent what is not understood: ${safeJson(Object(fields["value"]))?.slice(0, longestValue)}`
}

/** The deepest code wins (it is the operating system's); names count for what packages throw without one. */
function codeOf(fields: Record<string, unknown>): string | undefined {
  const { code, type, name } = fields
  if (typeof code === "string" && code !== "") return code
  if (typeof name === "string" && /^(AI_(?!APICallError)\w+|AbortError|Interrupted)$/.test(name)) return name
  return typeof type === "string" && !(fields instanceof Error) ? type : undefined
}

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value <= 599

function isHeaders(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((item) => typeof item === "string")
}

function safeJson(value: object): string | undefined {
  try {
    return JSON.stringify(value)?.slice(0, longestText)
  } catch (error) {
    return error instanceof Error ? `[${error.name}]` : undefined
  }
}

/** A status that stands in an error object inside a stream that began with 200. */
function statusIn(text: string): number | undefined {
  const found = /"(?:code|status|statusCode|http_status)"\s*:\s*"?([45]\d\d)"?\s*[,}]/.exec(text)
  return found ? Number(found[1]) : undefined
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function networkOf(code: string | undefined): Classified["network"] {
  if (code === undefined) return undefined
  if (code.startsWith("probe_")) return "probe"
  if (/^(ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)$/.test(code)) return "refused"
  return /^(ENOTFOUND|EAI_AGAIN|ENODATA|DNSException)$/.test(code) ? "unknown_host" : undefined
}

function describe(data: ErrorData, kind: ErrorClass, status: number | undefined, advice: string | undefined): string {
  const provider = data.providerName ?? data.providerID
  const where = networkOf(data.code) && data.baseURL ? `${provider} at ${addressOf(data.baseURL)}` : provider
  const head = status === undefined ? where : `${provider} (HTTP ${status})`
  const said = (data.message ?? data.body ?? "").trim()
  const page = /<!doctype html|<html/i.test(said)
  const text = page || said === "" ? "the request failed" : redact(said.replace(/\s+/g, " ").slice(0, longestMessage))
  const todo = kind === "auth" ? keyAdvice(data) : advice?.replaceAll("{provider}", provider)
  return `${head}: ${/[.!?]$/.test(text) ? text : `${text}.`}${todo === undefined ? "" : ` ${todo}`}`
}

/** What is waited for is said by the status; what is not has to be said here. */
function waitAdvice(wait: number | undefined): string {
  return wait === undefined || wait <= longestWaitMs ? "" : ` It wants to be asked again in ${waitText(wait)}.`
}

/** Scheme, host and port: a path or a query may hold a key. */
function addressOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).origin : "an address that is no URL"
}

function keyAdvice({ keySource, providerID }: ErrorData): string {
  const setting = `provider.${providerID}.options.apiKey in the config`
  if (keySource?.startsWith("env:")) return `Check the key in ${keySource.slice(4)}, and that it may use this model.`
  if (keySource === "none") return `No key was sent. Set ${setting}.`
  return `Check the key (${keySource === "config" ? setting : `the provider's variable, or ${setting}`}), and that it may use this model.`
}

/** Providers like to repeat the key they refuse. */
function redact(text: string): string {
  return text
    .replace(/\b(sk|pk|rk|gsk|xai|key|tok|ghp|github_pat|hf)[-_][A-Za-z0-9_*-]{6,}/g, "$1-[redacted]")
    .replace(/\bAIza[\w-]{10,}/g, "[redacted]")
    .replace(/\b(Bearer\s+)[\w.~+/=-]{8,}/gi, "$1[redacted]")
}
