/** The middle value; the mean of the two middle ones when there is none. NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** What repetitions gave. */
export interface Figure {
  readonly min: number
  readonly median: number
}

export function figure(values: readonly number[]): Figure {
  return { min: Math.min(...values), median: median(values) }
}

/** Of values that may be too low but never too high, as when a peak is watched for: the greatest stands for `min`. */
export function peak(values: readonly number[]): Figure {
  return { min: Math.max(...values), median: median(values) }
}

/** The time between moments `from` and `to` (indices of `moments`). */
export function between(moments: readonly number[], from: number, to: number): number {
  return (moments[to] ?? Number.NaN) - (moments[from] ?? Number.NaN)
}

/** How much longer the last `width` steps took than `width` steps from `first` on. Arrival `i` begins step `i`. */
export function growth(arrivals: readonly number[], width: number, first: number): number {
  const last = arrivals.length - 1
  return between(arrivals, last - width, last) / between(arrivals, first, first + width)
}
