import type { Engine } from "@cairn/schema/engine"
import type { DurableEvent, LogEntry } from "@cairn/schema/event"
import type { Happening, WireEvent } from "@cairn/schema/wire-event"

/** The rows of the database, as they are now. */
export type Rows = Pick<Engine, "session" | "message">

/**
 * What clients are told beside an entry of the log, and before it, so that whoever has the entry has all of it: what a
 * session does, which its process only publishes, and rows that the entry changed without a word of them.
 */
export function followUps({ id, event }: Pick<LogEntry, "id" | "event">, rows: Rows): WireEvent[] {
  // Made from the id of the entry: the same each time the entry is told.
  return happenings(event, rows).map((one, place) => ({ id: `${id}${String.fromCodePoint(97 + place)}`, ...one }))
}

function happenings(event: DurableEvent, rows: Rows): Happening[] {
  switch (event.type) {
    case "session.turn.started":
    case "session.revert.begun":
      return [busy(event.properties.sessionID)]
    case "session.turn.ended":
    case "session.revert.ended":
      return idle(event.properties.sessionID)
    case "session.step.changed":
      return changed(event.properties, rows)
    default:
      return []
  }
}

export const busy = (sessionID: string): Happening => ({
  type: "session.status",
  properties: { sessionID, status: { type: "busy" } },
})

const idle = (sessionID: string): Happening[] => [
  { type: "session.status", properties: { sessionID, status: { type: "idle" } } },
  { type: "session.idle", properties: { sessionID } },
]

/** The summaries of the session and of the prompt that the step answered. */
function changed({ sessionID, parentID }: { sessionID: string; parentID: string }, rows: Rows): Happening[] {
  const session = rows.session(sessionID)
  const message = rows.message(sessionID, parentID)
  return [
    ...(session ? [{ type: "session.updated", properties: { sessionID, info: session } } as const] : []),
    ...(message ? [{ type: "message.updated", properties: { sessionID, info: message.info } } as const] : []),
  ]
}
