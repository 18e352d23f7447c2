import type { Counter } from "./line-search.ts"

/**
 * The runtime's own search is the fastest, but compares up to the whole needle at every character: that is let pass while
 * it comes to some hundredths of a second.
 */
export const mostNative = 50_000_000

/** Every place (also overlapping ones) where `needle` stands in `content`, as offsets in order. Linear in both. */
export function* findText(content: string, needle: string, counter: Counter): Generator<number, void> {
  if (needle === "" || needle.length > content.length) return
  if (content.length * needle.length > mostNative) return yield* search(content, needle, counter)
  for (let at = content.indexOf(needle); at !== -1; at = content.indexOf(needle, at + 1)) yield at
}

/** Knuth, Morris and Pratt: at most 2 × (content + needle) comparisons. */
function* search(content: string, needle: string, counter: Counter): Generator<number, void> {
  const fallback = fallbacks(needle, counter)
  let matched = 0
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at)
    while (matched > 0 && needle.charCodeAt(matched) !== code) {
      counter.comparisons++
      matched = fallback[matched - 1] ?? 0
    }
    counter.comparisons++
    if (needle.charCodeAt(matched) === code) matched++
    if (matched === needle.length) {
      yield at - needle.length + 1
      matched = fallback[matched - 1] ?? 0
    }
  }
}

/** For each prefix of the needle: the length of its longest proper prefix that is also its end. */
function fallbacks(needle: string, counter: Counter): Int32Array {
  const table = new Int32Array(needle.length)
  let length = 0
  for (let at = 1; at < needle.length; at++) {
    const code = needle.charCodeAt(at)
    while (length > 0 && needle.charCodeAt(length) !== code) {
      counter.comparisons++
      length = table[length - 1] ?? 0
    }
    counter.comparisons++
    if (needle.charCodeAt(length) === code) length++
    table[at] = length
  }
  return table
}
