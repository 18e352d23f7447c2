import { describe, expect, test } from "bun:test"
import type { ModelInfo } from "@cairn/schema/model-info"
import { styleOf } from "../terminal/look.ts"
import { modelTable } from "./model-table.ts"

const models: ModelInfo[] = [
  {
    ref: "anthropic/claude-sonnet-4-5-20250929",
    name: "Claude",
    context: 200_000,
    output: 64_000,
    price: { input: 3, output: 15 },
    tools: true,
    source: "catalogue",
    key: "present",
    keySource: "env:ANTHROPIC_API_KEY",
  },
  {
    ref: "box/llama",
    name: "l",
    price: { input: 0, output: 0.075 },
    tools: false,
    source: "config",
    key: "not needed",
  },
  { ref: "far/x", name: "x", tools: true, source: "catalogue", key: "missing", problem: "no key" },
  { ref: "odd/x", name: "x", tools: true, source: "catalogue", key: "unknown", problem: "no package" },
]
const at = (width: number, color = false) => modelTable(models, { width }, styleOf(color))

test("a wide table has it all", () => {
  expect(at(120)).toEqual([
    "model                                 context  output  $ in  $ out  tools  key",
    "anthropic/claude-sonnet-4-5-20250929  200k     64k     3     15     yes    present (ANTHROPIC_API_KEY)",
    "box/llama                             ?        ?       0     0.075  no     not needed",
    "far/x                                 ?        ?       ?     ?      yes    missing",
    "odd/x                                 ?        ?       ?     ?      yes    unusable",
  ])
})

describe.each([80, 70, 50, 40, 20])("at %d columns", (width) => {
  test("no line is wider, and the names stay as whole as they can", () => {
    const lines = at(width)
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(Math.max(width, 22))
    if (width >= 50) expect(lines[1]).toContain("anthropic/claude-sonnet-4-5-20250929")
    expect(lines[1]).toContain("present")
  })
})

test("the head stands out where there is colour", () => {
  expect(at(80, true)[0]).toStartWith("\u001b[1mmodel")
  expect(at(80, true)[1]).not.toContain("\u001b")
})
