import { describe, expect, test } from "bun:test"
import { createLog, silentLog } from "@cairn/kernel/log"
import type { BusEvent } from "@cairn/schema/event"
import { createBus } from "./bus.ts"

const event = (id: string): BusEvent => ({ id, type: "session.idle", properties: { sessionID: "ses_1" } })

describe("bus", () => {
  test("gives each event to every listener, in order, in the same tick", () => {
    const bus = createBus(silentLog)
    const seen: string[] = []
    bus.subscribe(({ id }) => void seen.push(`a${id}`))
    bus.subscribe(({ id }) => void seen.push(`b${id}`))
    bus.publish([event("1"), event("2")])
    expect(seen).toEqual(["a1", "b1", "a2", "b2"])
  })

  test("what a listener publishes comes after all events of the call that it is looking at", () => {
    const bus = createBus(silentLog)
    const seen: string[] = []
    bus.subscribe(({ id }) => {
      if (id === "1") bus.publish([event("nested")])
    })
    bus.subscribe(({ id }) => void seen.push(id))
    bus.publish([event("1"), event("2")])
    expect(seen).toEqual(["1", "2", "nested"])
  })

  test("a listener that throws is logged and disturbs nobody, now and later", () => {
    const lines: string[] = []
    const bus = createBus(createLog({ write: (line) => void lines.push(line) }, { now: () => 0 }))
    const seen: string[] = []
    bus.subscribe(() => {
      throw new Error("listener is broken")
    })
    bus.subscribe(({ id }) => void seen.push(id))
    bus.publish([event("1")])
    bus.publish([event("2")])
    expect(seen).toEqual(["1", "2"])
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain("listener is broken")
  })

  test("a log that throws does not stop the bus for ever", () => {
    let broken = true
    const write = () => {
      if (broken) throw new Error("no log")
    }
    const bus = createBus(createLog({ write }, { now: () => 0 }))
    const seen: string[] = []
    bus.subscribe(({ id }) => {
      seen.push(id)
      if (broken) throw new Error("listener is broken")
    })
    expect(() => bus.publish([event("1")])).toThrow("no log")
    broken = false
    bus.publish([event("2")])
    expect(seen).toEqual(["1", "2"])
  })

  test("unsubscribing takes effect at once, also for an event that is being delivered", () => {
    const bus = createBus(silentLog)
    const seen: string[] = []
    const stop: (() => void)[] = []
    bus.subscribe(() => stop[0]?.())
    stop.push(bus.subscribe(({ id }) => void seen.push(id)))
    bus.publish([event("1")])
    expect(seen).toEqual([])
  })

  test("one that subscribes during an event gets the next one; the same function may listen twice", () => {
    const bus = createBus(silentLog)
    const seen: string[] = []
    const listen = ({ id }: BusEvent) => void seen.push(id)
    const stop = bus.subscribe(() => {
      stop()
      bus.subscribe(listen)
      bus.subscribe(listen)
    })
    bus.publish([event("1"), event("2")])
    expect(seen).toEqual(["2", "2"])
  })
})
