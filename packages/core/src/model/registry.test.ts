import { expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { createLog } from "@cairn/kernel/log"
import { createNet } from "../net/net.ts"
import { createCatalog } from "./catalog.ts"
import { createModels, type ModelConfigSource, parseModelRef } from "./registry.ts"

const catalog = createCatalog()
const lines: string[] = []
const log = createLog({ write: (line) => lines.push(line) }, systemClock, "debug")

function make(
  config: ModelConfigSource = {},
  env: Record<string, string> = {},
  auth?: (id: string) => string | undefined,
) {
  const net = createNet({ env, log, clock: systemClock })
  return createModels({ catalog, config, env, net, clock: systemClock, log, ...(auth ? { auth } : {}) })
}
function good(models: ReturnType<typeof make>, ref?: string) {
  const result = models.resolve(ref)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
function bad(models: ReturnType<typeof make>, ref?: string) {
  const result = models.resolve(ref)
  if (result.ok) throw new Error(`resolved to ${result.value.ref.modelID}`)
  return result.error
}
const local = (more = {}) => ({
  npm: "@ai-sdk/openai-compatible",
  options: { baseURL: "http://127.0.0.1:11434/v1" },
  models: { llama: {} },
  ...more,
})

test("a reference is split at its first slash", () => {
  expect(parseModelRef("openrouter/z-ai/glm-5")).toEqual({ providerID: "openrouter", modelID: "z-ai/glm-5" })
  for (const text of ["", "/", "x", "/x", "x/"]) expect(parseModelRef(text)).toBeUndefined()
})

test("a catalogue model with its key in the environment", () => {
  const model = good(make({}, { ANTHROPIC_API_KEY: "k1" }), "anthropic/claude-sonnet-4-5")
  expect(model).toMatchObject({
    ref: { providerID: "anthropic", modelID: "claude-sonnet-4-5" },
    providerName: "Anthropic",
    family: "claude-sonnet",
    npm: "@ai-sdk/anthropic",
    apiID: "claude-sonnet-4-5",
    baseURL: "https://api.anthropic.com/v1",
    keySource: "env:ANTHROPIC_API_KEY",
    limits: { context: 200_000, output: 64_000, known: true },
    cost: { input: 3, output: 15, cache: { read: 0.3, write: 3.75 } },
    capabilities: { image: true, pdf: true, reasoning: true, toolcall: true, temperature: true, interleaved: true },
    timeouts: { connect: 15_000, firstByte: 120_000, silence: 120_000, total: false },
  })
})

test("no key in anything that could be printed or logged", () => {
  const model = good(make({}, { ANTHROPIC_API_KEY: "very-secret" }), "anthropic/claude-sonnet-4-5")
  expect(JSON.stringify(model)).not.toContain("very-secret")
  expect(lines.join()).not.toContain("very-secret")
})

test("no key: which variable, which config key", () => {
  const error = bad(make(), "anthropic/claude-sonnet-4-5")
  expect(error.kind).toBe("key")
  expect(error.message).toContain("ANTHROPIC_API_KEY")
  expect(error.message).toContain("provider.anthropic.options.apiKey")
  expect(bad(make({}, { ANTHROPIC_API_KEY: "  " }), "anthropic/claude-sonnet-4-5").kind).toBe("key")
})

test("config beats what is kept, which beats the environment", () => {
  const env = { ANTHROPIC_API_KEY: "e" }
  const config = { provider: { anthropic: { options: { apiKey: "c" } } } }
  expect(
    good(
      make(config, env, () => "a"),
      "anthropic/claude-sonnet-4-5",
    ).keySource,
  ).toBe("config")
  expect(
    good(
      make({}, env, () => "a"),
      "anthropic/claude-sonnet-4-5",
    ).keySource,
  ).toBe("auth")
})

test("a key that cannot be a header is refused before it is sent", () => {
  const error = bad(make({}, { ANTHROPIC_API_KEY: "abc\ndef" }), "anthropic/claude-sonnet-4-5")
  expect(error.kind).toBe("key")
  expect(error.message).not.toContain("abc")
})

test("an unknown model: did you mean, from catalogue and config", () => {
  const error = bad(make({}, { ANTHROPIC_API_KEY: "k" }), "anthropic/claude-sonet-4-5")
  expect(error.kind).toBe("model")
  expect(error.message).toContain("anthropic/claude-sonnet-4-5")
  expect(bad(make({ provider: { local: local() } }), "local/lama").message).toContain("local/llama")
  expect(bad(make(), "claude-sonnet-4-5").message).toContain("provider/model")
  expect(bad(make(), "x".repeat(100_000)).message.length).toBeLessThan(500)
})

test("a server on this machine needs no key and is given time to load", () => {
  const model = good(make({ provider: { local: local() } }), "local/llama")
  expect(model).toMatchObject({
    keySource: "none",
    baseURL: "http://127.0.0.1:11434/v1",
    limits: { context: 128_000, known: false },
  })
  expect(model.timeouts.firstByte).toBe(600_000)
  expect(model.cost).toBeUndefined()
})

test("a catalogue provider moved to this machine needs no key either", () => {
  const config = { provider: { openai: { options: { baseURL: "http://localhost:8080/v1" } } } }
  expect(good(make(config), "openai/gpt-5.5")).toMatchObject({ keySource: "none", baseURL: "http://localhost:8080/v1" })
})

test("config merges over the catalogue: alias, limits, prices, timeouts, headers", () => {
  const config = {
    provider: {
      anthropic: {
        name: "Ours",
        options: { apiKey: "k", connectTimeout: false as const, chunkTimeout: 5_000, timeout: 60_000 },
        models: {
          fast: { id: "claude-haiku-4-5", name: "Fast", limit: { context: 50_000, output: 9_000 } },
          "claude-sonnet-4-5": { cost: { input: 1, output: 2 } },
        },
      },
    },
  }
  const models = make(config)
  expect(good(models, "anthropic/fast")).toMatchObject({
    apiID: "claude-haiku-4-5",
    name: "Fast",
    providerName: "Ours",
    family: "claude-haiku",
    limits: { context: 50_000, output: 9_000, known: true },
    timeouts: { connect: false, silence: 5_000, total: 60_000, firstByte: 120_000 },
  })
  expect(good(models, "anthropic/claude-sonnet-4-5")).toMatchObject({
    cost: { input: 1, output: 2, cache: { read: 0.3, write: 3.75 } },
    limits: { context: 200_000 },
  })
})

test("prices above a context size become tiers, from catalogue and config", () => {
  const cost = { input: 1, output: 2, context_over_200k: { input: 3, output: 4 } }
  const model = good(make({ provider: { local: local({ models: { m: { cost } } }) } }), "local/m")
  expect(model.cost?.tiers).toEqual([{ input: 3, output: 4, cache: { read: 3, write: 3 }, above: 200_000 }])
  const gemini = good(make({}, { GEMINI_API_KEY: "k" }), "google/gemini-2.5-pro")
  expect(gemini.cost).toEqual({
    ...{ input: 1.25, output: 10, cache: { read: 0.125, write: 1.25 } },
    tiers: [{ input: 2.5, output: 15, cache: { read: 0.25, write: 2.5 }, above: 200_000 }],
  })
})

test("prices of the config stand for themselves: the catalogue adds those of the cache that they leave out", () => {
  const cost = { input: 0, output: 0 }
  const provider = {
    google: { models: { "gemini-2.5-pro": { cost } } },
    alibaba: { options: { apiKey: "k" }, models: { "qwen-plus": { cost } } },
  }
  const models = make({ provider }, { GEMINI_API_KEY: "k" })
  expect(good(models, "google/gemini-2.5-pro").cost).toEqual({
    ...{ input: 0, output: 0, cache: { read: 0.125, write: 0 }, tiers: [] },
  })
  expect(good(models, "alibaba/qwen-plus").cost).toEqual({
    ...{ input: 0, output: 0, cache: { read: 0, write: 0 }, tiers: [] },
  })
})

test("thoughts have a price of their own where the catalogue or the config gives one", () => {
  const cost = { input: 1, output: 2, reasoning: 5, context_over_200k: { input: 3, output: 4, reasoning: 6 } }
  const model = good(make({ provider: { local: local({ models: { m: { cost } } }) } }), "local/m")
  expect(model.cost).toMatchObject({ output: 2, reasoning: 5, tiers: [{ output: 4, reasoning: 6 }] })
  const catalogued = createCatalog().model("alibaba", "qwen-plus")?.cost
  expect(catalogued).toEqual({ input: 0.4, output: 1.2, reasoning: 4 })
})

test("an unsupported package names the supported ones and the way out", () => {
  const error = bad(make({ provider: { odd: { npm: "@odd/sdk", models: { m: {} } } } }), "odd/m")
  expect(error.kind).toBe("config")
  for (const part of ["@odd/sdk", "@ai-sdk/anthropic", "@ai-sdk/openai-compatible", "provider.odd.npm"])
    expect(error.message).toContain(part)
})

test("providers with a package of their own are reached through chat completions", () => {
  expect(good(make({}, { OPENROUTER_API_KEY: "k" }), "openrouter/anthropic/claude-sonnet-5")).toMatchObject({
    npm: "@ai-sdk/openai-compatible",
    baseURL: "https://openrouter.ai/api/v1",
    apiID: "anthropic/claude-sonnet-5",
  })
  expect(good(make({}, { XAI_API_KEY: "k" }), "xai/grok-4.3").baseURL).toBe("https://api.x.ai/v1")
})

test("addresses: variables are filled in, missing ones named, nonsense refused", () => {
  const provider = { p: { npm: "@ai-sdk/openai-compatible", api: "https://${HOST_NAME}/v1/", models: { m: {} } } }
  expect(good(make({ provider }, { HOST_NAME: "a.example.com" }), "p/m").baseURL).toBe("https://a.example.com/v1")
  expect(bad(make({ provider }), "p/m").message).toContain("HOST_NAME")
  for (const baseURL of ["not a url", "file:///etc/passwd", ""])
    expect(bad(make({ provider: { p: { options: { baseURL }, models: { m: {} } } } }), "p/m").kind).toBe("config")
  expect(bad(make({ provider: { p: { models: { m: {} } } } }), "p/m").message).toContain("provider.p.options.baseURL")
})

test("ANTHROPIC_BASE_URL moves the default address, with and without its path, but not a configured one", () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://gateway.corp" }
  expect(good(make({}, env), "anthropic/claude-sonnet-4-5").baseURL).toBe("https://gateway.corp/v1")
  const config = { provider: { anthropic: { options: { baseURL: "https://mine.corp/api/" } } } }
  expect(good(make(config, env), "anthropic/claude-sonnet-4-5").baseURL).toBe("https://mine.corp/api")
})

test("without a choice: config model, then declared models, then the first usual provider with a key", () => {
  expect(good(make({ model: "openai/gpt-5.5" }, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).ref.providerID).toBe(
    "openai",
  )
  expect(good(make({ provider: { local: local() } }, { OPENAI_API_KEY: "k" })).ref).toEqual({
    providerID: "local",
    modelID: "llama",
  })
  expect(good(make({}, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).ref.modelID).toMatch(/^claude-sonnet/)
  expect(good(make({}, { GEMINI_API_KEY: "k" }))).toMatchObject({
    npm: "@ai-sdk/google",
    keySource: "env:GEMINI_API_KEY",
  })
  expect(
    good(make({ disabled_providers: ["anthropic"] }, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).ref.providerID,
  ).toBe("openai")
})

test("a token for something else is not taken for a model's key", () => {
  expect(bad(make({}, { GITHUB_TOKEN: "t", AWS_ACCESS_KEY_ID: "a", CLOUDFLARE_ACCOUNT_ID: "i" })).kind).toBe("key")
})

test("nothing at all: says which variables, which config key, and names the demo", () => {
  const error = bad(make())
  expect(error.kind).toBe("key")
  for (const part of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", '"model"', "demo/tour"])
    expect(error.message).toContain(part)
})

test("a configured default that does not resolve is its own error, not another model", () => {
  expect(bad(make({ model: "anthropic/nope" }, { OPENAI_API_KEY: "k" })).kind).toBe("model")
  expect(bad(make({ model: "nonsense" }, { OPENAI_API_KEY: "k" })).message).toContain("config key model")
})

test("excluded providers and models say by which key", () => {
  const env = { ANTHROPIC_API_KEY: "k" }
  const by = (config: ModelConfigSource) => bad(make(config, env), "anthropic/claude-sonnet-4-5").message
  expect(by({ disabled_providers: ["anthropic"] })).toContain("disabled_providers")
  expect(by({ enabled_providers: ["openai"] })).toContain("enabled_providers")
  expect(by({ provider: { anthropic: { blacklist: ["claude-sonnet-4-5"] } } })).toContain("blacklist")
  expect(by({ provider: { anthropic: { whitelist: ["other"] } } })).toContain("whitelist")
})

test("the demo needs nothing, and has one model", () => {
  expect(good(make(), "demo/tour")).toMatchObject({ npm: "demo", baseURL: undefined, keySource: "none" })
  expect(bad(make(), "demo/other").kind).toBe("model")
})

test("prototype names are neither providers nor models", () => {
  for (const ref of ["__proto__/x", "constructor/name", "anthropic/__proto__", "anthropic/constructor"])
    expect(bad(make({ provider: {} }, { ANTHROPIC_API_KEY: "k" }), ref).kind).toBe("model")
})

test("the list has catalogue and config, once each", () => {
  const list = make({ provider: { local: local(), anthropic: { models: { "claude-sonnet-4-5": {} } } } }).list("a")
  expect(list).toContain("local/llama")
  expect(list.filter((ref) => ref === "anthropic/claude-sonnet-4-5")).toHaveLength(1)
})

test.each(["openai/gpt-5.5", "google/gemini-3.5-flash"])("%s opens with its own package", async (ref) => {
  const model = good(make({}, { OPENAI_API_KEY: "k", GOOGLE_API_KEY: "k" }), ref)
  expect(await model.open()).toMatchObject({ specificationVersion: "v4", modelId: model.apiID })
})

test("a misspelt name of the scripted model is helped too", () => {
  const models = make({})
  const answer = models.resolve("demo/tuor")
  expect(answer.ok ? "" : answer.error.message).toContain("demo/tour")
  expect(models.list("demo/")).toContain("demo/tour")
})
