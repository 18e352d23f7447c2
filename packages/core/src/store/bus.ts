import type { Log } from "@cairn/kernel/log"
import type { BusEvent } from "@cairn/schema/event"

export type Listener = (event: BusEvent) => void

/** Hands events to listeners in order, in the same tick. A listener that throws is logged and does not disturb the others. */
export interface Bus {
  /** What a listener publishes itself comes after all events of the call that it is looking at, for every listener. */
  publish(events: readonly BusEvent[]): void
  /** Returns how to stop listening, which takes effect at once. */
  subscribe(listener: Listener): () => void
}

export function createBus(log: Log): Bus {
  // One entry a subscription, so that the same function may listen twice.
  const subscriptions = new Set<{ readonly listener: Listener }>()
  const waiting: BusEvent[] = []
  let delivering = false
  const deliver = (event: BusEvent) => {
    for (const subscription of [...subscriptions]) {
      if (!subscriptions.has(subscription)) continue
      try {
        subscription.listener(event)
      } catch (error) {
        log.error("a listener of the bus failed", { type: event.type, error })
      }
    }
  }
  return {
    publish(events) {
      for (const event of events) waiting.push(event)
      if (delivering) return
      delivering = true
      try {
        for (let next = waiting.shift(); next; next = waiting.shift()) deliver(next)
      } finally {
        delivering = false
      }
    },
    subscribe(listener) {
      const subscription = { listener }
      subscriptions.add(subscription)
      return () => void subscriptions.delete(subscription)
    },
  }
}
