import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { excerpt } from "./search-excerpt.ts"
import { parseSearch } from "./search-query.ts"

/** The excerpt with what was found in brackets. */
function shown(text: string, query: string): string {
  const terms = parseSearch(query)
  if (!terms.ok) throw new Error(terms.error)
  const { text: line, matches } = excerpt(text, terms.value)
  return matches
    .toReversed()
    .reduce((marked, [a, b]) => `${marked.slice(0, a)}[${marked.slice(a, b)}]${marked.slice(b)}`, line)
}

describe("the words that were looked for are marked", () => {
  test.each([
    ["a short text", "short", "a [short] text"],
    ["configs and config", "config", "[configs] and [config]"],
    ["call parseHTTPHeader(x)", "header", "call parseHTTP[Header](x)"],
    ["call parseHTTPHeader(x)", "HTTPHeader", "call parse[HTTPHeader](x)"],
    ["call parseHTTPHeader(x)", "parsehttp", "call [parseHTTPHeader](x)"],
    ["in src/store/read.ts here", "store/read.ts", "in src/[store/read.ts] here"],
    ["to be or not to be", '"to be" not', "[to be] or [not] [to be]"],
    ["eine größere Änderung", "GRÖSSER", "eine größere Änderung"],
    ["eine größere Änderung", "größer anderung", "eine [größere] [Änderung]"],
    ["検索エンジンの設定", "エンジン", "検索[エンジン]の設定"],
    ["one\n\n  two\t three", "two", "one [two] three"],
    ["  \n first", "first", "[first]"],
  ])("%p, %p", (text, query, line) => {
    expect(shown(text, query)).toBe(line)
  })
})

describe("of a long text, what is around them", () => {
  const filler = "lorem ipsum dolor ".repeat(100)

  test("with an ellipsis where it is cut, between words", () => {
    const line = shown(`${filler}the needle is here ${filler}`, "needle")
    expect(line).toMatch(/^…\S.* the \[needle\] is here .*\S…$/)
    expect(line.length).toBeLessThan(200)
    expect(line).not.toMatch(/^…(orem|psum|olor)|(lore|ipsu|dolo)…$/)
  })

  test("where the most of them stand", () => {
    const text = `needle ${filler} thread and needle ${filler} thread`
    expect(shown(text, "needle thread")).toContain("[thread] and [needle]")
  })

  test("the beginning, where none is seen", () => {
    expect(shown(filler, "absent")).toMatch(/^lorem ipsum .*…$/)
    expect(shown("", "absent")).toBe("")
  })

  test("one very long word, or characters of two halves, are cut between characters", () => {
    for (const text of ["x".repeat(5_000), "𠮷".repeat(3_000), `${"🎉".repeat(500)} needle ${"🎉".repeat(500)}`])
      for (const query of ["xxx", "needle", "𠮷"]) expect(shown(text, query).isWellFormed()).toBe(true)
  })
})

test("for any text the marks are in order, within the line, and stand on words", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "设", " ", "\n", "🎉", "aB", "foo "), maxLength: 400 })
  const query = fc.array(fc.constantFrom("a", "b", "foo", "设", "ab", '"a b"'), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(text, query, (sample, words) => {
      const terms = parseSearch(words.join(" "))
      if (!terms.ok) throw new Error(terms.error)
      const { text: line, matches } = excerpt(sample, terms.value)
      expect(line).not.toMatch(/[\n\t]| {2}/)
      expect(line.isWellFormed()).toBe(true)
      let last = 0
      for (const [start, end] of matches) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        expect(line.slice(start, end).trim()).not.toBe("")
        last = end
      }
      expect(last).toBeLessThanOrEqual(line.length)
    }),
    { seed: 2_026, numRuns: process.env["CAIRN_TEST_LONG"] ? 5_000 : 500 },
  )
})
