import assert from "node:assert/strict"
import { test } from "node:test"
import { discounted } from "../src/discount.mjs"

test("no discount leaves the price", () => {
  assert.equal(discounted(1_999, 0), 1_999)
})

test("a fifth off", () => {
  assert.equal(discounted(1_000, 20), 800)
})

test("the discount is rounded to whole cents", () => {
  assert.equal(discounted(999, 5), 949)
})
