/** The price after a discount of `percent` (0 to 100), in cents. */
export function discounted(cents, percent) {
  const factor = 1 - percent / 10
  if (factor < 0) throw new RangeError(`a discount of ${percent} % cannot leave ${factor} of the price`)
  return Math.round(cents * factor)
}
