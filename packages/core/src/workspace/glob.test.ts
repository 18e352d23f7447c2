import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { globMatcher, globProblem, longestPattern, splitGlob } from "./glob.ts"

describe("globMatcher: what a glob matches", () => {
  test.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", true],
    ["./*.ts", "src/a.ts", false],
    ["/a/*.ts", "/a/b.ts", true],
    ["a/*.ts", "./a/b.ts", true],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "src/deep/a.ts", true],
    ["src/**", "src/a/b", true],
    ["src/**", "src", false],
    ["a/**/b", "a/b", true],
    ["*", ".hidden", true],
    ["{a,b}/*.{ts,tsx}", "b/x.tsx", true],
    ["{a,b}/*.{ts,tsx}", "c/x.tsx", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a?c", "aéc", true],
    ["[!a]b", "cb", true],
    ["[a-c]d", "bd", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
  ])("%s on %s is %p", (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected)
  })

  test("patterns made to be slow, or broken, answer", () => {
    expect(globMatcher("{".repeat(10_000))("a")).toBe(false)
    expect(globMatcher("{a,b}".repeat(10_000))("c")).toBe(false)
    expect(globMatcher("*a".repeat(3_000))(`${"a".repeat(6_000)}b`)).toBe(false)
    expect(globMatcher(`${"**/a/".repeat(500)}b`)(`${"a/".repeat(1_000)}c`)).toBe(false)
    expect(() => globMatcher("[a-")("a")).not.toThrow()
    expect(globMatcher("*".repeat(longestPattern + 1))("a")).toBe(false)
  })
})

describe("globProblem", () => {
  test.each([
    ["[", "[ that is not closed, at character 1"],
    ["{a", "{ that is not closed, at character 1"],
    ["a.txt{", "{ that is not closed, at character 6"],
    ["**/*.{ts,[tj]sx", "{ that is not closed, at character 6"],
    ["a\\]/[b\\]", "[ that is not closed, at character 5"],
    ["[!", "[ that is not closed"],
  ])("%s is said", (pattern, message) => {
    expect(globProblem(pattern)).toContain(message)
  })

  test.each([
    "a",
    "**/*.{ts,tsx}",
    "[!a]b",
    "[[]",
    "\\[x",
    "\\{x",
    "a}",
    "a]",
    "{a,{b,c}}",
    "[{]",
    "app/[id]/page.tsx",
    "",
  ])("%s is fine", (pattern) => {
    expect(globProblem(pattern)).toBeUndefined()
  })

  test("what it refuses matches at most names that hold a bracket, which can be quoted", () => {
    const text = fc.array(fc.constantFrom("a", "b", "[", "]", "{", "}", ",", "!", "*", "\\"), { maxLength: 7 })
    fc.assert(
      fc.property(text, fc.stringMatching(/^[ab!]{0,4}$/), (glob, name) => {
        const pattern = glob.join("")
        // A leading ! turns the answer around.
        if (globProblem(pattern) !== undefined && !pattern.startsWith("!"))
          expect(globMatcher(pattern)(name)).toBe(false)
      }),
      { numRuns: 10_000, seed: 1 },
    )
  })

  test("a pattern of nothing but openings is looked at quickly", () => {
    expect(globProblem("[".repeat(longestPattern))).toContain("character 1")
    expect(globProblem("[a]{".repeat(longestPattern / 4))).toContain("character 4")
  })
})

describe("globMatcher", () => {
  test("a name without a slash means any depth, one with a slash starts at the root", () => {
    expect(["a.ts", "src/b.ts", "src/c.js"].filter(globMatcher("*.ts"))).toEqual(["a.ts", "src/b.ts"])
    expect(["a.ts", "src/b.ts"].filter(globMatcher("./*.ts"))).toEqual(["a.ts"])
    expect(["a.ts", "src/b.ts"].filter(globMatcher("/a.ts"))).toEqual(["a.ts"])
    expect(["src/b.ts", "lib/src/b.ts"].filter(globMatcher("src/*"))).toEqual(["src/b.ts"])
    expect(["x/.env", "x/a"].filter(globMatcher(".env"))).toEqual(["x/.env"])
  })
})

describe("splitGlob", () => {
  test.each([
    ["*.ts", ".", "*.ts"],
    ["a.ts", ".", "a.ts"],
    ["src/*.ts", "src", "./*.ts"],
    ["src/lib/a.ts", "src/lib", "./a.ts"],
    ["**/*.ts", ".", "./**/*.ts"],
    ["../other/**", "../other", "./**"],
    ["/etc/*.conf", "/etc", "./*.conf"],
    ["/*", "/", "./*"],
    ["{a/b,c}/d", ".", "./{a/b,c}/d"],
    ["a/\\*/b", "a", "./\\*/b"],
  ])("%s", (pattern, base, rest) => {
    expect(splitGlob(pattern)).toEqual({ base, rest })
  })
})
