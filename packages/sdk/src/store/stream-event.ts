import type { DurableEvent, TransientEvent } from "@cairn/schema/event"
import type { Part } from "@cairn/schema/part"

/**
 * The stream begins, or begins again. `resync`: something may have been missed since the last event, so that what was
 * read before has to be read again. Otherwise the stream goes on exactly where it broke off.
 */
export interface Connected {
  readonly type: "server.connected"
  readonly properties: { readonly resync: boolean }
}

/** An open part as it is when the stream goes on: a copy, which stands in no log. */
interface PartCopy {
  readonly type: "message.part.updated"
  readonly properties: { readonly sessionID: string; readonly part: Part; readonly time: number }
}

/**
 * What a stream of events brings. With `seq` it is an entry of the log, and comes in the log's order; without it, it is
 * transient, or the copy of something durable that is sent again (an ask that waits, an open part).
 */
export type StreamEvent =
  | Connected
  | ({ readonly id?: string | undefined; readonly seq?: number | undefined } & (
      | DurableEvent
      | TransientEvent
      | PartCopy
    ))

/** The session that an event is about; undefined when it is about none. */
export function sessionOf(event: StreamEvent): string | undefined {
  return "sessionID" in event.properties ? event.properties.sessionID : undefined
}
