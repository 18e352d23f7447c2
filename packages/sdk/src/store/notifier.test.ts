import { expect, test } from "bun:test"
import { createNotifier } from "./notifier.ts"

function setUp() {
  const flushes: (() => void)[] = []
  const notifier = createNotifier((flush) => void flushes.push(flush))
  const told: string[] = []
  return { notifier, told, flushes, flush: () => flushes.splice(0).forEach((each) => each()) }
}

test("what changes a hundred times before a flush is told once, to those who asked for it", () => {
  const { notifier, told, flush, flushes } = setUp()
  notifier.subscribe("part:prt_1", () => told.push("one"))
  notifier.subscribe("part:prt_2", () => told.push("two"))
  for (let n = 0; n < 100; n++) notifier.touch("part:prt_1")
  expect(flushes).toHaveLength(1)
  expect(told).toEqual([])
  flush()
  expect(told).toEqual(["one"])
})

test("nothing is scheduled for what nobody listens to", () => {
  const { notifier, flushes } = setUp()
  notifier.touch("sessions")
  expect(flushes).toHaveLength(0)
})

test("what a listener changes is told in the next batch", () => {
  const { notifier, told, flush, flushes } = setUp()
  notifier.subscribe("sessions", () => {
    told.push("sessions")
    notifier.touch("asks")
  })
  notifier.subscribe("asks", () => told.push("asks"))
  notifier.touch("sessions")
  flush()
  expect(told).toEqual(["sessions"])
  expect(flushes).toHaveLength(1)
  flush()
  expect(told).toEqual(["sessions", "asks"])
})

test("who stops listening hears nothing more, also in the middle of a batch; nothing of him is left", () => {
  const { notifier, told, flush } = setUp()
  const stops: (() => void)[] = []
  notifier.subscribe("asks", () => stops.forEach((stop) => stop()))
  stops.push(notifier.subscribe("asks", () => told.push("second")))
  notifier.touch("asks")
  flush()
  expect(told).toEqual([])
  expect(notifier.size).toBe(1)
})

test("a listener that throws keeps nobody from hearing, and is not hushed up", () => {
  const { notifier, told, flush } = setUp()
  notifier.subscribe("asks", () => {
    throw new Error("a view broke")
  })
  notifier.subscribe("asks", () => told.push("told"))
  notifier.touch("asks")
  expect(flush).toThrow("a view broke")
  expect(told).toEqual(["told"])
})

test("after the close nobody is told anything", () => {
  const { notifier, told, flush } = setUp()
  notifier.subscribe("asks", () => told.push("told"))
  notifier.touch("asks")
  notifier.close()
  flush()
  notifier.touch("asks")
  flush()
  expect(told).toEqual([])
})
