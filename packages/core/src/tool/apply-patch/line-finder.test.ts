import { expect, test } from "bun:test"
import fc from "fast-check"
import { indexLines } from "./line-finder.ts"

const same = (line: string) => line

/** Every place at or below `from`, looked for one by one. */
function places(lines: readonly string[], run: readonly string[], from: number): number[] {
  return lines
    .map((_, start) => start)
    .filter((start) => start >= from && start + run.length <= lines.length)
    .filter((start) => run.every((text, index) => lines[start + index] === text))
}

test("it finds what looking at every place finds, for every run and from every line", () => {
  const line = fc.constantFrom("a", "b", "c")
  const run = fc.array(line, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 16 }), fc.array(run, { maxLength: 6 }), (lines, runs) => {
      const index = indexLines(lines, runs, same, { comparisons: 0 })
      for (const wanted of runs) {
        for (let from = 0; from <= lines.length; from++) {
          expect(index.first(wanted, from)).toBe(places(lines, wanted, from)[0])
        }
      }
    }),
    { numRuns: 400 },
  )
})

test("lines are equal when their keys are", () => {
  const index = indexLines(["A", " b", "a", "B"], [["a", "b"]], (line) => line.trim().toLowerCase(), { comparisons: 0 })
  expect(index.first(["a", "b"], 0)).toBe(0)
  expect(index.first(["a", "b"], 1)).toBe(2)
  expect(index.first(["a", "b"], 3)).toBeUndefined()
})

test("a run that was not announced is not found", () => {
  const index = indexLines(["a", "b"], [["a"]], same, { comparisons: 0 })
  expect(index.first(["b"], 0)).toBeUndefined()
  expect(index.first(["a", "b"], 0)).toBeUndefined()
})

test("building is linear also where runs repeat and contain each other", () => {
  const work = (count: number) => {
    const counter = { comparisons: 0 }
    const lines = Array.from({ length: count }, (_, index) => (index % 50 === 49 ? "b" : "a"))
    const runs = [lines.slice(0, count / 2), lines.slice(7, count / 2), Array<string>(count / 2).fill("a")]
    indexLines(lines, runs, same, counter)
    return counter.comparisons
  }
  expect(work(2_000)).toBeGreaterThan(2_000)
  expect(work(20_000) / work(2_000)).toBeLessThan(10.5)
})
