import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createCatalog } from "./catalog.ts"
import { newestModel, defaultChoices } from "./default-model.ts"

const file = readFileSync(join(import.meta.dir, "catalog.zst"))

test("a model is found with its limits, prices and capabilities", () => {
  const catalog = createCatalog()
  expect(catalog.model("anthropic", "claude-sonnet-4-5")).toMatchObject({
    family: "claude-sonnet",
    tool_call: true,
    limit: { context: 200_000, output: 64_000 },
    cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
  })
  expect(catalog.provider("anthropic")).toMatchObject({ env: ["ANTHROPIC_API_KEY"], npm: "@ai-sdk/anthropic" })
})

test("what is not there is undefined, whatever its name", () => {
  const catalog = createCatalog()
  for (const name of ["nobody", "__proto__", "constructor", "toString", ""]) {
    expect(catalog.provider(name)).toBeUndefined()
    expect(catalog.model(name, "x")).toBeUndefined()
    expect(catalog.model("anthropic", name)).toBeUndefined()
  }
})

test("the file is read at the first question, once, and only the provider asked for is unpacked", () => {
  let reads = 0
  let unpacked = 0
  const view = new Uint8Array(file)
  const counted = new Proxy(view, {
    get: (target, key) => {
      if (key === "subarray") return (...range: [number, number]) => (unpacked++, target.subarray(...range))
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
  const catalog = createCatalog(() => {
    reads++
    return counted
  })
  expect(reads).toBe(0)
  catalog.model("anthropic", "claude-sonnet-4-5")
  catalog.model("anthropic", "claude-opus-4-5")
  expect({ reads, unpacked }).toEqual({ reads: 1, unpacked: 2 })
  expect(catalog.models("openai")["gpt-5.5"]).toBeDefined()
  expect(reads).toBe(1)
})

test("every provider unpacks, every model has what the engine reads", () => {
  const catalog = createCatalog()
  expect(catalog.providers().length).toBeGreaterThan(100)
  let count = 0
  for (const id of catalog.providers())
    for (const [model, row] of Object.entries(catalog.models(id))) {
      count++
      expect(`${id}/${model} ${typeof row.limit?.context}`).toBe(`${id}/${model} number`)
      for (const tier of row.cost?.tiers ?? []) expect(tier.tier.size).toBeGreaterThan(0)
    }
  expect(count).toBeGreaterThan(5_000)
  expect(catalog.list()).toHaveLength(count)
})

test("the list filters without regard to case", () => {
  const list = createCatalog().list("Claude-Sonnet-4-5")
  expect(list).toContain("anthropic/claude-sonnet-4-5")
  expect(list.every((reference) => reference.toLowerCase().includes("claude-sonnet-4-5"))).toBe(true)
})

test.each([
  ["anthropic/claude-sonet-4-5", "anthropic/claude-sonnet-4-5"],
  ["anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4-5"],
  ["anthropc/claude-opus-4-8", "anthropic/claude-opus-4-8"],
  ["openai/gpt-5.5-prp", "openai/gpt-5.5-pro"],
  ["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
  ["gpt5.5", "openai/gpt-5.5"],
])("%s: did you mean %s", (text, expected) => {
  const suggestions = createCatalog().suggest(text)
  expect(suggestions[0]).toBe(expected)
  expect(suggestions.length).toBeLessThanOrEqual(3)
})

test("nothing is suggested for nonsense, and a huge name costs no more than a long one", () => {
  const catalog = createCatalog()
  for (const text of ["", "/", "zzzzzz", "💥", "x".repeat(2_000_000)]) expect(catalog.suggest(text)).toEqual([])
})

test("others take part in the suggestions, and nothing is named twice", () => {
  const catalog = createCatalog()
  expect(catalog.suggest("local/lama", ["local/llama", "local/qwen"])[0]).toBe("local/llama")
  const found = catalog.suggest("anthropic/claude-sonet-4-5", ["anthropic/claude-sonnet-4-5"])
  expect(new Set(found).size).toBe(found.length)
})

test("every default choice still names models of the catalogue that call tools", () => {
  const catalog = createCatalog()
  for (const { providerID, like } of defaultChoices) {
    const id = newestModel(catalog.models(providerID), like)
    expect(`${providerID} ${id !== undefined && like.test(id)}`).toBe(`${providerID} true`)
    expect(catalog.model(providerID, id ?? "")?.tool_call).toBe(true)
  }
})

test("the newest: deprecated models and those without tools are left out, equals are settled by name", () => {
  const row = (release_date: string, more = {}) => ({ release_date, tool_call: true, ...more })
  expect(newestModel({ a: row("2025-01-01"), b: row("2025-02") })).toBe("b")
  expect(
    newestModel({
      a: row("2025-01-01"),
      b: row("2025-02", { status: "deprecated" }),
      c: row("2026-01", { tool_call: false }),
    }),
  ).toBe("a")
  expect(newestModel({ bb: row("2025-01-01"), b: row("2025-01-01"), a: row("2025-01-01") })).toBe("a")
  expect(newestModel({ old: row("2024-01-01"), x: row("2026-01-01") }, /^old/)).toBe("old")
  expect(newestModel({ x: row("2026-01-01") }, /^old/)).toBe("x")
  expect(newestModel({})).toBeUndefined()
})
