import type { Log } from "@cairn/kernel/log"
import type { BusEvent } from "@cairn/schema/event"

export type Listener = (event: BusEvent) => void

/** Hands events to listeners in order, in the same tick. A listener that throws is logged and does not disturb the others. */
export interface Bus {
  publish(event: BusEvent): void
  /** Returns how to stop listening. */
  subscribe(listener: Listener): () => void
}

export function createBus(log: Log): Bus {
  const listeners = new Set<Listener>()
  const waiting: BusEvent[] = []
  let delivering = false
  const deliver = (event: BusEvent) => {
    for (const listener of [...listeners]) {
      try {
        listener(event)
      } catch (error) {
        log.error("a listener of the bus failed", { type: event.type, error })
      }
    }
  }
  return {
    /** What a listener publishes itself comes after the event that it is looking at, for every listener. */
    publish(event) {
      waiting.push(event)
      if (delivering) return
      delivering = true
      for (let next = waiting.shift(); next; next = waiting.shift()) deliver(next)
      delivering = false
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
