import { expect, test } from "bun:test"
import { createTwoFilesPatch } from "diff"
import fc from "fast-check"
import { styleOf } from "../terminal/look.ts"
import { diffCounts, diffLines } from "./diff.ts"

const plain = styleOf(false)

test("a removed line that looks like a header is a line", () => {
  const diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n--- sql comment\n+++ x\n same\n"
  expect(diffLines(diff, plain, 9)).toEqual(["@@ -1,2 +1,2 @@", "--- sql comment", "+++ x", " same"])
  expect(diffCounts(diff)).toEqual({ added: 1, removed: 1 })
})

test("what is no diff shows nothing", () => {
  expect(diffLines("hello\n+ world\n", plain, 9)).toEqual([])
  expect(diffLines("", plain, 9)).toEqual([])
})

test("control characters in a file are shown, not sent", () => {
  expect(diffLines("@@ -0,0 +1 @@\n+\u001b[2J\n", plain, 9)[1]).toBe("+␛[2J")
})

test("the lines of any patch are those of its files", () => {
  const file = fc.array(fc.constantFrom("a", "b", "-- c", "++ d", "@@ e", ""), { maxLength: 8 })
  fc.assert(
    fc.property(file, file, (before, after) => {
      const patch = createTwoFilesPatch(
        "x",
        "x",
        before.map((line) => `${line}\n`).join(""),
        after.map((line) => `${line}\n`).join(""),
        "",
        "",
        { context: 99 },
      )
      const body = diffLines(patch, plain, Infinity).filter((line) => !/^@@ -\d/.test(line))
      const kept = (mark: string) => body.filter((line) => !line.startsWith(mark)).map((line) => line.slice(1))
      if (JSON.stringify(before) === JSON.stringify(after)) return expect(body).toEqual([])
      expect(kept("+")).toEqual(before)
      expect(kept("-")).toEqual(after)
    }),
  )
})
