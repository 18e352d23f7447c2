import { describe, expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { ProviderConfig } from "@cairn/schema/config-provider"
import type { WireProtocol } from "@cairn/testkit/request"
import { text } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { createNet } from "../net/net.ts"
import { callModel } from "./call.ts"
import { createCatalog } from "./catalog.ts"
import { createModels } from "./registry.ts"
import { variantsOf } from "./variants.ts"

const catalog = createCatalog()
const effort = (...values: string[]) => ({ type: "effort", values })
const net = createNet({ env: {}, log: silentLog, clock: systemClock })

function models(provider: Record<string, ProviderConfig>) {
  return createModels({ catalog, config: { provider }, env: {}, net, clock: systemClock, log: silentLog })
}

describe("of the catalogue, in the words of each package:", () => {
  test("efforts", () => {
    const reasoning_options = [effort("none", "minimal", "low", "high", "max")]
    const names = (npm: string) => Object.keys(variantsOf({ reasoning_options }, npm))
    expect(names("@ai-sdk/openai")).toEqual(["none", "minimal", "low", "high", "max"])
    expect(names("@ai-sdk/openai-compatible")).toEqual(["none", "minimal", "low", "high", "max"])
    // What a package has no word for is no variant.
    expect(names("@ai-sdk/anthropic")).toEqual(["low", "high", "max"])
    expect(names("@ai-sdk/google")).toEqual(["minimal", "low", "high"])
    expect(names("somebody-else")).toEqual([])
  })

  test("budgets within the model's bounds, and none where thinking can be left out", () => {
    const reasoning_options = [{ type: "toggle" }, { type: "budget_tokens", min: 5_000, max: 20_000 }]
    expect(variantsOf({ reasoning_options }, "@ai-sdk/anthropic")).toEqual({
      none: { thinking: { type: "disabled" } },
      low: { thinking: { type: "enabled", budgetTokens: 5_000 } },
      medium: { thinking: { type: "enabled", budgetTokens: 8_192 } },
      high: { thinking: { type: "enabled", budgetTokens: 16_384 } },
      max: { thinking: { type: "enabled", budgetTokens: 20_000 } },
    })
    const google = variantsOf({ reasoning_options: [{ type: "budget_tokens", min: 0 }] }, "@ai-sdk/google")
    expect(google["none"]).toEqual({ thinkingConfig: { thinkingBudget: 0 } })
    expect(google["max"]).toEqual({ thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true } })
    expect(variantsOf({ reasoning_options }, "@ai-sdk/openai-compatible")).toEqual({})
  })

  test("an effort with a budget beside it thinks within the budget, one without thinks as it likes", () => {
    const both = variantsOf(
      { reasoning_options: [effort("low", "xhigh"), { type: "budget_tokens", min: 1_024 }] },
      "@ai-sdk/anthropic",
    )
    expect(both).toEqual({
      low: { effort: "low", thinking: { type: "enabled", budgetTokens: 4_096 } },
      xhigh: { effort: "xhigh", thinking: { type: "enabled", budgetTokens: 16_384 } },
    })
    expect(variantsOf({ reasoning_options: [effort("low")] }, "@ai-sdk/anthropic")).toEqual({
      low: { effort: "low", thinking: { type: "adaptive" } },
    })
  })

  test("nothing of what is malformed", () => {
    const odd = [null, 1, "x", {}, { type: "effort" }, { type: "effort", values: "high" }, effort(3 as never)]
    for (const npm of ["@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/google"])
      expect(variantsOf({ reasoning_options: odd }, npm)).toEqual({})
  })

  test("every model of the great providers that reasons by effort or budget has some", () => {
    for (const [provider, npm] of [
      ["anthropic", "@ai-sdk/anthropic"],
      ["openai", "@ai-sdk/openai"],
      ["google", "@ai-sdk/google"],
    ] as const)
      for (const [id, { reasoning_options: options = [] }] of Object.entries(catalog.models(provider))) {
        const told = options.some((option) => JSON.stringify(option).match(/"(effort|budget_tokens)"/))
        expect([id, Object.keys(variantsOf({ reasoning_options: options }, npm)).length > 0]).toEqual([id, told])
      }
  })
})

describe("of the config", () => {
  test("change, add and take away", () => {
    const variants = {
      low: { disabled: true },
      high: { textVerbosity: "low" },
      quick: { reasoningEffort: "minimal", disabled: false },
    }
    expect(variantsOf({ reasoning_options: [effort("low", "high")], variants }, "@ai-sdk/openai")).toEqual({
      high: { reasoningEffort: "high", reasoningSummary: null, forceReasoning: true, textVerbosity: "low" },
      quick: { reasoningEffort: "minimal" },
    })
  })

  test("hold for models that the catalogue does not know", () => {
    const local = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: "http://127.0.0.1:1/v1" },
      models: { m: { options: { a: 1, b: 1 }, variants: { deep: { b: 2 } } }, plain: {} },
    }
    const found = models({ local }).resolve({ providerID: "local", modelID: "m", variant: "deep" })
    expect(found).toMatchObject({ ok: true, value: { ref: { variant: "deep" }, options: { a: 1, b: 2 } } })
    const without = models({ local }).resolve("local/m")
    expect(without).toMatchObject({ ok: true, value: { options: { a: 1, b: 1 } } })
    expect(without.ok && without.value.ref).toEqual({ providerID: "local", modelID: "m" })
  })
})

test("an unknown variant is refused with those that exist", () => {
  const all = models({ anthropic: { options: { apiKey: "k" } }, openai: { options: { apiKey: "k" } } })
  const message = (providerID: string, modelID: string, variant: string) => {
    const found = all.resolve({ providerID, modelID, variant })
    return found.ok ? undefined : found.error
  }
  expect(message("openai", "gpt-5", "hihg")).toEqual({
    kind: "model",
    message: 'The model openai/gpt-5 has no variant "hihg". Did you mean high? There are: minimal, low, medium, high.',
  })
  expect(message("demo", "tour", "high")?.message).toBe('The model demo/tour has no variant "high". It has none.')
  expect(message("openai", "gpt-5", "constructor")?.message).toContain("no variant")
  expect(message("openai", "gpt-5", "x".repeat(10_000))!.message.length).toBeLessThan(300)
  expect(message("openai", "gpt-5", "")?.message).toContain("There are: minimal")
})

const call = async (protocol: WireProtocol, providerID: string, modelID: string, variant: string | undefined) => {
  await using server = await startModelServer([[text("Hi.")]])
  const provider = { [providerID]: { options: { apiKey: "k", baseURL: server.baseURL(protocol) } } }
  const found = models(provider).resolve({ providerID, modelID, ...(variant !== undefined && { variant }) })
  if (!found.ok) throw new Error(found.error.message)
  const request = {
    system: ["You are a test."],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }],
    tools: [],
    maxOutputTokens: 32_000,
    temperature: 0.5,
  }
  const context = { signal: new TaskGroup().signal, clock: systemClock, net, log: silentLog }
  const parts = await Array.fromAsync(callModel(found.value, request, context))
  expect(parts.filter((part) => part.type === "error")).toEqual([])
  return server.requests[0]!.body as Record<string, unknown>
}

describe("on the wire", () => {
  test.each<[WireProtocol, string, string, string, object]>([
    ["responses", "openai", "gpt-5", "high", { reasoning: { effort: "high" } }],
    ["responses", "openai", "gpt-5.4", "none", { reasoning: { effort: "none" } }],
    [
      "anthropic",
      "anthropic",
      "claude-sonnet-4-5",
      "high",
      { thinking: { type: "enabled", budget_tokens: 16_384 }, max_tokens: 32_000 },
    ],
    [
      "anthropic",
      "anthropic",
      "claude-opus-4-7",
      "xhigh",
      { thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } },
    ],
    [
      "anthropic",
      "anthropic",
      "claude-opus-4-5",
      "low",
      { thinking: { type: "enabled", budget_tokens: 4_096 }, output_config: { effort: "low" } },
    ],
    [
      "google",
      "google",
      "gemini-2.5-pro",
      "high",
      { generationConfig: { thinkingConfig: { thinkingBudget: 16_384, includeThoughts: true } } },
    ],
    [
      "google",
      "google",
      "gemini-3-flash-preview",
      "low",
      { generationConfig: { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } } },
    ],
    ["chat", "openrouter", "openai/gpt-5", "low", { reasoning_effort: "low" }],
  ])("%s: %s/%s as %s", async (protocol, providerID, modelID, variant, body) => {
    expect(await call(protocol, providerID, modelID, variant)).toMatchObject(body)
    const plain = await call(protocol, providerID, modelID, undefined)
    for (const key of ["reasoning", "thinking", "output_config", "reasoning_effort"]) expect(plain[key]).toBeUndefined()
    expect(JSON.stringify(plain)).not.toContain("thinkingConfig")
  })

  test("OpenAI is asked for its encrypted reasoning, and no temperature is sent", async () => {
    const body = await call("responses", "openai", "gpt-5", "low")
    expect(body["include"]).toContain("reasoning.encrypted_content")
    expect(body["temperature"]).toBeUndefined()
  })
})
