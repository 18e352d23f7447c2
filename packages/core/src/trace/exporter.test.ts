import { describe, expect, test } from "bun:test"
import { createLog } from "@cairn/kernel/log"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { type Collector, startCollector } from "../../test/support/collector.ts"
import { createNet } from "../net/net.ts"
import { answerBytes, createExporter } from "./exporter.ts"
import type { EndedSpan } from "./otlp-json.ts"

let count = 0
const span = (): EndedSpan => {
  const spanID = (++count).toString(16).padStart(16, "0")
  return { traceID: "a".repeat(32), spanID, name: "step", start: 1n, end: 2n, attributes: {} }
}

/** An exporter to a collector, or to an address where nobody is. */
function exporting(to: Collector | string) {
  const clock = new TestClock()
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) }, clock)
  const url = new URL(`${typeof to === "string" ? to : to.url}/v1/traces`)
  const net = createNet({ env: {}, log, clock })
  const exporter = createExporter({
    url,
    headers: { authorization: "Bearer secret" },
    resource: { "service.name": "cairn" },
    version: "1.2.3",
    send: net.client({ origin: url.origin, maxBytes: answerBytes }),
    clock,
    log,
  })
  const add = (spans: number) => {
    for (let n = 0; n < spans; n++) exporter.add(span())
  }
  return {
    clock,
    exporter,
    add,
    lines,
    said: () => lines.map(({ message, spans }) => [message, spans].filter(Boolean)),
  }
}

/** Resolves when nothing but the next try waits, so long. */
async function waitsFor(clock: TestClock, ms: number): Promise<void> {
  while (clock.due.join() !== String(ms)) await new Promise((resolve) => setImmediate(resolve))
}

describe("a batch", () => {
  test("is sent after a pause, as JSON with the user's headers", async () => {
    await using collector = startCollector()
    const { clock, exporter, add, said } = exporting(collector)
    add(3)
    await clock.advance(4_999)
    expect(collector.requests).toEqual([])
    await clock.advance(1)
    await collector.received(1)
    const [request] = collector.requests
    expect(request).toMatchObject({ path: "/v1/traces", resource: { "service.name": "cairn" } })
    expect(request!.spans).toHaveLength(3)
    expect(Object.fromEntries(request!.headers)).toMatchObject({
      "content-type": "application/json",
      authorization: "Bearer secret",
      "user-agent": "cairn/1.2.3",
    })
    await exporter.close()
    expect(collector.requests).toHaveLength(1)
    expect(said()).toEqual([])
  })

  test("is sent at once when it is full, and one at a time", async () => {
    const hold = gate()
    await using collector = startCollector(async () => {
      await hold.opened
      return Response.json({})
    })
    const { exporter, add } = exporting(collector)
    add(600)
    await collector.received(1)
    expect(collector.requests).toHaveLength(1)
    hold.open()
    await collector.received(3)
    await exporter.close()
    expect(collector.requests.map(({ spans }) => spans.length)).toEqual([256, 256, 88])
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(600)
  })

  test("is sent when the engine closes, and nothing when there was nothing", async () => {
    await using collector = startCollector()
    const { exporter, add, clock } = exporting(collector)
    add(2)
    await exporter.close()
    expect(collector.spans).toHaveLength(2)
    expect(clock.pending).toBe(0)
    await exporting(collector).exporter.close()
    expect(collector.requests).toHaveLength(1)
  })
})

describe("a collector that", () => {
  test("answers 503 gets the same spans again, after a longer pause each time", async () => {
    await using collector = startCollector((_, index) =>
      index < 2 ? new Response("busy", { status: 503 }) : new Response(),
    )
    const { clock, exporter, add, said } = exporting(collector)
    add(1)
    await clock.advance(5_000)
    await waitsFor(clock, 15_000)
    await clock.advance(15_000)
    await waitsFor(clock, 45_000)
    await clock.advance(45_000)
    await collector.received(3)
    await exporter.close()
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(1)
    expect(said()).toEqual([["the collector refused traces"]])
  })

  test.each([400, 401, 404, 413, 500])("answers %d loses them, and that is said", async (status) => {
    await using collector = startCollector(() => new Response("x".repeat(2_000_000), { status }))
    const { exporter, add, said } = exporting(collector)
    add(3)
    await exporter.close()
    expect(collector.requests).toHaveLength(1)
    expect(said()).toEqual([["the collector refused traces"], ["traces were lost", 3]])
  })

  test("leaves some out says how many", async () => {
    await using collector = startCollector(() =>
      Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } }),
    )
    const { exporter, add, said } = exporting(collector)
    add(3)
    await exporter.close()
    expect(said()).toEqual([
      ["the collector left spans out", 2],
      ["traces were lost", 2],
    ])
  })

  test.each(["", "ok", "[1]", '{"partialSuccess":7}', '{"partialSuccess":{"rejectedSpans":"x"}}'])(
    "answers %j is content",
    async (body) => {
      await using collector = startCollector(() => new Response(body))
      const { exporter, add, said } = exporting(collector)
      add(1)
      await exporter.close()
      expect(said()).toEqual([])
    },
  )

  test("hangs holds the end up for a second and no longer", async () => {
    const hold = gate()
    await using collector = startCollector(async () => {
      await hold.opened
      return new Response()
    })
    const { clock, exporter, add, said } = exporting(collector)
    add(2)
    let closed = false
    const closing = exporter.close().then(() => (closed = true))
    await collector.received(1)
    await clock.advance(999)
    expect(closed).toBe(false)
    await clock.advance(1)
    await closing
    expect(said()).toEqual([["traces were lost", 2]])
    expect(clock.pending).toBe(0)
    hold.open()
  })

  test("hangs in the middle of the work costs ten seconds of nobody's, then it is tried again", async () => {
    const hold = gate()
    await using collector = startCollector(async (_, index) => {
      if (index === 0) await hold.opened
      return new Response()
    })
    const { clock, exporter, add, said } = exporting(collector)
    add(1)
    await clock.advance(5_000)
    await collector.received(1)
    await clock.advance(10_000)
    await waitsFor(clock, 15_000)
    await clock.advance(15_000)
    await collector.received(2)
    await exporter.close()
    expect(said()).toEqual([["traces could not be sent"]])
    hold.open()
  })

  test("is not there costs nothing: the rest is dropped, and counted", async () => {
    const gone = startCollector()
    await gone[Symbol.asyncDispose]()
    const { exporter, add, clock, said } = exporting(gone.url)
    add(5)
    await exporter.close()
    expect(said()).toEqual([["traces could not be sent"], ["traces were lost", 5]])
    expect(clock.pending).toBe(0)
  })

  test("redirects to somebody else gets no second request", async () => {
    await using elsewhere = startCollector()
    await using collector = startCollector(() => Response.redirect(`${elsewhere.url}/v1/traces`, 307))
    const { exporter, add, said } = exporting(collector)
    add(1)
    await exporter.close()
    expect(elsewhere.requests).toEqual([])
    expect(said().at(-1)).toEqual(["traces were lost", 1])
  })
})

test("no more than two thousand spans wait, and what is dropped is counted", async () => {
  const hold = gate()
  await using collector = startCollector(async () => {
    await hold.opened
    return new Response()
  })
  const { exporter, add, said } = exporting(collector)
  add(3_000)
  await collector.received(1)
  hold.open()
  await exporter.close()
  expect(collector.spans).toHaveLength(2_048)
  expect(said()).toEqual([["traces were lost", 952]])
  add(1)
  expect(collector.spans).toHaveLength(2_048)
})

test("no secret is in the log", async () => {
  const gone = startCollector()
  await gone[Symbol.asyncDispose]()
  const { exporter, add, lines } = exporting(gone.url)
  add(1)
  await exporter.close()
  expect(lines).toHaveLength(2)
  expect(JSON.stringify(lines)).not.toContain("secret")
})
