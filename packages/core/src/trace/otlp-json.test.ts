import { expect, test } from "bun:test"
import { otlpJson, type EndedSpan } from "./otlp-json.ts"

const span: EndedSpan = {
  traceID: "0".repeat(31) + "1",
  spanID: "0".repeat(15) + "2",
  name: "turn",
  start: 1_795_313_380_512_000_000n,
  end: 1_795_313_380_512_345_678n,
  attributes: {},
}
const spansOf = (...spans: EndedSpan[]) => otlpJson(spans, {}, "1").resourceSpans[0]!.scopeSpans[0]!.spans

test("it is the protocol's JSON: hex ids, nanoseconds as text, attributes with their types", () => {
  const attributes = {
    text: "x",
    count: 12,
    negative: -3,
    share: 0.25,
    yes: true,
    list: ["a", "b"],
    absent: undefined,
  }
  expect(otlpJson([{ ...span, attributes }], { "service.name": "cairn" }, "1.2.3")).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "cairn" } }] },
        scopeSpans: [
          {
            scope: { name: "cairn", version: "1.2.3" },
            spans: [
              {
                traceId: span.traceID,
                spanId: span.spanID,
                name: "turn",
                kind: 1,
                startTimeUnixNano: "1795313380512000000",
                endTimeUnixNano: "1795313380512345678",
                attributes: [
                  { key: "text", value: { stringValue: "x" } },
                  { key: "count", value: { intValue: "12" } },
                  { key: "negative", value: { intValue: "-3" } },
                  { key: "share", value: { doubleValue: 0.25 } },
                  { key: "yes", value: { boolValue: true } },
                  { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }, { stringValue: "b" }] } } },
                ],
                status: {},
              },
            ],
          },
        ],
      },
    ],
  })
})

test("a failure is a status and its kind", () => {
  expect(spansOf({ ...span, failure: "denied" })[0]).toMatchObject({
    status: { code: 2 },
    attributes: [{ key: "error.type", value: { stringValue: "denied" } }],
  })
})

test("a model call is a client's, and a child names its parent", () => {
  const [call] = spansOf({ ...span, parentID: "0".repeat(15) + "1", attributes: { "gen_ai.operation.name": "chat" } })
  expect(call).toMatchObject({ kind: 3, parentSpanId: "0000000000000001" })
  expect(spansOf(span)[0]).not.toHaveProperty("parentSpanId")
})

test("what is too long or no number is made fit", () => {
  const [long] = spansOf({
    ...span,
    name: "n".repeat(1_000),
    end: span.start - 1n,
    attributes: { a: "x".repeat(1_000), b: Number.NaN, c: 2 ** 60 },
  })
  expect(long!.name).toHaveLength(256)
  expect(long!.endTimeUnixNano).toBe(long!.startTimeUnixNano)
  expect(long!.attributes.map(({ value }) => value)).toEqual([
    { stringValue: "x".repeat(256) },
    { doubleValue: 0 },
    { doubleValue: 2 ** 60 },
  ])
})
