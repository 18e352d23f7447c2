/** Repeatable random numbers: the same seed gives the same run. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  below(below: number): number
  pick<T>(items: readonly T[]): T
}

/** The mulberry32 generator: 32 bits of state, good enough to vary tests. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    below: (below) => next() % Math.max(1, below),
    pick(items) {
      const item = items[next() % items.length]
      if (item === undefined) throw new Error("seeded.pick: nothing to pick from")
      return item
    },
  }
}
