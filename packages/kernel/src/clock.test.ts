import { expect, test } from "bun:test"
import { listeners } from "../test/listeners.ts"
import { ManualClock } from "../test/manual-clock.ts"
import { sleep, systemClock } from "./clock.ts"
import { Interrupted } from "./interrupted.ts"
import { TaskGroup } from "./task.ts"

test("sleep resolves when the clock has come that far, and not before", async () => {
  const clock = new ManualClock()
  const { signal } = new TaskGroup()
  let awake = false
  const sleeping = sleep(clock, 100, signal).then(() => (awake = true))
  clock.pass(99)
  await Promise.resolve()
  expect(awake).toBe(false)
  clock.pass(1)
  await sleeping
  expect(clock.timers.size).toBe(0)
  expect(listeners(signal)).toBe(0)
})

test("an interrupted sleep rejects with the reason and leaves no timer", async () => {
  const clock = new ManualClock()
  const group = new TaskGroup()
  const sleeping = sleep(clock, 100, group.signal)
  expect(clock.timers.size).toBe(1)
  const reason = new Interrupted()
  group.cancel(reason)
  expect(await sleeping.catch((error: unknown) => error)).toBe(reason)
  expect(clock.timers.size).toBe(0)
})

test("a sleep that is interrupted from the start leaves no timer", async () => {
  const clock = new ManualClock()
  const group = new TaskGroup()
  group.cancel("gone")
  expect(await sleep(clock, 100, group.signal).catch((error: unknown) => error)).toBe("gone")
  expect(clock.timers.size).toBe(0)
})

test("the system's timers fire in order, and not after they were called off", async () => {
  const fired: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  systemClock.timer(2, () => {
    fired.push("last")
    resolve()
  })
  systemClock.timer(0, () => fired.push("first"))
  const cancel = systemClock.timer(0, () => fired.push("called off"))
  cancel()
  cancel()
  await promise
  expect(fired).toEqual(["first", "last"])
})

test("a timer beyond what setTimeout takes does not fire at once", async () => {
  let fired = 0
  const cancels = [2 ** 31, 2 ** 40, Infinity].map((ms) => systemClock.timer(ms, () => fired++))
  const { signal } = new TaskGroup()
  await sleep(systemClock, 5, signal)
  for (const cancel of cancels) cancel()
  expect(fired).toBe(0)
})

test("the monotonic clock does not go back", () => {
  const readings = Array.from({ length: 1_000 }, () => systemClock.monotonic())
  expect(readings).toEqual(readings.toSorted((a, b) => a - b))
  expect(systemClock.now()).toBeGreaterThan(Date.UTC(2025, 0, 1))
})
