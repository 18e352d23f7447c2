import { expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { FrameClock } from "./clock.ts"

function bench() {
  const time = new TestClock()
  const clock = new FrameClock(time)
  const ticks: number[] = []
  return { time, clock, ticks, tick: (now: number) => void ticks.push(now) }
}

test("idle it has no timer, however many show a time", async () => {
  const { time, clock, ticks, tick } = bench()
  clock.subscribe(tick)
  clock.subscribe(tick)
  expect(time.pending).toBe(0)
  await time.advance(60_000)
  expect(ticks).toEqual([])
})

test("busy it ticks once a second for all, with one timer", async () => {
  const { time, clock, ticks, tick } = bench()
  const other: number[] = []
  clock.subscribe(tick)
  clock.subscribe((now) => void other.push(now))
  clock.setBusy(true)
  expect(time.pending).toBe(1)
  await time.advance(3_500)
  expect(ticks).toEqual([1_000, 2_000, 3_000])
  expect(other).toEqual(ticks)
})

test("busy with nobody to show it, there is no timer", async () => {
  const { time, clock, tick } = bench()
  clock.setBusy(true)
  expect(time.pending).toBe(0)
  const stop = clock.subscribe(tick)
  expect(time.pending).toBe(1)
  stop()
  expect(time.pending).toBe(0)
})

test("behind other windows it ticks every two seconds", async () => {
  const { time, clock, ticks, tick } = bench()
  clock.subscribe(tick)
  clock.setBusy(true)
  clock.setFocused(false)
  await time.advance(4_000)
  clock.setFocused(true)
  await time.advance(1_000)
  expect(ticks).toEqual([2_000, 4_000, 5_000])
})

test("the turn ends, and so does the timer; it may end in the tick itself", async () => {
  const { time, clock, ticks } = bench()
  clock.subscribe((now) => {
    ticks.push(now)
    if (ticks.length === 2) clock.setBusy(false)
  })
  clock.setBusy(true)
  await time.advance(10_000)
  expect(ticks).toEqual([1_000, 2_000])
  expect(time.pending).toBe(0)
  clock.setBusy(true)
  clock.stop()
  expect(time.pending).toBe(0)
  expect(clock.monotonic()).toBe(10_000)
})
