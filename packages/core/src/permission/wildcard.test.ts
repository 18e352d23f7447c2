import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { mayMatch, wildcard } from "./wildcard.ts"

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

describe("a text with holes", () => {
  const [hole, number] = ["\uffff", "\ufffe"]
  test.each([
    [`rm ${hole}`, "rm *", true, true],
    [`rm ${hole}`, "rm -rf *", false, true],
    [`rm ${hole}`, "rm ?", false, true],
    [`rm x${hole}`, "rm y*", false, false],
    [`git commit -m ${hole}`, "git push *", false, false],
    [`git ${hole}`, "git push *", false, true],
    [`${hole}`, "*", true, true],
    [`${hole} x`, "rm *", false, true],
    [`a${hole}b`, "a*c*b", false, true],
    [`kill ${number}`, "kill *", true, true],
    [`kill ${number}`, "kill 1", false, true],
    [`kill ${number}`, "kill -9*", false, true],
    [`echo ${number}`, "* --output*", false, false],
    [`echo ${hole}`, "* --output*", false, true],
    ["rm x", "rm *", true, true],
    ["rm", "rm *", true, true],
    ["ls", "rm *", false, false],
  ])("%j against %j", (text, pattern, must, may) => {
    expect([wildcard(text, pattern), mayMatch(text, pattern)]).toEqual([must, may])
  })

  test("may match whatever it matches when the holes are filled", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", " ", "*", "?"), maxLength: 6 })
    const fill = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 4 })
    fc.assert(
      fc.property(
        fc.array(fill, { maxLength: 4 }),
        fc.array(fill, { minLength: 4, maxLength: 4 }),
        part,
        (parts, fills, pattern) => {
          const text = parts.join(hole)
          const filled = parts.map((one, index) => (index > 0 ? fills[index]! : "") + one).join("")
          if (wildcard(filled, pattern)) expect(mayMatch(text, pattern)).toBe(true)
          // What covers the holes covers every filling of them.
          if (wildcard(text, pattern)) expect(wildcard(filled, pattern)).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
