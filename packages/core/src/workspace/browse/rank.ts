/** How well a path fits a query; undefined when it does not: its letters have to stand in the path in their order. */
export function fit(path: string, query: string): number | undefined {
  const wanted = query.toLowerCase()
  if (wanted === "") return 0
  const whole = path.toLowerCase()
  const name = whole.slice(whole.replace(/\/$/, "").lastIndexOf("/") + 1)
  if (name === wanted || name === `${wanted}/`) return 5
  if (name.startsWith(wanted)) return 4
  if (name.includes(wanted)) return 3
  if (whole.includes(wanted)) return 2
  return inOrder(name, wanted) ? 1 : inOrder(whole, wanted) ? 0 : undefined
}

/** The best first; of equals the shorter, then by name. */
export function ranked(paths: Iterable<string>, query: string): string[] {
  const scored: { path: string; score: number }[] = []
  for (const path of paths) {
    const score = fit(path, query)
    if (score !== undefined) scored.push({ path, score })
  }
  const before = (a: string, b: string) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
  return scored.toSorted((a, b) => b.score - a.score || before(a.path, b.path)).map(({ path }) => path)
}

function inOrder(text: string, wanted: string): boolean {
  let at = 0
  for (const letter of wanted) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}
