import { expect, test } from "bun:test"
import fc from "fast-check"
import { wildcard } from "./wildcard.ts"

test.each([
  ["git", "git *", true],
  ["git status", "git *", true],
  ["gitk", "git *", false],
  ["git  ", "git *", true],
  ["a/b/c", "a*c", true],
  ["a\nb", "a*b", true],
  ["a\nb", "a?b", true],
  ["a/b", "a?b", true],
  ["ab", "a?b", false],
  ["", "*", true],
  ["", "?", false],
  ["", "", true],
  ["x", "", false],
  ["a.b", "a.b", true],
  ["axb", "a.b", false],
  ["(a|b)+[c]", "(a|b)+[c]", true],
  ["src/.env.local", "*.env.*", true],
  [".env", "*.env", true],
  ["😀", "?", true],
  ["a😀b", "a?b", true],
  ["rm -rf /", "rm *", true],
  ["rm", "rm *", true],
  ["rmdir x", "rm *", false],
  ["*", "\\*", false],
])("%j by %j is %p", (text, pattern, expected) => {
  expect(wildcard(text, pattern)).toBe(expected)
})

const small = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", " ", "/", "\n"), maxLength: 10 })

/** The plain definition, with memory instead of cleverness. */
function byDefinition(text: string, pattern: string): boolean {
  const seen = new Map<string, boolean>()
  const at = (i: number, j: number): boolean => {
    const key = `${i},${j}`
    const known = seen.get(key)
    if (known !== undefined) return known
    const value =
      j === pattern.length
        ? i === text.length
        : pattern[j] === "*"
          ? at(i, j + 1) || (i < text.length && at(i + 1, j))
          : i < text.length && (pattern[j] === "?" || pattern[j] === text[i]) && at(i + 1, j + 1)
    seen.set(key, value)
    return value
  }
  return at(0, 0) || (pattern.endsWith(" *") && byDefinition(text, pattern.slice(0, -2)))
}

test("agrees with the definition", () => {
  fc.assert(
    fc.property(small, small, (text, pattern) => {
      expect(wildcard(text, pattern)).toBe(byDefinition(text, pattern))
    }),
    { numRuns: 2000 },
  )
})

test("a text is matched by itself with any runs replaced by a star", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", "b", "/") })), (pieces) => {
      expect(wildcard(pieces.join("xyz"), pieces.join("*"))).toBe(true)
    }),
  )
})

test("many stars over a long text end: a matcher that tries every split would not", () => {
  const text = "a".repeat(5_000)
  for (const pattern of [
    `${"*a".repeat(200)}b`,
    `${"a*".repeat(200)}b`,
    `${"*".repeat(200)}b`,
    `${"*a?".repeat(100)}b`,
  ]) {
    expect(wildcard(text, pattern)).toBe(false)
  }
})
