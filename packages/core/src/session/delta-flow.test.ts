import { expect, test } from "bun:test"
import type { DurableEvent, TransientEvent } from "@cairn/schema/event"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { createDeltaFlow } from "./delta-flow.ts"
import type { Run } from "./run.ts"

function setUp(write?: (events: DurableEvent[]) => void) {
  const clock = new TestClock()
  const durable: DurableEvent[] = []
  const wire: TransientEvent[] = []
  const run: Run = {
    sessionID: "ses_1",
    runID: "run_1",
    signal: new TaskGroup().signal,
    clock,
    write: (...events) => (write ? write(events) : void durable.push(...events)),
    derive: () => expect.unreachable(),
    end: () => undefined,
    publish: (event) => void wire.push(event),
    messageID: () => "msg_1",
    partID: () => "prt_1",
  }
  return { clock, durable, wire, flow: createDeltaFlow(run) }
}
const textOf = (events: readonly { properties: object }[]) =>
  events.map((event) => ("delta" in event.properties ? event.properties.delta : "")).join("")

test("20,000 deltas reach clients in few batches and the log in fewer, with every character", async () => {
  const { clock, durable, wire, flow } = setUp()
  let expected = ""
  for (let n = 0; n < 20_000; n++) {
    expected += `${n} `
    flow.add("msg_1", "prt_1", `${n} `)
    if (n % 100 === 99) await clock.advance(5)
  }
  await clock.advance(250)
  expect(textOf(wire)).toBe(expected)
  expect(textOf(durable)).toBe(expected)
  expect(wire.length).toBeLessThanOrEqual(1_000 / 16 + 2)
  expect(durable.length).toBeLessThanOrEqual(1_000 / 250 + 2)
})

test("offsets continue where the last delta of the log, and of the wire, ended, part by part", async () => {
  const { clock, durable, wire, flow } = setUp()
  flow.add("msg_1", "prt_1", "ab")
  flow.add("msg_1", "prt_2", "xyz")
  await clock.advance(250)
  flow.add("msg_1", "prt_1", "c")
  flow.flush()
  await clock.advance(16)
  const places = (events: readonly (DurableEvent | TransientEvent)[]) =>
    events.map((event) =>
      event.type === "message.part.delta" ? [event.properties.partID, event.properties.offset] : [],
    )
  const expected = [
    ["prt_1", 0],
    ["prt_2", 0],
    ["prt_1", 2],
  ]
  expect(places(durable)).toEqual(expected)
  expect(places(wire)).toEqual(expected)
})

test("a settled part is not written again, and nothing keeps running", async () => {
  const { clock, durable, wire, flow } = setUp()
  flow.add("msg_1", "prt_1", "whole")
  flow.settle("prt_1")
  await clock.advance(1_000)
  expect([...durable, ...wire]).toEqual([])
  flow.add("msg_1", "prt_2", "open")
  flow.stop()
  await clock.advance(1_000)
  expect([...durable, ...wire]).toEqual([])
  expect(clock.pending).toBe(0)
})

test("what the log refuses in a timer is thrown at the next delta", async () => {
  const { clock, flow } = setUp(() => {
    throw new Error("disk full")
  })
  flow.add("msg_1", "prt_1", "a")
  await clock.advance(250)
  expect(() => flow.add("msg_1", "prt_1", "b")).toThrow("disk full")
})
