const longest = 120
const most = 3

/**
 * Up to three of `references` (`provider/model`) that `text` may have meant, best first: by the letters the model
 * names share, and the provider names when `text` has one. Between equals, the order of `preferred` providers
 * decides. Work is bounded by the first 120 characters.
 */
export function nearest(text: string, references: readonly string[], preferred: readonly string[] = []): string[] {
  const [provider, model] = split(text.slice(0, longest))
  const wanted = { model: pairs(model), provider: pairs(provider) }
  if (model === "") return []
  return references
    .map((reference) => {
      const [ownProvider, own] = split(reference)
      const alike = Math.max(similar(wanted.model, pairs(own)), own.includes(model) ? 0.62 : 0)
      const score = provider === "" ? alike : 0.8 * alike + 0.2 * similar(wanted.provider, pairs(ownProvider))
      const rank = preferred.indexOf(reference.slice(0, reference.indexOf("/")))
      return { reference, score, rank: rank < 0 ? preferred.length : rank }
    })
    .filter(({ score }) => score >= 0.6)
    .sort((a, b) => b.score - a.score || a.rank - b.rank || a.reference.length - b.reference.length)
    .slice(0, most)
    .map(({ reference }) => reference)
}

function split(reference: string): [provider: string, model: string] {
  const slash = reference.indexOf("/")
  return slash < 0 ? ["", normal(reference)] : [normal(reference.slice(0, slash)), normal(reference.slice(slash + 1))]
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()
}

function pairs(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const padded = ` ${text} `
  for (let at = 0; at + 1 < padded.length; at++) {
    const pair = padded.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return counts
}

/** Share of letter pairs that both have (Dice): 1 is equal, 0 nothing in common. */
function similar(a: Map<string, number>, b: Map<string, number>): number {
  let common = 0
  let total = 0
  for (const count of a.values()) total += count
  for (const [pair, count] of b) {
    total += count
    common += Math.min(count, a.get(pair) ?? 0)
  }
  return (2 * common) / total
}
