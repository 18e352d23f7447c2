import { expect, test } from "bun:test"
import fc from "fast-check"
import { createCatalog } from "../model/catalog.ts"
import { editFormatOf } from "../model/edit-format.ts"
import { type BaseName, baseOf, isSmall, type ModelFacts } from "./base.ts"

/** Real models of the shipped catalogue, as `provider/model`. */
const rows: Record<BaseName, readonly string[]> = {
  claude: [
    "anthropic/claude-opus-4-6",
    "anthropic/claude-sonnet-4-0",
    "anthropic/claude-haiku-4-5",
    "anthropic/claude-fable-5",
    "openrouter/anthropic/claude-haiku-4.5",
    "amazon-bedrock/anthropic.claude-opus-4-6-v1",
    "gitlab/duo-chat-opus-4-7",
  ],
  gpt: [
    "openai/gpt-5.2",
    "openai/gpt-4.1",
    "openai/gpt-4o",
    "openai/o3",
    "openai/o4-mini",
    "openai/gpt-5-nano",
    "openrouter/openai/gpt-5.2-pro",
    "digitalocean/openai-o3-mini",
    "github-copilot/gpt-5.2",
  ],
  codex: [
    "openai/gpt-5.3-codex",
    "openai/gpt-5.3-codex-spark",
    "openai/gpt-5.1-codex-mini",
    "azure/codex-mini",
    "aihubmix/gpt-5.1-codex",
  ],
  gemini: [
    "google/gemini-2.5-pro",
    "google/gemini-2.5-flash",
    "google/gemini-3-pro-preview",
    "openrouter/google/gemini-2.5-flash-lite",
    "google-vertex/gemini-3-flash-preview",
  ],
  open: [
    "iflowcn/qwen3-32b",
    "openrouter/qwen/qwen3-coder",
    "alibaba/qvq-max",
    "kimi-for-coding/k2p6",
    "moonshotai/kimi-k2-thinking",
    "openrouter/moonshotai/kimi-k2-thinking",
    "zai/glm-4.6",
    "openrouter/z-ai/glm-4.5-air",
    "deepseek/deepseek-chat",
    "deepseek/deepseek-reasoner",
    "iflowcn/deepseek-v3.2",
    "cloudflare-workers-ai/@cf/zai-org/glm-4.7-flash",
    "openrouter/openai/gpt-oss-120b",
    "berget/openai/gpt-oss-120b",
    "novita-ai/minimax/minimax-m2.7",
    "aihubmix/xiaomi-mimo-v2.5-pro",
    "berget/meta-llama/Llama-3.3-70B-Instruct",
    "openrouter/mistralai/devstral-2512",
    "routing-run/route/step-3.5-flash",
    "umans-ai-coding-plan/umans-coder",
  ],
  small: [
    "openai/gpt-4",
    "openrouter/openai/gpt-3.5-turbo-16k",
    "openrouter/qwen/qwen-2.5-7b-instruct",
    "openrouter/liquid/lfm-2.5-1.2b-thinking:free",
    "nvidia/meta/llama-3.1-8b-instruct",
    "cloudflare-workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast",
  ],
  default: [
    "openrouter/x-ai/grok-build-0.1",
    "mistral/mistral-large-latest",
    "mistral/codestral-latest",
    "cohere/command-a-reasoning-08-2025",
    "openrouter/amazon/nova-premier-v1",
    "openrouter/perplexity/sonar-pro",
    "openrouter/inception/mercury-2",
    "opencode/big-pickle",
    "venice/venice-uncensored-role-play",
  ],
}

const catalog = createCatalog()
for (const [expected, refs] of Object.entries(rows))
  test(`${expected}: ${refs.length} models of the catalogue`, () => {
    for (const ref of refs) {
      const slash = ref.indexOf("/")
      const [providerID, apiID] = [ref.slice(0, slash), ref.slice(slash + 1)]
      const known = catalog.model(providerID, apiID)
      expect(known, ref).toBeDefined()
      const { family, limit } = known ?? {}
      const limits = limit ? { context: limit.context, known: true } : { context: 128_000, known: false }
      const facts = { apiID, limits, loopback: false, format: editFormatOf(apiID), ...(family && { family }) }
      expect(`${ref} ${baseOf(facts)}`).toBe(`${ref} ${expected}`)
    }
  })

test("the table is worth its name", () => expect(Object.values(rows).flat().length).toBeGreaterThanOrEqual(40))

const facts: ModelFacts = { apiID: "x", limits: { context: 200_000, known: true }, loopback: false, format: "edit" }

test("ids that no catalogue has: region, version, folders, a deployment's own name", () => {
  const base = (apiID: string, family?: string) => baseOf({ ...facts, apiID, ...(family && { family }) })
  expect(base("us.anthropic.claude-sonnet-4-20250514-v1:0")).toBe("claude")
  expect(base("accounts/fireworks/models/kimi-k2-instruct")).toBe("open")
  expect(base("chatgpt-4o-latest")).toBe("gpt")
  expect(base("Qwen3-Coder-30B-A3B-Instruct-GGUF")).toBe("open")
  expect(base("deepseek-r1-distill-llama-70b")).toBe("open")
  expect(base("my-deployment")).toBe("default")
  expect(base("my-deployment", "gpt-codex")).toBe("codex")
  expect(base("my-deployment", "claude-opus")).toBe("claude")
  // The folder names who serves it, not what it is.
  expect(base("openai/whatever")).toBe("default")
  expect(base("claude-3/echo")).toBe("default")
})

test("small: by the user's word, by a context of 32k or less, or on this machine with nothing known of it", () => {
  expect(isSmall(facts)).toBe(false)
  expect(isSmall({ ...facts, apiID: "claude-opus-4-6", profile: "small" })).toBe(true)
  expect(isSmall({ ...facts, limits: { context: 32_768, known: true } })).toBe(true)
  expect(isSmall({ ...facts, limits: { context: 32_769, known: true } })).toBe(false)
  const guessed = { context: 128_000, known: false }
  expect(isSmall({ ...facts, apiID: "qwen3:8b", limits: guessed, loopback: true })).toBe(true)
  expect(isSmall({ ...facts, apiID: "qwen3:8b", limits: guessed, loopback: false })).toBe(false)
  // The user told us how large it is.
  expect(isSmall({ ...facts, apiID: "qwen3-coder", loopback: true })).toBe(false)
  // A proxy on this machine to a model that never runs on one.
  expect(isSmall({ ...facts, apiID: "claude-opus-4-6", limits: guessed, loopback: true })).toBe(false)
})

test("any name has a base, and its case does not matter", () => {
  fc.assert(
    fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (apiID, family) => {
      const one = { ...facts, apiID, ...(family !== undefined && { family }) }
      const base = baseOf(one)
      expect(Object.keys(rows)).toContain(base)
      if (/^[\x20-\x7e]*$/.test(apiID)) expect(baseOf({ ...one, apiID: apiID.toUpperCase() })).toBe(base)
    }),
  )
})
