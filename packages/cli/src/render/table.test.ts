import { expect, test } from "bun:test"
import { table } from "./table.ts"

test("columns line up, by what a terminal shows", () => {
  const rows = [
    ["a", "標石", "x"],
    ["bbb", "y", "z"],
  ]
  expect(table(rows, { width: Infinity }, 1)).toEqual(["a    標石  x", "bbb  y     z"])
})

test("the flexible column gives way, down to ten columns", () => {
  const rows = [["id", "a title that is far too long", "end"]]
  expect(table(rows, { width: 25 }, 1)).toEqual(["id  a title that is…  end"])
  expect(table(rows, { width: 5 }, 1)).toEqual(["id  a title t…  end"])
})

test("a cell cannot break the line or the terminal", () => {
  expect(table([["a\nb\u001b[2J", "c"]], { width: Infinity }, 0)).toEqual(["a b␛[2J  c"])
})
