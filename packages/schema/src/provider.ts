import { z } from "zod"

const modalities = z.object({
  text: z.boolean(),
  audio: z.boolean(),
  image: z.boolean(),
  video: z.boolean(),
  pdf: z.boolean(),
})
const price = { input: z.number(), output: z.number(), cache: z.object({ read: z.number(), write: z.number() }) }

/** A model that could be called as things are. Prices are dollars a million tokens, 0 where nobody told us; limits are tokens. */
export const ProviderModel = z.object({
  id: z.string(),
  providerID: z.string(),
  /** What is called, where, and the package that speaks to it. */
  api: z.object({ id: z.string(), url: z.string(), npm: z.string() }),
  name: z.string(),
  family: z.string().optional(),
  capabilities: z.object({
    temperature: z.boolean(),
    reasoning: z.boolean(),
    attachment: z.boolean(),
    toolcall: z.boolean(),
    input: modalities,
    output: modalities,
    interleaved: z.boolean(),
  }),
  cost: z.object({
    ...price,
    tiers: z.array(z.object({ ...price, tier: z.object({ type: z.literal("context"), size: z.number() }) })).optional(),
  }),
  limit: z.object({ context: z.number(), input: z.number().optional(), output: z.number() }),
  status: z.enum(["alpha", "beta", "deprecated", "active"]),
  options: z.record(z.string(), z.unknown()),
  headers: z.record(z.string(), z.string()),
  release_date: z.string(),
  variants: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
})
export type ProviderModel = z.infer<typeof ProviderModel>

/** A provider, without its key. One that is not connected has no models here. */
export const Provider = z.object({
  id: z.string(),
  name: z.string(),
  source: z.enum(["env", "config", "custom", "api"]),
  /** Variables that may hold its key. */
  env: z.array(z.string()),
  options: z.record(z.string(), z.unknown()),
  models: z.record(z.string(), ProviderModel),
})
export type Provider = z.infer<typeof Provider>

/** Every provider; the model that each would use by itself; those that can be called as things are. */
export const ProviderList = z.object({
  all: z.array(Provider),
  default: z.record(z.string(), z.string()),
  connected: z.array(z.string()),
})
export type ProviderList = z.infer<typeof ProviderList>
