/** Those of `names` that resemble `wanted`, best first: equal but for case, one within the other, or few letters apart. */
export function nearNames(wanted: string, names: Iterable<string>, most: number): string[] {
  const lower = wanted.toLowerCase()
  const scored: { name: string; score: number }[] = []
  for (const name of names) {
    const score = scoreOf(lower, name.toLowerCase())
    if (score !== undefined) scored.push({ name, score })
  }
  return scored
    .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

function scoreOf(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0
  const bare = (text: string) => text.replace(/[-_.\s]/g, "")
  if (bare(wanted) === bare(name) && bare(name) !== "") return 1
  const limit = Math.floor(Math.max(wanted.length, name.length) / 3)
  const letters = distance(wanted, name, limit)
  if (letters !== undefined) return 1 + letters
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted]
  return short.length >= 3 && long.includes(short) ? 100 + long.length - short.length : undefined
}

/** Letters to insert, drop, change or swap with the next; undefined when more than `limit`. */
function distance(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit || Math.max(a.length, b.length) > 300) return undefined
  let above: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (above[j - 2] ?? limit) + 1 : limit + 1
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  const result = row[b.length] ?? 0
  return result <= limit ? result : undefined
}
