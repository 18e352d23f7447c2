import { expect, test } from "bun:test"
import { noSpan } from "./span.ts"

test("where nobody traces, a span is always the same one and keeps nothing", () => {
  using span = noSpan.span("turn", { "cairn.kind": "turn" })
  expect(span).toBe(noSpan)
  expect(span.span("step").span("tool")).toBe(noSpan)
  span.set({ "cairn.kind": "step" })
  span.fail("denied")
  span.end()
  span.end()
  expect(Object.values(noSpan).every((value) => typeof value === "function")).toBe(true)
})
