import { expect, test } from "bun:test"
import { err, ok, type Result } from "./result.ts"

test("a result holds a value or an error, told apart by ok", () => {
  const half = (n: number): Result<number, string> => (n % 2 === 0 ? ok(n / 2) : err("odd"))
  expect(half(4)).toEqual({ ok: true, value: 2 })
  expect(half(3)).toEqual({ ok: false, error: "odd" })
})
