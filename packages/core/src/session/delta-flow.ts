import type { DurableEvent } from "@cairn/schema/event"
import type { Run } from "./run.ts"

/** How long deltas are gathered before clients see them, ms. */
const wireEvery = 16
/** How long they are gathered before they are durable: what a crash may lose, ms. */
const durableEvery = 250

interface OpenText {
  readonly messageID: string
  /** Characters that the log has, and those that clients have. */
  durable: number
  sent: number
  wire: string
  unsaved: string
}

/**
 * Carries streaming text to clients (batched, not stored) and to the log (rarer, not published). A part is named by
 * `add`; `settle` forgets it, since its closing event carries the whole text.
 */
export interface DeltaFlow {
  /** Throws what the log refused since the last call: then the run is not ours any more, or the disk is full. */
  add(messageID: string, partID: string, delta: string): void
  settle(partID: string): void
  /** Writes what is not durable yet. */
  flush(): void
  /** Stops the timers. What was not flushed is lost. */
  stop(): void
}

export function createDeltaFlow(run: Run): DeltaFlow {
  const open = new Map<string, OpenText>()
  let wireTimer: (() => void) | undefined
  let durableTimer: (() => void) | undefined

  let refused: { error: unknown } | undefined

  const send = () => {
    wireTimer = undefined
    for (const [partID, text] of open) {
      if (text.wire === "") continue
      const properties = {
        sessionID: run.sessionID,
        messageID: text.messageID,
        partID,
        field: "text",
        offset: text.sent,
        delta: text.wire,
      }
      text.sent += text.wire.length
      text.wire = ""
      run.publish({ type: "message.part.delta", properties })
    }
  }
  const save = () => {
    durableTimer?.()
    durableTimer = undefined
    const events: DurableEvent[] = []
    for (const [partID, text] of open) {
      if (text.unsaved === "") continue
      const properties = {
        sessionID: run.sessionID,
        messageID: text.messageID,
        partID,
        field: "text",
        offset: text.durable,
        delta: text.unsaved,
      }
      events.push({ type: "message.part.delta", properties })
      text.durable += text.unsaved.length
      text.unsaved = ""
    }
    if (events.length > 0) run.write(...events)
  }
  const saveLater = () => {
    try {
      save()
    } catch (error) {
      refused = { error }
    }
  }
  return {
    add(messageID, partID, delta) {
      if (refused) throw refused.error
      const text = open.get(partID) ?? { messageID, durable: 0, sent: 0, wire: "", unsaved: "" }
      open.set(partID, text)
      text.wire += delta
      text.unsaved += delta
      wireTimer ??= run.clock.timer(wireEvery, send)
      durableTimer ??= run.clock.timer(durableEvery, saveLater)
    },
    settle: (partID) => void open.delete(partID),
    flush: save,
    stop() {
      wireTimer?.()
      durableTimer?.()
      open.clear()
    },
  }
}
