import assert from "node:assert/strict"
import { test } from "node:test"
import { total } from "../src/basket.mjs"

test("an empty basket costs nothing", () => {
  assert.equal(total([]), 0)
})

test("every line counts", () => {
  const lines = [
    { cents: 250, quantity: 2 },
    { cents: 1_000, quantity: 1 },
  ]
  assert.equal(total(lines), 1_500)
})
