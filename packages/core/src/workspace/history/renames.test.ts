import { expect, test } from "bun:test"
import { type Candidate, findRenames } from "./renames.ts"

const file = (path: string, text?: string): Candidate => ({ path, hash: text ?? "binary", text })
const found = (gone: readonly Candidate[], come: readonly Candidate[]) => Object.fromEntries(findRenames(gone, come))
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join("")

test("the same content under another name, whatever it is", () => {
  expect(found([file("a", "x\n")], [file("b", "x\n")])).toEqual({ b: "a" })
  expect(found([file("a.png")], [file("b.png")])).toEqual({ "b.png": "a.png" })
  expect(found([file("a", "")], [file("b", "")])).toEqual({ b: "a" })
  expect(found([file("a", "x\n")], [file("b", "y\n")])).toEqual({})
})

test("of several with the same content the one with the same name", () => {
  const gone = [file("src/one.ts", "x\n"), file("src/two.ts", "x\n")]
  expect(found(gone, [file("lib/two.ts", "x\n"), file("lib/one.ts", "x\n")])).toEqual({
    "lib/two.ts": "src/two.ts",
    "lib/one.ts": "src/one.ts",
  })
})

test("texts that share half of their lines, the most alike first, each once", () => {
  expect(found([file("a", lines(0, 10))], [file("b", lines(4, 14))])).toEqual({ b: "a" })
  expect(found([file("a", lines(0, 10))], [file("b", lines(7, 17))])).toEqual({})
  const come = [file("far", lines(4, 14)), file("near", lines(1, 11))]
  expect(found([file("a", lines(0, 10))], come)).toEqual({ near: "a" })
  expect(found([file("a", lines(0, 10)), file("b", lines(3, 14))], come)).toEqual({ near: "a", far: "b" })
})

test("empty and binary files are not alike to anything", () => {
  expect(found([file("a", "")], [file("b", "x\n")])).toEqual({})
  expect(found([file("a", "x\n")], [{ path: "b", hash: "b", text: undefined }])).toEqual({})
})

test("of very many files only equal contents are paired", () => {
  const many = (from: string, tail: string) =>
    Array.from({ length: 60 }, (_, n) => file(`${from}${n}`, `${lines(n * 100, n * 100 + 10)}${tail}`))
  expect(found(many("a", ""), many("b", "more\n"))).toEqual({})
  expect(Object.keys(found(many("a", ""), many("b", "")))).toHaveLength(60)
  expect(Object.keys(found(many("a", "").slice(0, 40), many("b", "more\n").slice(0, 40)))).toHaveLength(40)
})
