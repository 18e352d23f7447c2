/** A base prompt; each stands in the file of its name, but for `open`, which qwen, kimi, glm, deepseek and their like share. */
export type BaseName = "claude" | "gpt" | "codex" | "gemini" | "open" | "small" | "default"

/** What of a model decides how it is spoken to. */
export interface ModelFacts {
  /** The id on the wire. */
  readonly apiID: string
  /** The catalogue's word for its kind, where it has one. */
  readonly family?: string
  /** The user's own word for it. */
  readonly profile?: "small"
  /** Tokens. `known: false`: a guess. */
  readonly limits: { readonly context: number; readonly known: boolean }
  /** It answers on this machine. */
  readonly loopback: boolean
  /** The way of editing that it is offered. */
  readonly format: "patch" | "edit"
}

const smallContext = 32_768

/** Kinds by the name on the wire; the first that fits. */
const names: readonly (readonly [RegExp, BaseName])[] = [
  [/claude/, "claude"],
  [/gpt-?oss/, "open"],
  [/(^|[^a-z])codex/, "codex"],
  [/(^|[^a-z])(chat)?gpt-?\d|(^|[^a-z])o[1-9](-|$)/, "gpt"],
  [/(^|[^a-z])gemini/, "gemini"],
  [
    /qwen|qwq|qvq|kimi|moonshot|(^|[^a-z])glm|deepseek|minimax|(^|[^a-z])mimo|llama|nemotron|devstral|gemma|(^|[^a-z])(step|ernie|hunyuan|ling|ring|longcat)-/,
    "open",
  ],
]

/** Kinds by the catalogue's family, for names that say nothing. */
const families: readonly (readonly [RegExp, BaseName])[] = [
  [/^claude/, "claude"],
  [/^gpt-oss/, "open"],
  [/^gpt-codex/, "codex"],
  [/^gpt/, "gpt"],
  [/^gemini/, "gemini"],
  [/^(qwen|kimi|glm|deepseek|minimax|mimo|llama|nemotron|devstral|gemma)/, "open"],
]

/** The base prompt of a model. */
export const baseOf = (facts: ModelFacts): BaseName => (isSmall(facts) ? "small" : kindOf(facts))

/**
 * Is everything to be kept short? When the user says so, when the context is 32k or less, and for a model on this
 * machine of which nobody told us anything, unless its name is one of those that never run there (a proxy).
 */
export function isSmall(facts: ModelFacts): boolean {
  if (facts.profile === "small") return true
  if (facts.limits.known) return facts.limits.context <= smallContext
  return facts.loopback && ["open", "default"].includes(kindOf(facts))
}

function kindOf({ apiID, family = "" }: ModelFacts): BaseName {
  const name = apiID.toLowerCase().split("/").at(-1) ?? ""
  const fits =
    (text: string) =>
    ([pattern]: readonly [RegExp, BaseName]) =>
      pattern.test(text)
  return (names.find(fits(name)) ?? families.find(fits(family.toLowerCase())))?.[1] ?? "default"
}
