import type { SpanAttributes } from "@cairn/kernel/span"

/** A span that has ended. Ids are hex; times are nanoseconds since the epoch. */
export interface EndedSpan {
  readonly traceID: string
  readonly spanID: string
  readonly parentID?: string
  readonly name: string
  readonly start: bigint
  readonly end: bigint
  readonly attributes: SpanAttributes
  /** The kind of the failure, if it was one. */
  readonly failure?: string
}

/** Characters of a text. Names are short; what is longer is not a name. */
const longest = 256
const internal = 1
const client = 3

/** Many spans as one request of the OpenTelemetry protocol, in its JSON encoding. */
export function otlpJson(spans: readonly EndedSpan[], resource: Readonly<Record<string, string>>, version: string) {
  const scopeSpans = [{ scope: { name: "cairn", version }, spans: spans.map(spanJson) }]
  return { resourceSpans: [{ resource: { attributes: attributesJson(resource) }, scopeSpans }] }
}

function spanJson({ traceID, spanID, parentID, name, start, end, attributes, failure }: EndedSpan) {
  const all = failure === undefined ? attributes : { ...attributes, "error.type": failure }
  return {
    traceId: traceID,
    spanId: spanID,
    ...(parentID !== undefined && { parentSpanId: parentID }),
    name: name.slice(0, longest),
    // By the conventions a call of a model leaves the process, and nothing else here does.
    kind: attributes["gen_ai.operation.name"] === "chat" ? client : internal,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end < start ? start : end),
    attributes: attributesJson(all),
    status: failure === undefined ? {} : { code: 2 },
  }
}

const attributesJson = (attributes: SpanAttributes) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueJson(value) }]))

function valueJson(value: string | number | boolean | readonly string[]): Record<string, unknown> {
  if (typeof value === "string") return { stringValue: value.slice(0, longest) }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value !== "number") return { arrayValue: { values: value.map(valueJson) } }
  // 64-bit numbers are texts in this encoding.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: Number.isFinite(value) ? value : 0 }
}
