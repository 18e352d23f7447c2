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

/**
 * The one of `names` that `wanted` is but for a single slip of the finger: a letter too many, missing, wrong, or
 * swapped with the next. Undefined when there are two, when the slip is at the start of a word (`get_file` is not
 * `set_file`) or in a number, or when the name has less than four letters: then it may be meant otherwise.
 */
export function slippedName(wanted: string, names: readonly string[]): string | undefined {
  if (wanted.length > 100) return undefined
  const near = names.filter((name) => isSlip(wanted, name))
  return near.length === 1 ? near[0] : undefined
}

function isSlip(wanted: string, name: string): boolean {
  const [a, b] = [bareLetters(wanted), bareLetters(name)]
  if (b.text.length < 4) return false
  let at = 0
  while (at < b.text.length && a.text[at] === b.text[at]) at++
  const rest = (text: string, from: number) => text.slice(at + from)
  const wrong = rest(a.text, 1) === rest(b.text, 1)
  const surplus = rest(a.text, 1) === rest(b.text, 0)
  const missing = rest(a.text, 0) === rest(b.text, 1)
  const swapped = a.text[at] === b.text[at + 1] && a.text[at + 1] === b.text[at] && rest(a.text, 2) === rest(b.text, 2)
  if (!wrong && !surplus && !missing && !swapped) return false
  const digit = /\d/.test(`${a.text[at] ?? ""}${b.text[at] ?? ""}`)
  return !digit && !a.starts.has(at) && !b.starts.has(at)
}

/** The letters of a name without separators and case, and where its words begin among them. */
function bareLetters(name: string): { text: string; starts: ReadonlySet<number> } {
  const starts = new Set<number>([0])
  let text = ""
  for (const [index, char] of [...name].entries()) {
    if (/[-_.\s]/.test(char)) starts.add(text.length)
    else {
      if (/[A-Z]/.test(char) && /[a-z]/.test(name[index - 1] ?? "")) starts.add(text.length)
      text += char.toLowerCase()
    }
  }
  return { text, starts }
}
