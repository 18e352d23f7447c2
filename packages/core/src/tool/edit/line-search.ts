/** Counts comparisons of lines, so that a test can show that matching is linear. */
export interface Counter {
  comparisons: number
}

/**
 * Every place (also overlapping ones) where `needle` stands in `lines`, as indexes of the first line; two
 * lines are equal when their keys are. Knuth, Morris and Pratt: at most 2 × (lines + needle) comparisons.
 */
export function findLines(lines: readonly string[], needle: readonly string[], counter: Counter): number[] {
  if (needle.length === 0 || needle.length > lines.length) return []
  const fallback = fallbacks(needle, counter)
  const found: number[] = []
  let matched = 0
  for (let index = 0; index < lines.length; index++) {
    while (matched > 0 && !equal(lines[index], needle[matched], counter)) matched = fallback[matched - 1] ?? 0
    if (matched > 0 || equal(lines[index], needle[0], counter)) matched++
    if (matched === needle.length) {
      found.push(index - needle.length + 1)
      matched = fallback[matched - 1] ?? 0
    }
  }
  return found
}

/** For each prefix of the needle: the length of its longest proper prefix that is also its end. */
function fallbacks(needle: readonly string[], counter: Counter): number[] {
  const table = [0]
  let length = 0
  for (let index = 1; index < needle.length; index++) {
    while (length > 0 && !equal(needle[index], needle[length], counter)) length = table[length - 1] ?? 0
    if (length > 0 || equal(needle[index], needle[0], counter)) length++
    table.push(length)
  }
  return table
}

function equal(a: string | undefined, b: string | undefined, counter: Counter): boolean {
  counter.comparisons++
  return a === b
}
