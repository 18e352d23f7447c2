import { expect, test } from "bun:test"
import { interruptMatrix } from "@cairn/testkit/interrupt-matrix"
import type { LongCall } from "@cairn/testkit/interrupt-run"
import { processesWith } from "@cairn/testkit/process-tree"
import { randomInterrupts } from "@cairn/testkit/random-interrupts"
import { interruptDriver, longSleep } from "./interrupt-driver.ts"

/** A command that runs long, and two tools that wait for an approval. */
const calls: LongCall[] = [
  { name: "bash", args: { command: `sleep ${longSleep}` } },
  { name: "edit", args: { filePath: "a.txt", oldString: "one", newString: "two" } },
  { name: "read", args: { filePath: "a.txt" } },
]

/** The process of the command is there, not only its part in the log. */
const processRuns = async (): Promise<void> => {
  while (processesWith(longSleep).length === 0) await Bun.sleep(5)
}

for (const call of calls)
  test(`the interruption matrix holds for ${call.name}`, async () => {
    await using driver = await interruptDriver()
    const options = call.name === "bash" ? { underWay: processRuns } : {}
    expect(await interruptMatrix(driver, call, options)).toEqual([])
    expect((await driver.engine.verify()).problems).toEqual([])
  }, 60_000)

const rounds = process.env["CAIRN_TEST_LONG"] ? 500 : 60

test(`${rounds} random interrupts leave good logs`, async () => {
  await using driver = await interruptDriver()
  expect(await randomInterrupts(driver, rounds, 20_261_121, calls)).toEqual([])
  expect((await driver.engine.verify()).problems).toEqual([])
  expect(processesWith(longSleep)).toEqual([])
}, 600_000)
