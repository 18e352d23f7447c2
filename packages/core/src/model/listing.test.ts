import { describe, expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { createNet } from "../net/net.ts"
import { createCatalog } from "./catalog.ts"
import { createModels, type ModelConfigSource } from "./registry.ts"

const catalog = createCatalog()

function make(config: ModelConfigSource = {}, env: Record<string, string> = {}) {
  const net = createNet({ env, log: silentLog, clock: systemClock })
  return createModels({ catalog, config, env, net, clock: systemClock, log: silentLog })
}
const local: ModelConfigSource = {
  provider: {
    box: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: "http://127.0.0.1:11434/v1" },
      models: { "llama:8b": { name: "Llama", limit: { context: 8_000, output: 1_000 }, tool_call: false }, bare: {} },
    },
  },
}

describe("ready models", () => {
  test("without a key: the scripted one alone", () => {
    expect(make().infos("", "ready")).toEqual([
      expect.objectContaining({ ref: "demo/tour", source: "demo", key: "not needed", tools: true }),
    ])
  })

  test("a key makes its provider's ready, and is named by its variable only", () => {
    const models = make({}, { ANTHROPIC_API_KEY: "very-secret" }).infos("", "ready")
    expect(new Set(models.map(({ ref }) => ref.split("/")[0]))).toEqual(new Set(["anthropic", "demo"]))
    expect(models.find(({ ref }) => ref === "anthropic/claude-sonnet-4-5")).toEqual({
      ref: "anthropic/claude-sonnet-4-5",
      name: expect.stringContaining("Sonnet 4.5"),
      context: 200_000,
      output: 64_000,
      price: { input: 3, output: 15 },
      tools: true,
      variants: ["low", "medium", "high", "max"],
      source: "catalogue",
      key: "present",
      keySource: "env:ANTHROPIC_API_KEY",
    })
    expect(JSON.stringify(models)).not.toContain("very-secret")
  })

  test("a blank key is none", () => {
    expect(make({}, { ANTHROPIC_API_KEY: " " }).infos("", "ready")).toHaveLength(1)
  })

  test("what the config declares is listed with its own limits", () => {
    const [bare, llama] = make(local).infos("box/", "ready")
    expect(llama).toEqual({
      ref: "box/llama:8b",
      name: "Llama",
      context: 8_000,
      output: 1_000,
      tools: false,
      source: "config",
      key: "not needed",
    })
    expect(bare).toMatchObject({ ref: "box/bare", name: "bare", tools: true })
    expect(bare).not.toHaveProperty("context")
  })

  test("what the config declares and cannot be called says why", () => {
    const far = {
      provider: {
        box: { ...local.provider?.["box"], options: { baseURL: "https://box.example.com/v1" }, env: ["BOX_KEY"] },
      },
    }
    const [model] = make(far).infos("llama", "ready")
    expect(model).toMatchObject({ key: "missing", problem: expect.stringContaining("BOX_KEY") })
  })
})

describe("all models", () => {
  test("hold those without a key, with what is missing", () => {
    const models = make().infos("anthropic/CLAUDE-sonnet-4-5", "all")
    expect(models.length).toBeGreaterThan(0)
    for (const model of models) expect(model.ref.toLowerCase()).toContain("anthropic/claude-sonnet-4-5")
    expect(models[0]).toMatchObject({ key: "missing", context: 200_000, price: { input: 3, output: 15 } })
    expect(models[0]?.problem).toContain("ANTHROPIC_API_KEY")
  })

  test("are sorted, and none is left out", () => {
    const models = make(local)
    const refs = models.infos("", "all").map(({ ref }) => ref)
    expect(refs).toEqual(models.list())
    expect(refs).toEqual(refs.toSorted())
  })

  test("a provider that the config excludes is not ready", () => {
    const models = make({ disabled_providers: ["anthropic"] }, { ANTHROPIC_API_KEY: "k" })
    const [model] = models.infos("anthropic/claude-sonnet-4-5", "all")
    expect(model?.problem).toContain("disabled_providers")
  })
})

test("names that look like object members are no providers", () => {
  expect(make().infos("constructor/", "all")).toEqual([])
})

test("what was meant by a mistyped name", () => {
  expect(make().suggest("anthropic/claude-sonet-4-5")[0]).toBe("anthropic/claude-sonnet-4-5")
  expect(make().suggest("zzzzzzzz")).toEqual([])
})
