import { expect, test } from "bun:test"
import { applyPatch, parsePatch } from "diff"
import fc from "fast-check"
import { chooseHunks, diffTexts } from "./diff.ts"

const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "", "  x"), { maxLength: 25 })
const text = fc
  .tuple(lines, fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([all, end, last]) => all.join(end) + (last ? end : ""))

test("a change with its context, counted and numbered", async () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("")
  const diff = await diffTexts("a.txt", before, before.replace("line 10\n", "line ten\nand more\n"))
  expect(diff).toMatchObject({ additions: 2, deletions: 1 })
  expect(diff.patch).toBe(
    "--- a.txt\n+++ a.txt\n@@ -7,7 +7,8 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n+and more\n line 11\n line 12\n line 13\n",
  )
})

test("a new file, an emptied one, and a missing final line end", async () => {
  expect((await diffTexts("a", "", "x\n")).patch).toBe("--- a\n+++ a\n@@ -0,0 +1 @@\n+x\n")
  expect((await diffTexts("a", "x\n", "")).patch).toBe("--- a\n+++ a\n@@ -1 +0,0 @@\n-x\n")
  expect((await diffTexts("a", "x", "x\n")).patch).toBe(
    "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n",
  )
  expect((await diffTexts("a", "x", "x")).hunks).toEqual([])
})

test("all hunks give the new text, none the old, some a mixture", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { hunks } = await diffTexts("a", before, after)
      const all = hunks.map((_, index) => index)
      expect(chooseHunks(before, after, hunks, all)).toEqual({ text: after, leftOut: [] })
      expect(chooseHunks(before, after, hunks, [])).toEqual({ text: before, leftOut: all })
    }),
  )
})

test("any choice of hunks gives what a program for patches makes of the diff with only these", async () => {
  const plain = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "c", "", "  x"), { maxLength: 60, size: "max" }), fc.boolean())
    .map(([all, last]) => all.join("\n") + (last && all.length > 0 ? "\n" : ""))
  // Few places far from each other change: so that there are several hunks.
  const changed = fc
    .tuple(plain, fc.array(fc.tuple(fc.nat(60), fc.constantFrom("new", "a", "x\ny", undefined))))
    .map(([before, edits]) => {
      const rows = before.split("\n")
      for (const [at, row] of edits.slice(0, 4))
        rows.splice(at % rows.length, row === undefined ? 1 : at % 2, row ?? "")
      return [before, rows.join("\n")] as const
    })
  let several = 0
  await fc.assert(
    fc.asyncProperty(changed, fc.array(fc.nat(5)), async ([before, after], picked) => {
      const { hunks, patch } = await diffTexts("a", before, after)
      const chosen = [...hunks.keys()].filter((number) => picked.includes(number))
      if (hunks.length > 1) several++
      const [parsed] = hunks.length === 0 ? [] : parsePatch(patch)
      const only = parsed && { ...parsed, hunks: parsed.hunks.filter((_, number) => chosen.includes(number)) }
      const expected = only && chosen.length > 0 ? applyPatch(before, only) : before
      expect(chooseHunks(before, after, hunks, chosen).text).toBe(expected as string)
    }),
    { numRuns: 400 },
  )
  expect(several).toBeGreaterThan(50)
})

test("hunks apply one by one in any order, each exactly where it stands", async () => {
  const before = Array.from({ length: 60 }, (_, index) => `${index}\n`).join("")
  const after = before.replace("5\n", "five\n").replace("\n30\n", "\n").replace("50\n", "50\nextra\n")
  const { hunks } = await diffTexts("a", before, after)
  expect(hunks.length).toBe(3)
  expect(chooseHunks(before, after, hunks, [1])).toEqual({ text: before.replace("\n30\n", "\n"), leftOut: [0, 2] })
  expect(chooseHunks(before, after, hunks, [2, 0]).text).toBe(
    before.replace("5\n", "five\n").replace("50\n", "50\nextra\n"),
  )
})

test("what is too large or too different is said, not shown", async () => {
  const long = await diffTexts("a", "x\n", `${"y".repeat(300_000)}\n`)
  expect(long.patch).toContain("too large to show: 1 lines removed, 1 added")
  const rows = (prefix: string) => Array.from({ length: 3_000 }, (_, index) => `${prefix}${index}\n`).join("")
  const other = await diffTexts("a", rows("a"), rows("b"))
  expect(other).toMatchObject({ additions: 3_000, deletions: 3_000 })
  expect(other.hunks.length).toBe(1)
})
