/** The candidate that a mistyped `word` most likely meant, or undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue
    const distance = editDistance(word, candidate)
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = { candidate, distance }
  }
  return best?.candidate ?? prefixed(word, candidates)
}

function prefixed(word: string, candidates: readonly string[]): string | undefined {
  if (word.length < 2) return undefined
  const found = candidates.filter((candidate) => candidate.startsWith(word))
  return found.length === 1 ? found[0] : undefined
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(at(above, j) + 1, at(row, j - 1) + 1, at(above, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(before, j - 2) + 1)
      row.push(cost)
    }
    before = above
    above = row
  }
  return at(above, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
