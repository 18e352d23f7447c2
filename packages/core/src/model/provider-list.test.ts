import { expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { Provider } from "@cairn/schema/provider"
import { createNet } from "../net/net.ts"
import { createCatalog } from "./catalog.ts"
import { listProviders } from "./provider-list.ts"
import { createModels, type ModelConfigSource } from "./registry.ts"

const catalog = createCatalog()

function list(config: ModelConfigSource = {}, env: Record<string, string> = {}, stored: Record<string, string> = {}) {
  const net = createNet({ env, log: silentLog, clock: systemClock })
  const auth = (id: string) => stored[id]
  const models = createModels({ catalog, config, env, net, clock: systemClock, log: silentLog, auth })
  return listProviders({ catalog, config, models })
}

test("without a key only the scripted model can be called; the others are named", () => {
  const { all, connected, default: defaults } = list()
  expect([connected, defaults]).toEqual([["demo"], { demo: "tour" }])
  for (const provider of all) expect(Provider.parse(provider)).toEqual(provider)
  expect(all.find(({ id }) => id === "anthropic")).toEqual({
    ...{ id: "anthropic", name: "Anthropic", source: "custom", options: {}, models: {} },
    env: ["ANTHROPIC_API_KEY"],
  })
})

test("a key brings its models, what they take and cost, and where the key comes from; never the key", () => {
  const found = list({}, { ANTHROPIC_API_KEY: "very-secret" }, { openai: "very-secret" })
  const by = (id: string) => found.all.find((provider) => provider.id === id)
  expect(found.connected).toEqual(expect.arrayContaining(["anthropic", "openai", "demo"]))
  expect([by("anthropic")?.source, by("openai")?.source]).toEqual(["env", "api"])
  expect(by("anthropic")?.models["claude-sonnet-4-5"]).toMatchObject({
    ...{ id: "claude-sonnet-4-5", providerID: "anthropic", family: "claude-sonnet", status: "active" },
    api: { id: "claude-sonnet-4-5", url: "https://api.anthropic.com/v1", npm: "@ai-sdk/anthropic" },
    capabilities: { toolcall: true, input: { text: true, image: true, pdf: true, audio: false } },
    cost: { input: 3, output: 15, cache: { read: 0.3, write: 3.75 } },
    limit: { context: 200_000, output: 64_000 },
  })
  expect(found.default["anthropic"]).toStartWith("claude-")
  expect(JSON.stringify(found)).not.toContain("very-secret")
})

test("a provider of the config stands with its models, also without prices; a barred one is gone", () => {
  const config: ModelConfigSource = {
    provider: {
      local: {
        name: "Here",
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: "http://127.0.0.1:11434/v1", headers: { "x-key": "very-secret" } },
        models: { llama: { limit: { context: 8_000, output: 1_000 } }, hidden: {} },
        blacklist: ["hidden"],
      },
    },
    disabled_providers: ["openai"],
  }
  const { all, connected } = list(config, { OPENAI_API_KEY: "k" })
  const local = all.find(({ id }) => id === "local")
  expect(local).toMatchObject({ name: "Here", source: "config" })
  expect(Object.keys(local?.models ?? {})).toEqual(["llama"])
  expect(local?.models["llama"]?.cost).toEqual({ input: 0, output: 0, cache: { read: 0, write: 0 } })
  expect([connected.includes("openai"), all.some(({ id }) => id === "openai")]).toEqual([false, false])
  expect(JSON.stringify(all)).not.toContain("very-secret")
})
