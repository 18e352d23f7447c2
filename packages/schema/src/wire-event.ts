import { z } from "zod"
import { DurableEvent, TransientEvent } from "./event.ts"
import { EventID, SessionID } from "./id.ts"
import { Part } from "./part.ts"
import { TuiEvent } from "./tui.ts"
import { SnapshotFileDiff } from "./session.ts"

const event = <T extends string, P extends z.ZodRawShape>(type: T, properties: P) =>
  z.object({ type: z.literal(type), properties: z.object(properties) })

/** What the server itself tells. Of these, `server.stream.ended` is ours alone, and `resync`. */
export const ServerEvent = z.discriminatedUnion("type", [
  /** The first of a stream. `resync`: where the stream should have gone on is not known here, so all that was read is to be read again. */
  event("server.connected", { resync: z.literal(true).optional() }),
  event("server.heartbeat", {}),
  /** The last of a stream that the server ends: the client took nothing for too long, or the server stops. */
  event("server.stream.ended", { reason: z.enum(["slow", "stopped"]), message: z.string() }),
  event("server.instance.disposed", { directory: z.string() }),
  /** What the session changed in files, all in all. */
  event("session.diff", { sessionID: SessionID, diff: z.array(SnapshotFileDiff) }),
  /** A part that is open, as it is when a stream begins or goes on. */
  event("message.part.updated", { sessionID: SessionID, part: Part, time: z.number().int() }),
])
export type ServerEvent = z.infer<typeof ServerEvent>

const id = z.object({ id: EventID })

/** What one event of `GET /event` holds. */
export const WireEvent = z.union([DurableEvent, TransientEvent, ServerEvent, TuiEvent]).and(id)
export type WireEvent = { readonly id: string } & Happening
/** The same without an id. */
export type Happening = DurableEvent | TransientEvent | ServerEvent | TuiEvent

/** What one event of `GET /global/event` holds. Without `directory`: it is about none. */
export const GlobalWireEvent = z.object({
  directory: z.string().optional(),
  project: z.string().optional(),
  payload: WireEvent,
})
export type GlobalWireEvent = z.infer<typeof GlobalWireEvent>
