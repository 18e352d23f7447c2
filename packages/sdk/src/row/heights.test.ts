import { expect, test } from "bun:test"
import fc from "fast-check"
import { Heights } from "./heights.ts"

/** The same by adding up. */
function plainly(heights: readonly number[]) {
  const starts: number[] = [0]
  for (const height of heights) starts.push((starts.at(-1) ?? 0) + height)
  const rowAt = (line: number) =>
    Math.max(
      0,
      starts.slice(0, -1).findLastIndex((start) => start <= Math.max(0, line)),
    )
  return { starts, total: starts.at(-1) ?? 0, rowAt }
}

const lines = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 70 })
const change = fc.oneof(
  fc.record({ row: fc.nat(80), height: fc.nat(40).map((height) => height + 1) }),
  fc.record({ row: fc.nat(70), remove: fc.nat(5), add: lines }),
)

test("property: after any changes rows begin and lines belong where adding up says", () => {
  fc.assert(
    fc.property(lines, fc.array(change, { maxLength: 12 }), (given, changes) => {
      const heights = new Heights(given)
      const model = [...given]
      for (const each of changes) {
        if ("height" in each) {
          heights.set(each.row, each.height)
          if (each.row < model.length) model[each.row] = each.height
        } else {
          heights.splice(each.row, each.remove, ...each.add)
          model.splice(each.row, each.remove, ...each.add)
        }
      }
      const { starts, total, rowAt } = plainly(model)
      expect([heights.count, heights.total]).toEqual([model.length, total])
      expect(Array.from({ length: model.length + 1 }, (_, row) => heights.startOf(row))).toEqual(starts)
      const at = [-3, 0, total, total + 5, ...starts, ...starts.map((start) => start + 1)]
      expect(at.map((line) => heights.rowAt(line))).toEqual(at.map((line) => (model.length === 0 ? -1 : rowAt(line))))
    }),
    { numRuns: 300 },
  )
})
