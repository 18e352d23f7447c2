import { z } from "zod"

const modality = z.enum(["text", "audio", "image", "video", "pdf"])
const price = {
  input: z.number(),
  output: z.number(),
  /** Ours: of thoughts, where they cost otherwise than the answer. */
  reasoning: z.number().optional(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
}

/** Milliseconds, or `false` for no limit. */
const Timeout = z.union([z.number().int().positive(), z.literal(false)])

/** `provider.<id>.models.<id>`. Prices are dollars per million tokens, limits are tokens. */
export const ModelConfig = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  family: z.string().optional(),
  release_date: z.string().optional(),
  attachment: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  interleaved: z.union([z.boolean(), z.string(), z.object({ field: z.string() })]).optional(),
  cost: z.object({ ...price, context_over_200k: z.object(price).optional() }).optional(),
  limit: z.object({ context: z.number(), input: z.number().optional(), output: z.number() }).optional(),
  modalities: z.object({ input: z.array(modality).optional(), output: z.array(modality).optional() }).optional(),
  experimental: z.boolean().optional(),
  status: z.enum(["alpha", "beta", "deprecated", "active"]).optional(),
  provider: z.object({ npm: z.string().optional(), api: z.string().optional() }).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  variants: z.record(z.string(), z.object({ disabled: z.boolean().optional() }).loose()).optional(),
  /** Ours: what the model needs that its protocol does not say. */
  quirks: z.array(z.enum(["text-tools", "think-tags"])).optional(),
  /** Ours: a shorter prompt and fewer tools. */
  profile: z.literal("small").optional(),
})
export type ModelConfig = z.infer<typeof ModelConfig>

/** `provider.<id>`. What else stands in `options` goes to the provider's package as it is. */
export const ProviderConfig = z.object({
  api: z.string().optional(),
  name: z.string().optional(),
  env: z.array(z.string()).optional(),
  id: z.string().optional(),
  npm: z.string().optional(),
  whitelist: z.array(z.string()).optional(),
  blacklist: z.array(z.string()).optional(),
  options: z
    .object({
      apiKey: z.string().optional(),
      baseURL: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      enterpriseUrl: z.string().optional(),
      setCacheKey: z.boolean().optional(),
      /** The whole request. */
      timeout: Timeout.optional(),
      /** Ours: until the probe that decides whether a silent origin is dead. */
      connectTimeout: Timeout.optional(),
      /** Until the first byte. */
      headerTimeout: Timeout.optional(),
      /** Between two bytes. */
      chunkTimeout: Timeout.optional(),
    })
    .loose()
    .optional(),
  models: z.record(z.string(), ModelConfig).optional(),
})
export type ProviderConfig = z.infer<typeof ProviderConfig>
