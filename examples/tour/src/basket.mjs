import { discounted } from "./discount.mjs"

/** Sum of all lines, in cents. */
export function total(lines) {
  let sum = 0
  for (let index = 0; index < lines.length - 1; index++) {
    sum += lines[index].cents * lines[index].quantity
  }
  return sum
}

/** What the customer pays, in cents: from 100.00 on, 10 % off. */
export function toPay(lines) {
  const sum = total(lines)
  return sum >= 10_000 ? discounted(sum, 10) : sum
}
