import type { BusEvent } from "@cairn/schema/event"
import type { Part } from "@cairn/schema/part"

/** What the turns of this process have begun and not finished, as the listeners of the bus have seen it. */
export interface OpenParts {
  /** In the order in which they began; of every session when none is named. */
  of(sessionID?: string): Part[]
  /** The part with the text that was published of it, when that is more. */
  grown(part: Part): Part
  /** Takes every event of the bus, before any other listener. */
  follow(event: BusEvent): void
}

export function createOpenParts(): OpenParts {
  const sessions = new Map<string, Map<string, Part>>()
  const grow = (sessionID: string, partID: string, delta: string) => {
    const part = sessions.get(sessionID)?.get(partID)
    if (part && "text" in part) sessions.get(sessionID)?.set(partID, { ...part, text: part.text + delta })
  }
  const put = (sessionID: string, part: Part) => {
    if (isOpen(part)) sessions.get(sessionID)?.set(part.id, part)
    else sessions.get(sessionID)?.delete(part.id)
  }
  return {
    of(sessionID) {
      const parts = sessionID === undefined ? [...sessions.values()] : [sessions.get(sessionID) ?? new Map()]
      return parts.flatMap((open) => [...open.values()])
    },
    grown(part) {
      const open = sessions.get(part.sessionID)?.get(part.id)
      if (!open || !("text" in open) || !("text" in part) || open.text.length <= part.text.length) return part
      return { ...part, text: open.text }
    },
    follow(event) {
      switch (event.type) {
        case "session.turn.started":
          return void sessions.set(event.properties.sessionID, new Map())
        case "session.turn.ended":
        case "session.deleted":
          return void sessions.delete(event.properties.sessionID)
        case "message.part.updated":
          return put(event.properties.sessionID, event.properties.part)
        case "message.part.delta":
          // What is stored of it was published before, or will be.
          if (event.seq !== undefined || event.properties.field !== "text") return
          return grow(event.properties.sessionID, event.properties.partID, event.properties.delta)
        case "message.part.removed":
          return void sessions.get(event.properties.sessionID)?.delete(event.properties.partID)
        case "message.removed": {
          const open = sessions.get(event.properties.sessionID)
          for (const part of open?.values() ?? [])
            if (part.messageID === event.properties.messageID) open?.delete(part.id)
          return
        }
        default:
      }
    },
  }
}

/** Something is still to come: text, or the end of a call. */
export function isOpen(part: Part): boolean {
  if (part.type === "tool") return part.state.status === "pending" || part.state.status === "running"
  if (part.type !== "text" && part.type !== "reasoning") return false
  return part.time !== undefined && part.time.end === undefined
}
