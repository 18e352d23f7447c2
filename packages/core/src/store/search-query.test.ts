import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { part, textPart } from "../../test/store/events.ts"
import { begin, fillUp, foundBy, searchIn } from "../../test/store/search.ts"
import { tempStore } from "../../test/store/temp-store.ts"
import { expressionOf, parseSearch } from "./search-query.ts"

const parsed = (query: string) => {
  const terms = parseSearch(query)
  if (!terms.ok) throw new Error(terms.error)
  return terms.value
}

describe("a search is taken apart", () => {
  test.each([
    ["config", [{ words: ["config"], prefix: true }]],
    [
      "to be",
      [
        { words: ["to"], prefix: false },
        { words: ["be"], prefix: false },
      ],
    ],
    ["to*", [{ words: ["to"], prefix: true }]],
    ["404", [{ words: ["404"], prefix: false }]],
    ['"as it stands"', [{ words: ["as", "it", "stands"], prefix: false }]],
    [
      "„as it“ is",
      [
        { words: ["as", "it"], prefix: false },
        { words: ["is"], prefix: false },
      ],
    ],
    ['"never closed', [{ words: ["never", "closed"], prefix: false }]],
    ["src/store/read.ts", [{ words: ["src", "store", "read", "ts"], prefix: false }]],
    ["snake_case", [{ words: ["snake", "case"], prefix: true }]],
    ["parseHTTP", [{ words: ["parsehttp"], pieces: ["parse", "http"], prefix: true }]],
    ["设定", [{ words: ["设", "定"], prefix: false }]],
    ["Crème*", [{ words: ["creme"], prefix: true }]],
    [
      "a ** :: b",
      [
        { words: ["a"], prefix: false },
        { words: ["b"], prefix: false },
      ],
    ],
  ])("%p", (query, terms) => {
    expect(parsed(query)).toEqual(terms)
  })

  test("what has no word in it, and what is too long, is refused with a reason", () => {
    for (const query of ["", "   ", "***", '""', "::", "\u0000", "☕", "\ud800"])
      expect(parseSearch(query)).toEqual({ ok: false, error: expect.stringContaining("nothing to search for") })
    expect(parseSearch("x".repeat(1_001))).toEqual({ ok: false, error: expect.stringContaining("1000 characters") })
    expect(parseSearch("x ".repeat(33))).toEqual({ ok: false, error: expect.stringContaining("at most 32") })
    expect(parsed("x ".repeat(32))).toHaveLength(32)
  })
})

test("an expression has words in quotes and nothing else of the query", () => {
  expect(expressionOf(parsed('fooBar "a b" x*'))).toBe('("foobar" * OR pieces : "foo bar" *) AND ("a b") AND ("x" *)')
})

test("no query can be a syntax error, and every word of a text is found by itself", () => {
  using temp = tempStore()
  begin(temp)
  const hostile = fc.string({
    unit: fc.constantFrom(
      ..."\"'*:^(){}[]-+,.;\\/%_\u0000\n aZé设🎉".split(""),
      "AND",
      " OR ",
      "NOT",
      "NEAR(",
      "said:",
    ),
    maxLength: 40,
  })
  let n = 0
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 30 })), (text) => {
      const terms = parseSearch(text)
      if (!terms.ok) return
      const id = `prt_${1_000 + n++}`
      temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", id, text))])
      fillUp(temp.store)
      const words = { query: text, limit: 100 }
      expect(searchIn(temp, words)).toMatchObject({ ok: true })
    }),
    { seed: 2_026, numRuns: process.env["CAIRN_TEST_LONG"] ? 3_000 : 300 },
  )
  expect(n).toBeGreaterThan(100)
}, 60_000)

test.each([
  ["the NEAR(field) AND more", "NEAR(field)"],
  ["it's said: yes", "it's"],
  ["it's said: yes", "said:"],
  ["col^umn", "^umn"],
  ["a DROP TABLE part; --", "'; DROP TABLE part"],
])("in %p, %p is found as its words", (text, query) => {
  using temp = tempStore()
  begin(temp)
  temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", "prt_1", text))])
  expect(foundBy(temp, query)).toEqual(["prt_1"])
})
