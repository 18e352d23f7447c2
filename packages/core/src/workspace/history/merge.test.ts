import { expect, test } from "bun:test"
import fc from "fast-check"
import { mergeTexts } from "./merge.ts"

const merged = async (base: string, ours: string, theirs: string) => {
  const done = await mergeTexts(base, ours, theirs)
  return done.ok ? done.text : `${done.conflicts} conflicts`
}

test("what one side changed is taken from it", async () => {
  expect(await merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")).toBe("A\nb\nC\n")
  expect(await merged("a\nb\nc\n", "a\nb\nc\nd\n", "b\nc\n")).toBe("b\nc\nd\n")
  expect(await merged("a\nb\nc\n", "a\nx\nb\nc\n", "a\nb\n")).toBe("a\nx\nb\n")
  expect(await merged("", "a\n", "")).toBe("a\n")
  expect(await merged("a\n", "", "a\n")).toBe("")
})

test("what both changed alike is taken once", async () => {
  expect(await merged("a\nb\nc\n", "A\nb\nC\n", "A\nb\nc\n")).toBe("A\nb\nC\n")
  expect(await merged("a\nb\n", "a\nx\nb\n", "a\nx\nb\n")).toBe("a\nx\nb\n")
  expect(await merged("a\nb\nc\nd\n", "a\nd\n", "a\nd\ne\n")).toBe("a\nd\ne\n")
})

test("different changes of the same lines, or of lines that touch, conflict", async () => {
  expect(await merged("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n")).toBe("1 conflicts")
  expect(await merged("a\nb\nc\n", "a\nx\nb\nc\n", "a\ny\nb\nc\n")).toBe("1 conflicts")
  expect(await merged("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n")).toBe("1 conflicts")
  expect(await merged("a\nb\nc\n", "a\nc\n", "a\nB\nc\n")).toBe("1 conflicts")
  expect(await merged("1\n2\n3\n4\n5\n", "x\n2\n3\n4\nx\n", "y\n2\n3\n4\ny\n")).toBe("2 conflicts")
  expect(await merged("", "a\n", "b\n")).toBe("1 conflicts")
})

test("line ends belong to their lines", async () => {
  expect(await merged("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n")).toBe("A\r\nb\r\nC\r\n")
  expect(await merged("a\nb\nc", "A\nb\nc", "a\nb\nc\n")).toBe("A\nb\nc\n")
  expect(await merged("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\n")).toBe("1 conflicts")
})

test("texts that have nothing in common are one change", async () => {
  const many = (letter: string) => Array.from({ length: 3_000 }, (_, n) => `${letter}${n}\n`).join("")
  expect(await merged(many("a"), many("b"), many("a"))).toBe(many("b"))
  expect(await merged(many("a"), many("b"), many("c"))).toBe("1 conflicts")
  expect(await merged(many("a"), `head\nbetween\n${many("a")}`, `${many("a")}tail\n`)).toBe(
    `head\nbetween\n${many("a")}tail\n`,
  )
})

const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "d\r\n", "\n"), { maxLength: 12 })
  .map((lines) => lines.join(""))
const run = { seed: 20_261_122, numRuns: process.env["CAIRN_TEST_LONG"] ? 20_000 : 1_000 }

test("a side that changed nothing adds nothing; sides that agree agree; the order does not matter", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, text, async (base, ours, theirs) => {
      expect(await merged(base, ours, base)).toBe(ours)
      expect(await merged(base, base, theirs)).toBe(theirs)
      expect(await merged(base, ours, ours)).toBe(ours)
      expect(await merged(base, ours, theirs)).toBe(await merged(base, theirs, ours))
    }),
    run,
  )
})

test("changes of far lines are all there, whatever they are", async () => {
  const change = fc.array(fc.constantFrom("x\n", "y\n", "z\n"), { maxLength: 3 }).map((lines) => lines.join(""))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(change, change), { minLength: 1, maxLength: 6 }), async (blocks) => {
      // Each block has a place for ours and one for theirs, with lines around them that occur once.
      const made = (ours: boolean, theirs: boolean) =>
        blocks
          .map(([mine, other], n) => `${n}a\n${ours ? mine : "-\n"}${n}b\n${n}c\n${theirs ? other : "-\n"}${n}d\n`)
          .join("")
      expect(await merged(made(false, false), made(true, false), made(false, true))).toBe(made(true, true))
    }),
    run,
  )
})
