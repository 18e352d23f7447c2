import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { text, toolCall } from "@cairn/testkit/scenario"
import { seedMessages } from "../store/seed.ts"
import { bench, problemsOf } from "./harness.ts"

interface Work {
  statements: number
  /** Characters that came out of the database, and that went in. */
  read: number
  written: number
}

/** Counts what is asked of SQLite while `run` runs. `sample` gives what has been counted so far. */
async function counting(run: (sample: () => Work) => Promise<void>): Promise<void> {
  const work: Work = { statements: 0, read: 0, written: 0 }
  const size = (value: unknown): number => {
    if (typeof value === "string") return value.length
    if (typeof value !== "object" || value === null) return 1
    return Object.values(value).reduce((sum: number, each) => sum + size(each), 0)
  }
  const counted = new Set<PropertyKey>(["run", "get", "all", "values"])
  const watched = (statement: object): object =>
    new Proxy(statement, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== "function") return value
        return (...values: unknown[]) => {
          const result: unknown = Reflect.apply(value, target, values)
          if (counted.has(key)) {
            work.statements++
            work.written += size(values)
            work.read += size(result)
          }
          return result
        }
      },
    })
  const prototype = Database.prototype as unknown as Record<"query" | "prepare", (...values: unknown[]) => object>
  const original = { query: prototype.query, prepare: prototype.prepare }
  for (const name of ["query", "prepare"] as const)
    prototype[name] = function (this: unknown, ...values: unknown[]) {
      return watched(original[name].apply(this, values))
    }
  try {
    await run(() => ({ ...work }))
  } finally {
    Object.assign(prototype, original)
  }
}

const steps = 200

test("the work of a step does not grow with the session", async () => {
  await counting(async (sample) => {
    const samples: Work[] = []
    await using made = await bench(
      (_, index) => {
        samples.push(sample())
        if (index === steps) return text("Done.")
        // Three kinds of step in turn; each result differs from the one before, as in real work.
        if (index % 3 === 0) return toolCall("read", { filePath: "a.txt" })
        if (index % 3 === 1)
          return toolCall("edit", {
            filePath: "a.txt",
            oldString: `count ${index - 1}`,
            newString: `count ${index + 2}`,
          })
        return toolCall("bash", { command: `echo step ${index}` })
      },
      { files: { "a.txt": "first line\ncount 0\n" } },
    )
    const outcome = await made.prompt("Work")
    expect(outcome.reason).toBe("done")
    expect(samples).toHaveLength(steps + 1)
    expect(problemsOf(made, outcome.sessionID)).toEqual([])

    const perStep = samples.slice(1).map((now, index) => ({
      statements: now.statements - samples[index]!.statements,
      read: now.read - samples[index]!.read,
      written: now.written - samples[index]!.written,
    }))
    const sum = (range: Work[], key: keyof Work) => range.reduce((total, each) => total + each[key], 0)
    // Thirds of three steps, so that both ends hold the same kinds of step.
    const first = perStep.slice(3, 24)
    const last = perStep.slice(-21)
    for (const key of ["statements", "read", "written"] as const) {
      expect(sum(first, key)).toBeGreaterThan(0)
      expect(sum(last, key) / sum(first, key)).toBeLessThan(1.1)
    }
    expect(sum(last, "statements") / 21).toBeLessThan(60)
  })
}, 60_000)

test("the work of a turn and of its steps does not depend on how much was said before the last summary", async () => {
  const sizes = [10, 100, process.env["CAIRN_TEST_LONG"] ? 10_000 : 1_000]
  const works: { turn: Work; step: Work }[] = []
  await counting(async (sample) => {
    const less = (now: Work, then: Work): Work => ({
      ...{ statements: now.statements - then.statements },
      ...{ read: now.read - then.read, written: now.written - then.written },
    })
    for (const size of sizes) {
      const samples: Work[] = []
      await using made = await bench((_, index) => {
        samples.push(sample())
        return index > 0 && index < 9 ? toolCall("bash", { command: `echo ${index}` }) : text("Done.")
      })
      const { sessionID } = await made.prompt("Begin")
      seedMessages(made.engine.paths.database, size)
      const before = sample()
      await made.prompt("Go on", { sessionID })
      expect(made.server.requests).toHaveLength(10)
      works.push({ turn: less(samples[1]!, before), step: less(samples[9]!, samples[2]!) })
    }
  })
  for (const { step } of works.slice(1))
    for (const key of ["statements", "read", "written"] as const)
      expect(step[key] / works[0]!.step[key]).toBeLessThan(1.2)
  // Besides, a turn reads the user's own words again, up to a bound.
  const [, , most] = works
  expect(most!.turn.statements).toBeLessThan(120)
  expect(most!.turn.read).toBeLessThan(800_000)
}, 60_000)
