import type { MessageError } from "@cairn/schema/error"
import type { TraceSpan } from "@cairn/schema/trace"

/** A span that is still being told of. */
export type Draft = { -readonly [Key in keyof Omit<TraceSpan, "children">]: TraceSpan[Key] } & { children: Draft[] }

/** Characters of an error that are kept. */
const longest = 300

export const draft = (kind: Draft["kind"], name: string, start: number): Draft => ({ kind, name, start, children: [] })

/** Gives it an end, which lies never before its start: the machine's clock may have been set back. */
export function close(span: Draft, end: number): void {
  span.end = Math.max(span.start, end)
}

/** What went wrong, bounded. */
export function failed(span: Draft, kind: string, message: string): void {
  span.error = { kind, message: message.length > longest ? `${message.slice(0, longest)}…` : message }
}

/** An error as it stands on messages, turns and retries. */
export function failedBy(span: Draft, error: MessageError): void {
  const status = error.name === "APIError" && error.data.statusCode !== undefined ? ` ${error.data.statusCode}` : ""
  failed(span, `${error.name}${status}`, "message" in error.data ? String(error.data.message) : "")
}
