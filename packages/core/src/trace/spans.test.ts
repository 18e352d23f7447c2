import { describe, expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import type { EndedSpan } from "./otlp-json.ts"
import { createSpans } from "./spans.ts"

function made() {
  const clock = new TestClock(1_000)
  const ended: EndedSpan[] = []
  return { clock, ended, spans: createSpans(clock, (span) => ended.push(span)) }
}

test("a tree has one trace id, and each span its own and its parent's", async () => {
  const { clock, ended, spans } = made()
  const turn = spans.span("turn", { a: 1 })
  await clock.advance(5)
  {
    using step = turn.span("step")
    step.set({ b: "x" })
    step.span("tool").end()
  }
  turn.set({ c: true })
  turn.end()
  const [tool, step, root] = ended
  expect([tool!.name, step!.name, root!.name]).toEqual(["tool", "step", "turn"])
  expect(root!.traceID).toMatch(/^(?!0+$)[0-9a-f]{32}$/)
  expect(root!.spanID).toMatch(/^(?!0+$)[0-9a-f]{16}$/)
  expect(new Set(ended.map((span) => span.traceID)).size).toBe(1)
  expect(new Set(ended.map((span) => span.spanID)).size).toBe(3)
  expect([tool!.parentID, step!.parentID, root!.parentID]).toEqual([step!.spanID, root!.spanID, undefined])
  expect(root).toMatchObject({ attributes: { a: 1, c: true }, start: 1_000_000_000n, end: 1_005_000_000n })
  expect(step).toMatchObject({ attributes: { b: "x" }, start: 1_005_000_000n })
  expect(spans.span("other").end()).toBeUndefined()
  expect(ended.at(-1)!.traceID).not.toBe(root!.traceID)
})

test("it ends once, and nothing is said of it afterwards", () => {
  const { ended, spans } = made()
  const span = spans.span("turn")
  span.fail("denied")
  span.end()
  span.set({ late: true })
  span.fail("late")
  span.end()
  span[Symbol.dispose]()
  expect(ended).toEqual([expect.objectContaining({ name: "turn", attributes: {}, failure: "denied" })])
})

test("a clock that is set back bends no span", async () => {
  const { clock, ended, spans } = made()
  const turn = spans.span("turn")
  await clock.advance(10)
  clock.setNow(3)
  const step = turn.span("step")
  await clock.advance(10)
  step.end()
  turn.end()
  expect(ended.map(({ start, end }) => [start / 1_000_000n, end / 1_000_000n])).toEqual([
    [1_010n, 1_020n],
    [1_000n, 1_020n],
  ])
})

describe("what is open at the end", () => {
  test("is ended as abandoned, the innermost first", () => {
    const { ended, spans } = made()
    const turn = spans.span("turn")
    turn.span("step").span("tool")
    spans.endAll()
    expect(ended.map(({ name, failure }) => [name, failure])).toEqual([
      ["tool", "abandoned"],
      ["step", "abandoned"],
      ["turn", "abandoned"],
    ])
    spans.endAll()
    turn.end()
    expect(ended).toHaveLength(3)
  })
})
