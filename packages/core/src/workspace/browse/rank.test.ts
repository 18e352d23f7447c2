import { expect, test } from "bun:test"
import fc from "fast-check"
import { fit, ranked } from "./rank.ts"

test("the better a path fits, the earlier it comes", () => {
  const paths = ["src/main.ts", "docs/domain.md", "main/other.ts", "src/mini/air/n.ts", "m.ts", "lib/mainly.ts", "main"]
  expect(ranked(paths, "main")).toEqual([
    ...["main", "src/main.ts", "lib/mainly.ts", "docs/domain.md", "main/other.ts", "src/mini/air/n.ts"],
  ])
  expect(ranked(["a/b/", "b/", "ab"], "b/")).toEqual(["b/", "a/b/"])
})

test("case does not matter; what has not all letters does not fit", () => {
  expect(fit("SRC/Main.ts", "src/main")).toBe(2)
  expect(fit("src/main.ts", "zz")).toBeUndefined()
  expect(ranked(["b", "aa", "a"], "")).toEqual(["a", "b", "aa"])
})

test("whatever stands in a path is found by it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (query, before, after) => {
      expect(fit(`${before}${query}${after}`, query)).toBeDefined()
    }),
  )
})
