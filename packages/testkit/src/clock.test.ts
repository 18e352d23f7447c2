import { expect, test } from "bun:test"
import { sleep } from "@cairn/kernel/clock"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "./clock.ts"

test("timers fire in order of time, then of setting, at their own time", async () => {
  const clock = new TestClock(1_000)
  const fired: [string, number, number][] = []
  const set = (name: string, ms: number) => clock.timer(ms, () => fired.push([name, clock.now(), clock.monotonic()]))
  set("late", 30)
  set("first", 10)
  set("second", 10)
  expect(clock.due).toEqual([10, 10, 30])
  await clock.advance(20)
  expect(fired).toEqual([
    ["first", 1_010, 10],
    ["second", 1_010, 10],
  ])
  expect(clock.now()).toBe(1_020)
  expect(clock.pending).toBe(1)
  await clock.advance(10)
  expect(fired.at(-1)).toEqual(["late", 1_030, 30])
})

test("a cancelled timer does not fire", async () => {
  const clock = new TestClock()
  let fired = 0
  const cancel = clock.timer(5, () => fired++)
  cancel()
  cancel()
  await clock.advance(10)
  expect(fired).toBe(0)
  expect(clock.pending).toBe(0)
})

test("timers that a timer's continuation sets fire within the same advance", async () => {
  const clock = new TestClock()
  const ticks: number[] = []
  const { signal } = new TaskGroup()
  const work = (async () => {
    for (let round = 0; round < 3; round++) {
      await sleep(clock, 10, signal)
      ticks.push(clock.monotonic())
    }
  })()
  await clock.advance(25)
  expect(ticks).toEqual([10, 20])
  await clock.advance(5)
  await work
  expect(ticks).toEqual([10, 20, 30])
})

test("setting the wall clock back moves no timer", async () => {
  const clock = new TestClock(5_000)
  let fired = 0
  clock.timer(10, () => fired++)
  clock.setNow(100)
  expect(clock.now()).toBe(100)
  await clock.advance(9)
  expect(fired).toBe(0)
  await clock.advance(1)
  expect(fired).toBe(1)
  expect(clock.now()).toBe(110)
  expect(clock.monotonic()).toBe(10)
})

test("timers() waits for the timers that others will set", async () => {
  const clock = new TestClock()
  let ready = false
  const waiting = clock.timers(2).then(() => (ready = true))
  clock.timer(1, () => {})
  await clock.advance(0)
  expect(ready).toBe(false)
  clock.timer(1, () => {})
  await waiting
  await clock.timers(2)
  expect(ready).toBe(true)
})
