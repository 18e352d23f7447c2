import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { fuzzy, rank } from "./fuzzy.ts"

const order = (query: string, items: readonly string[]) =>
  rank(query, items, (item) => item, 10).map(({ item }) => item)

describe("the better one first", () => {
  test.each([
    ["read", ["src/bread.ts", "src/read.ts"], "src/read.ts"],
    ["sl", ["aslow", "session list"], "session list"],
    ["gC", ["gecko", "getCount"], "getCount"],
    ["main", ["packages/tui/mainly/x.ts", "packages/cli/src/main.ts"], "packages/cli/src/main.ts"],
    ["a.ts", ["data.tsx", "src/a.ts"], "src/a.ts"],
    ["new", ["renew session", "New session"], "New session"],
    ["opus", ["claude-opus-5", "open-plus"], "claude-opus-5"],
  ])("%s", (query, items, first) => {
    expect(order(query, items)[0]).toBe(first)
  })
})

test("letters have to be there, in order", () => {
  expect(fuzzy("abc", "a-c-b")).toBeUndefined()
  expect(fuzzy("abc", "xaxbxcx")?.places).toEqual([1, 3, 5])
  expect(fuzzy("ss", "session list")?.places).toEqual([0, 2])
  expect(fuzzy("世", "你好世界")?.places).toEqual([2])
})

test("nothing asked, everything in its order", () => {
  expect(order("", ["b", "a"])).toEqual(["b", "a"])
  expect(rank("", ["a", "b", "c"], (item) => item, 2)).toHaveLength(2)
})

test("a long path is compared by its end", () => {
  const path = `${"deep/".repeat(100)}target.ts`
  expect(fuzzy("target", path)?.places[0]).toBe(500)
})

test("places are where the letters are, for any text", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.array(fc.nat(39), { maxLength: 6 }), (text, picks) => {
      const places = [...new Set(picks.filter((at) => at < text.length))].toSorted((a, b) => a - b)
      const query = places.map((at) => text[at]).join("")
      const match = fuzzy(query, text)
      expect(match).toBeDefined()
      expect(match!.places.map((at) => text[at]!.toLowerCase()).join("")).toBe(query.toLowerCase())
      expect(match!.places.every((at, index) => index === 0 || at > (match!.places[index - 1] ?? 0))).toBe(true)
    }),
  )
})
