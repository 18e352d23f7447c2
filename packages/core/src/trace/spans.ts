import type { Clock } from "@cairn/kernel/clock"
import type { Span, SpanAttributes, Tracer } from "@cairn/kernel/span"
import type { EndedSpan } from "./otlp-json.ts"

/** Makes spans with W3C ids, and gives each one out when it ends. */
export interface Spans extends Tracer {
  /** Ends what is still open, as failed: whoever began it is gone. */
  endAll(): void
}

interface Origin {
  readonly traceID: string
  readonly parentID?: string
  now(): bigint
}

export function createSpans(clock: Clock, ended: (span: EndedSpan) => void): Spans {
  const open = new Set<Span>()

  const begin = (origin: Origin, name: string, attributes: SpanAttributes): Span => {
    const { traceID, parentID, now } = origin
    const spanID = hex(8)
    const start = now()
    const said: Record<string, SpanAttributes[string]> = { ...attributes }
    let failure: string | undefined
    const end = () => {
      if (!open.delete(span)) return
      const failed = failure === undefined ? {} : { failure }
      const under = parentID === undefined ? {} : { parentID }
      ended({ traceID, spanID, ...under, name, start, end: now(), attributes: said, ...failed })
    }
    const span: Span = {
      span: (inner, more = {}) => begin({ traceID, parentID: spanID, now }, inner, more),
      set: (more) => void (open.has(span) && Object.assign(said, more)),
      fail(kind) {
        if (open.has(span)) failure = kind
      },
      end,
      [Symbol.dispose]: end,
    }
    open.add(span)
    return span
  }

  return {
    span: (name, attributes = {}) => begin({ traceID: hex(16), now: timeFrom(clock) }, name, attributes),
    endAll() {
      for (const span of [...open].reverse()) {
        span.fail("abandoned")
        span.end()
      }
    },
  }
}

/** Wall time as it was when the trace began, and what has passed since: a clock that is set back bends no span. */
function timeFrom(clock: Clock): () => bigint {
  const wall = BigInt(Math.trunc(clock.now())) * 1_000_000n
  const start = clock.monotonic()
  return () => wall + BigInt(Math.round((clock.monotonic() - start) * 1_000_000))
}

const hex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex()
