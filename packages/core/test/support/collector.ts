/** A span as a collector gets it, with its attributes as plain values. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly failed: boolean
}

export interface ReceivedRequest {
  readonly path: string
  readonly headers: Headers
  readonly text: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly spans: readonly ReceivedSpan[]
}

/** An OpenTelemetry collector on loopback that takes HTTP with JSON. */
export interface Collector extends AsyncDisposable {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is set to. */
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Of all requests, in the order in which they came. */
  readonly spans: readonly ReceivedSpan[]
  /** Resolves as soon as so many requests have come. */
  received(count: number): Promise<void>
}

type Answer = (request: ReceivedRequest, index: number) => Response | Promise<Response>

/** Starts one. Without `answer` it takes everything. */
export function startCollector(answer: Answer = () => Response.json({ partialSuccess: {} })): Collector {
  const requests: ReceivedRequest[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const received = await read(request)
      requests.push(received)
      for (const one of waiting) if (requests.length >= one.count) one.resolve()
      return await answer(received, requests.length - 1)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    get spans() {
      return requests.flatMap((request) => request.spans)
    },
    async received(count) {
      if (requests.length >= count) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      await promise
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>> & {
    readonly arrayValue?: { readonly values: Attribute["value"][] }
  }
}

async function read(request: Request): Promise<ReceivedRequest> {
  const text = await request.text()
  const { resourceSpans } = JSON.parse(text)
  const [{ resource, scopeSpans }] = resourceSpans
  return {
    path: new URL(request.url).pathname,
    headers: request.headers,
    text,
    resource: plain(resource.attributes),
    spans: scopeSpans[0].spans.map(spanOf),
  }
}

interface WireSpan extends Omit<ReceivedSpan, "start" | "end" | "attributes" | "failed"> {
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}

function spanOf({ startTimeUnixNano, endTimeUnixNano, attributes, status, ...rest }: WireSpan): ReceivedSpan {
  return {
    ...rest,
    start: BigInt(startTimeUnixNano),
    end: BigInt(endTimeUnixNano),
    attributes: plain(attributes),
    failed: status.code === 2,
  }
}

const plain = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))

function plainValue(value: Attribute["value"]): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(plainValue)
  return "intValue" in value ? Number(value["intValue"]) : Object.values(value)[0]
}
