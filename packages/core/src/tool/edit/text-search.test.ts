import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { applyEdit } from "./match.ts"
import { findText, mostNative } from "./text-search.ts"

const places = (content: string, needle: string) => [...findText(content, needle, { comparisons: 0 })]

test("every place, overlapping ones too", () => {
  expect(places("aaaa", "aa")).toEqual([0, 1, 2])
  expect(places("abcabc", "bc")).toEqual([1, 4])
  expect([places("abc", "x"), places("abc", "abcd"), places("abc", "")]).toEqual([[], [], []])
})

test("a long text is searched in another way, with the same places", () => {
  const word = fc.array(fc.constantFrom("a", "b", "\u00e9", "\n"), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(word, word, fc.nat(3), (unit, middle, repeats) => {
      const needle = unit.join("").repeat(3_000)
      const around = middle.join("").repeat(5)
      const content = `${around}${`${needle}${around}`.repeat(repeats)}${"x".repeat(Math.ceil(mostNative / needle.length))}`
      const expected: number[] = []
      for (let at = content.indexOf(needle); at !== -1; at = content.indexOf(needle, at + 1)) expected.push(at)
      expect(places(content, needle)).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})

/** What took a time by the square of the text with the runtime's own search. */
const cases: readonly [
  string,
  string,
  (size: number) => { content: string; oldString: string; replaceAll?: boolean },
][] = [
  [
    "one line, not found",
    "not_found",
    (size) => ({
      content: "a".repeat(size),
      oldString: `${"a".repeat(size / 4)}b${"a".repeat(size / 4)}`,
    }),
  ],
  [
    "many lines, not found",
    "not_found",
    (size) => ({
      content: "a\n".repeat(size),
      oldString: `${"a\n".repeat(size / 4)}b\n${"a\n".repeat(size / 4)}`,
    }),
  ],
  [
    "one line, found in every place",
    "ambiguous",
    (size) => ({ content: "a".repeat(size), oldString: "a".repeat(size / 4) }),
  ],
  [
    "one line, all wanted",
    "applied",
    (size) => ({ content: "a".repeat(size), oldString: "a".repeat(size / 4), replaceAll: true }),
  ],
  [
    "places that would all split a line end",
    "line_ends",
    (size) => ({ content: "\r\n".repeat(size), oldString: "\n\r".repeat(size / 4), replaceAll: true }),
  ],
]

describe("twice the text takes at most about twice the comparisons", () => {
  test.each(cases)("%s", (_name, outcome, make) => {
    const measure = (size: number) => {
      const counter = { comparisons: 0 }
      const { content, oldString, replaceAll } = make(size)
      const done = applyEdit(content, { oldString, newString: "z", replaceAll }, counter)
      const said = done.ok ? (done.value.strategy === "exact" ? "applied" : done.value.strategy) : done.error.kind
      return { said, comparisons: counter.comparisons }
    }
    const [once, twice] = [measure(100_000), measure(200_000)]
    expect([once.said, twice.said]).toEqual([outcome, outcome])
    expect(once.comparisons).toBeGreaterThan(50_000)
    expect(once.comparisons).toBeLessThan(100_000 * 60)
    expect(twice.comparisons / once.comparisons).toBeLessThanOrEqual(2.2)
  })
})
