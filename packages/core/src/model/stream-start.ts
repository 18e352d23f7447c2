import { CallFailure } from "./call-failure.ts"

/** What the beginning of an answer turned out to be: events, something else, or too little to say. */
export type Start =
  | { readonly kind: "unclear" }
  | { readonly kind: "events"; readonly bytes: Uint8Array }
  | { readonly kind: "failure"; readonly failure: CallFailure }

/** Bytes of an answer that is no stream of events: enough to say what it is. */
const longestAlien = 16 * 1024
const longestShown = 200
const fields = ["data:", "event:", "id:", "retry:", ":"]

/**
 * Looks at the first bytes of an answer that should be a stream of events, whatever its content type says: servers send
 * events under other types, and web pages, plain JSON or nothing under this one. `add` is given each chunk, and
 * `undefined` at the end, until it has decided.
 */
export function createStreamStart(host: string, type?: string | null): (chunk: Uint8Array | undefined) => Start {
  const chunks: Uint8Array[] = []
  let size = 0
  let alien = false
  return (chunk) => {
    if (chunk) {
      chunks.push(chunk)
      size += chunk.byteLength
    }
    const bytes = Buffer.concat(chunks)
    const text = bytes.toString("utf8", 0, longestAlien).replace(/^\uFEFF?\s+|^\uFEFF/, "")
    const line = text.split(/[\r\n]/, 1)[0] ?? ""
    if (!alien && fields.some((field) => line.startsWith(field))) return { kind: "events", bytes }
    alien ||= !fields.some((field) => field.startsWith(line))
    // It is read to its end, for what it says.
    if (chunk && (!alien || size < longestAlien)) return { kind: "unclear" }
    return { kind: "failure", failure: failureOf(host, text, type) }
  }
}

function failureOf(host: string, text: string, type: string | null | undefined): CallFailure {
  if (text === "") return new CallFailure("empty_answer", `${host} sent an empty answer`)
  if (/^<(!doctype|html|\?xml|head|body)/i.test(text))
    return new CallFailure("web_page", `${host} answered with a web page`)
  const said = errorIn(text)
  if (said !== undefined) return new CallFailure("error_answer", said, text)
  const start = JSON.stringify(text.slice(0, longestShown)) + (text.length > longestShown ? "…" : "")
  const named = type ? ` (${type.slice(0, longestShown)})` : ""
  return new CallFailure("no_events", `${host} answered with what is no stream of events${named}: ${start}`)
}

/** The words of an error object that came with status 200; undefined when it is none. */
function errorIn(text: string): string | undefined {
  const whole = parsed(text)
  // Google puts its error into a list.
  const value: unknown = Array.isArray(whole) ? whole[0] : whole
  if (!isRecord(value)) return undefined
  const error = value["error"] ?? value["errors"] ?? (value["type"] === "error" ? value : undefined)
  if (error === undefined || error === null || error === false) return undefined
  const inner = Array.isArray(error) ? error[0] : error
  const said = isRecord(inner) ? (inner["message"] ?? inner["msg"] ?? inner["detail"] ?? inner["type"]) : inner
  const words = typeof said === "string" ? said : (value["message"] ?? value["detail"])
  return typeof words === "string" && words !== "" ? words : "the server reports an error"
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
