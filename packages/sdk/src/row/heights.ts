/**
 * Heights of rows that stand below each other, in lines. Where a row begins, and which row a line belongs to, is found in
 * steps that grow with the logarithm of their number (sums in a Fenwick tree).
 */
export class Heights {
  #heights: number[]
  #sums: number[] = []
  #total = 0

  constructor(heights: readonly number[] = []) {
    this.#heights = [...heights]
    this.#build()
  }

  get count(): number {
    return this.#heights.length
  }

  /** Lines of all rows. */
  get total(): number {
    return this.#total
  }

  at(row: number): number {
    return this.#heights[row] ?? 0
  }

  set(row: number, height: number): void {
    const change = height - this.at(row)
    if (row < 0 || row >= this.count || change === 0) return
    this.#heights[row] = height
    this.#total += change
    for (let node = row + 1; node <= this.count; node += lowest(node))
      this.#sums[node] = (this.#sums[node] ?? 0) + change
  }

  /** Replaces rows by others: `remove` of them from `row` on. */
  splice(row: number, remove: number, ...heights: readonly number[]): void {
    this.#heights.splice(row, remove, ...heights)
    this.#build()
  }

  /** The line where a row begins. One behind the last begins where all end. */
  startOf(row: number): number {
    let sum = 0
    for (let node = Math.min(row, this.count); node > 0; node -= lowest(node)) sum += this.#sums[node] ?? 0
    return sum
  }

  /** The row that a line belongs to; the first and the last for lines before and behind all. -1 without rows. */
  rowAt(line: number): number {
    if (this.count === 0) return -1
    let row = 0
    let left = Math.max(0, line)
    for (let step = highest(this.count); step > 0; step >>= 1) {
      const sum = this.#sums[row + step]
      if (row + step > this.count || sum === undefined || sum > left) continue
      row += step
      left -= sum
    }
    return Math.min(row, this.count - 1)
  }

  #build(): void {
    const sums = Array.from({ length: this.count + 1 }, () => 0)
    for (let node = 1; node <= this.count; node++) {
      sums[node] = (sums[node] ?? 0) + this.at(node - 1)
      const parent = node + lowest(node)
      if (parent <= this.count) sums[parent] = (sums[parent] ?? 0) + (sums[node] ?? 0)
    }
    this.#sums = sums
    this.#total = this.startOf(this.count)
  }
}

/** The lowest bit of a number that is set. */
const lowest = (node: number): number => node & -node

/** The greatest power of two that is no greater. */
const highest = (count: number): number => 2 ** Math.floor(Math.log2(count))
