import { expect, test } from "bun:test"
import { listeners } from "../test/listeners.ts"
import { ManualClock } from "../test/manual-clock.ts"
import { Deadline, DeadlineExceeded } from "./deadline.ts"
import { TaskGroup, abortable } from "./task.ts"

test("aborts when the time is up, with what took too long", async () => {
  const clock = new ManualClock()
  using deadline = new Deadline(clock, "the provider's answer", 100)
  const waiting = abortable(new Promise(() => {}), deadline.signal)
  clock.pass(99)
  expect(deadline.signal.aborted).toBe(false)
  clock.pass(1)
  const reason = await waiting.catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(DeadlineExceeded)
  expect(reason).toMatchObject({ what: "the provider's answer", ms: 100, name: "DeadlineExceeded" })
  expect(String(reason)).toContain("the provider's answer took longer than 100 ms")
})

test("extend starts anew, with another length if one is given", () => {
  const clock = new ManualClock()
  using deadline = new Deadline(clock, "silence", 100)
  for (let round = 0; round < 5; round++) {
    clock.pass(99)
    deadline.extend()
  }
  expect(deadline.signal.aborted).toBe(false)
  expect(clock.timers.size).toBe(1)
  deadline.extend(10)
  clock.pass(9)
  deadline.extend()
  clock.pass(9)
  expect(deadline.signal.aborted).toBe(false)
  clock.pass(1)
  expect(deadline.signal.reason).toMatchObject({ ms: 10 })
})

test("follows its parent, whichever comes first", () => {
  const clock = new ManualClock()
  const parent = new TaskGroup()
  using first = new Deadline(clock, "x", 100, parent.signal)
  parent.cancel("stop")
  expect(first.signal.reason).toBe("stop")
  clock.pass(1_000)
  expect(first.signal.reason).toBe("stop")
  using late = new Deadline(clock, "x", 100, parent.signal)
  expect(late.signal.reason).toBe("stop")
  expect(clock.timers.size).toBe(0)
})

test("keeps its own reason when the parent aborts afterwards", () => {
  const clock = new ManualClock()
  const parent = new TaskGroup()
  using deadline = new Deadline(clock, "x", 5, parent.signal)
  clock.pass(5)
  parent.cancel("late")
  expect(deadline.signal.reason).toBeInstanceOf(DeadlineExceeded)
})

test("an infinite limit never fires and can be narrowed", () => {
  const clock = new ManualClock()
  using deadline = new Deadline(clock, "x", Infinity)
  expect(clock.timers.size).toBe(0)
  clock.pass(1e9)
  expect(deadline.signal.aborted).toBe(false)
  deadline.extend(1)
  clock.pass(1)
  expect(deadline.signal.aborted).toBe(true)
})

test("disposed, it holds neither timer nor parent and never aborts", () => {
  const clock = new ManualClock()
  const parent = new TaskGroup()
  const signals: AbortSignal[] = []
  for (let round = 0; round < 100; round++) {
    using deadline = new Deadline(clock, "x", 10, parent.signal)
    signals.push(deadline.signal)
    deadline.extend()
  }
  const disposed = new Deadline(clock, "x", 10, parent.signal)
  disposed[Symbol.dispose]()
  disposed.extend()
  signals.push(disposed.signal)
  expect(clock.timers.size).toBe(0)
  expect(listeners(parent.signal)).toBe(0)
  parent.cancel()
  clock.pass(100)
  expect(signals.some((signal) => signal.aborted)).toBe(false)
})
