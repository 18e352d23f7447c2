import { z } from "zod"

/** `providerID/modelID` as two fields; a model id may contain slashes. */
export const ModelRef = z.object({ providerID: z.string(), modelID: z.string(), variant: z.string().optional() })
export type ModelRef = z.infer<typeof ModelRef>

/** Tokens of a step, a message or a session. `input` excludes what the cache gave or took; `output` excludes reasoning. */
export const Tokens = z.object({
  total: z.number().optional(),
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cache: z.object({ read: z.number(), write: z.number() }),
})
export type Tokens = z.infer<typeof Tokens>

/** What one call of a model cost, or several of one kind together. */
export const Spending = z.object({
  /** When it was known. */
  time: z.number().int(),
  agent: z.string(),
  providerID: z.string(),
  modelID: z.string(),
  tokens: Tokens.omit({ total: true }),
  /** US dollars. */
  cost: z.number(),
  /** The price was not known: `cost` says nothing. */
  unpriced: z.literal(true).optional(),
  /** How many calls, if not one. */
  calls: z.number().int().positive().optional(),
})
export type Spending = z.infer<typeof Spending>

export const noTokens = (): Tokens => ({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } })

/** The sum, field by field. `total` is there when both sides or only one side have it. */
export function addTokens(a: Tokens, b: Tokens): Tokens {
  const total = a.total === undefined && b.total === undefined ? {} : { total: (a.total ?? 0) + (b.total ?? 0) }
  return {
    ...total,
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cache: { read: a.cache.read + b.cache.read, write: a.cache.write + b.cache.write },
  }
}
