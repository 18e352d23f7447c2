import type { ModelConfig } from "@cairn/schema/config-provider"

/** Named ways of calling a model, mostly how long it thinks, as options under its `optionsKey`. */
export type Variants = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface Described {
  /** Of the catalogue. */
  readonly reasoning_options?: readonly unknown[] | undefined
  readonly variants?: ModelConfig["variants"]
}

/** What the catalogue says of a model's reasoning. */
interface Reasoning {
  readonly efforts: readonly string[]
  /** Tokens; undefined when thinking has no budget. */
  readonly budget: { readonly min: number; readonly max: number } | undefined
  /** It can be left out. */
  readonly optional: boolean
}

type Options = Readonly<Record<string, unknown>>

/** How one package is told; undefined for what it has no word for. */
interface Speaker {
  effort(effort: string, reasoning: Reasoning): Options | undefined
  budget?(tokens: number): Options
  readonly none?: Options
}

/** Tokens by the names that models with efforts use. */
const budgets: Readonly<Record<string, number>> = { low: 4_096, medium: 8_192, high: 16_384, max: 24_576 }
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))
const anthropicEfforts = words("low medium high xhigh max")
const googleEfforts = words("minimal low medium high xhigh")

const speakers: Readonly<Record<string, Speaker>> = {
  "@ai-sdk/openai": {
    // A summary of the reasoning is refused to accounts that are not verified, so it is not asked for by itself.
    effort: (reasoningEffort) => ({ reasoningEffort, reasoningSummary: null, forceReasoning: true }),
  },
  "@ai-sdk/openai-compatible": { effort: (reasoningEffort) => ({ reasoningEffort }) },
  "@ai-sdk/anthropic": {
    effort(effort, { budget }) {
      if (!anthropicEfforts.has(effort)) return undefined
      // Models with both do not know adaptive thinking, or take a budget as well.
      return budget
        ? { effort, thinking: thinkingOf(clamped(budgets[effort] ?? budgets["high"]!, budget)) }
        : { effort, thinking: { type: "adaptive" } }
    },
    budget: (tokens) => ({ thinking: thinkingOf(tokens) }),
    none: { thinking: { type: "disabled" } },
  },
  "@ai-sdk/google": {
    effort: (thinkingLevel) =>
      googleEfforts.has(thinkingLevel) ? { thinkingConfig: { thinkingLevel, includeThoughts: true } } : undefined,
    budget: (thinkingBudget) => ({ thinkingConfig: { thinkingBudget, includeThoughts: true } }),
    none: { thinkingConfig: { thinkingBudget: 0 } },
  },
}

const thinkingOf = (budgetTokens: number) => ({ type: "enabled", budgetTokens })

/**
 * The variants of a model: those of the catalogue, in the words of its package, with those of the config over them, field
 * by field. `disabled: true` in the config takes one away.
 */
export function variantsOf(definition: Described, npm: string): Variants {
  const made = new Map(Object.entries(ofCatalog(reasoningOf(definition.reasoning_options ?? []), npm)))
  for (const [name, { disabled, ...own }] of Object.entries(definition.variants ?? {}))
    if (disabled === true) made.delete(name)
    else made.set(name, { ...made.get(name), ...own })
  return Object.fromEntries(made)
}

function ofCatalog(reasoning: Reasoning, npm: string): Variants {
  const speaker = Object.hasOwn(speakers, npm) ? speakers[npm] : undefined
  if (!speaker) return {}
  const { efforts, budget, optional } = reasoning
  const named: [string, Options | undefined][] =
    efforts.length > 0
      ? efforts.map((effort) => [effort, speaker.effort(effort, reasoning)])
      : Object.entries(budget && speaker.budget ? budgets : {}).map(([name, tokens]) => [
          name,
          budget && speaker.budget?.(clamped(tokens, budget)),
        ])
  const none: [string, Options | undefined][] = optional && named.length > 0 ? [["none", speaker.none]] : []
  return Object.fromEntries([...none, ...named].flatMap(([name, options]) => (options ? [[name, options]] : [])))
}

const clamped = (tokens: number, { min, max }: { min: number; max: number }) => Math.min(max, Math.max(min, tokens))

function reasoningOf(options: readonly unknown[]): Reasoning {
  const known = options.filter(
    (option): option is Record<string, unknown> => typeof option === "object" && option !== null,
  )
  const of = (type: string) => known.find((option) => option["type"] === type)
  const budget = of("budget_tokens")
  const number = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise)
  const values = of("effort")?.["values"]
  return {
    efforts: Array.isArray(values) ? values.filter((value): value is string => typeof value === "string") : [],
    budget: budget && { min: number(budget["min"], 0), max: number(budget["max"], Number.POSITIVE_INFINITY) },
    optional: of("toggle") !== undefined || budget?.["min"] === 0,
  }
}
