import type { Message } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { PermissionRequest } from "@cairn/schema/permission"
import type { Session } from "@cairn/schema/session"
import type { WireEvent } from "@cairn/schema/wire-event"
import type { TestSource } from "./sources.ts"

/** What a client knows: made from events alone once it has begun. It appends pieces of text where they come, as the original's clients do. */
export interface View {
  readonly sessions: Map<string, Session>
  readonly messages: Map<string, Message>
  readonly parts: Map<string, Part>
  readonly asks: Map<string, PermissionRequest>
  readonly busy: Set<string>
}

export const emptyView = (): View => ({
  ...{ sessions: new Map(), messages: new Map(), parts: new Map(), asks: new Map() },
  busy: new Set(),
})

/** Takes an event in. Says what does not fit what was told before. */
export function take(view: View, event: WireEvent): string | undefined {
  switch (event.type) {
    case "session.created":
    case "session.updated":
      view.sessions.set(event.properties.sessionID, event.properties.info)
      break
    case "session.deleted":
      forget(view, event.properties.sessionID)
      break
    case "session.status":
      if (event.properties.status.type === "idle") view.busy.delete(event.properties.sessionID)
      else view.busy.add(event.properties.sessionID)
      break
    case "message.updated":
      view.messages.set(event.properties.info.id, event.properties.info)
      break
    case "message.part.updated":
      view.parts.set(event.properties.part.id, event.properties.part)
      break
    case "message.part.delta":
      return grow(view, event.properties)
    case "permission.asked":
      view.asks.set(event.properties.id, event.properties)
      break
    case "permission.replied":
      view.asks.delete(event.properties.requestID)
      break
    default:
  }
  return undefined
}

function grow(view: View, { partID, delta, offset }: { partID: string; delta: string; offset?: number | undefined }) {
  const part = view.parts.get(partID)
  if (!part || !("text" in part)) return `a piece of ${partID}, which nobody told of`
  if (offset !== part.text.length) return `a piece at ${offset} of ${partID}, which has ${part.text.length} characters`
  view.parts.set(partID, { ...part, text: part.text + delta })
  return undefined
}

function forget(view: View, sessionID: string): void {
  view.sessions.delete(sessionID)
  view.busy.delete(sessionID)
  for (const map of [view.messages, view.parts, view.asks] as Map<string, { id: string; sessionID: string }>[])
    for (const one of [...map.values()]) if (one.sessionID === sessionID) map.delete(one.id)
}

/** What the database has of a directory, or of all; with the text that was published of open parts. */
export function projection(sources: readonly TestSource[], running: ReadonlySet<string>, directory?: string): View {
  const [reader] = sources
  if (!reader) throw new Error("no source to read from")
  const view = emptyView()
  const { read } = reader.store
  for (const session of read.sessions({})) {
    if (directory !== undefined && session.directory !== directory) continue
    view.sessions.set(session.id, session)
    if (running.has(session.id)) view.busy.add(session.id)
    for (const { info, parts } of read.messages(session.id)) {
      view.messages.set(info.id, info)
      for (const part of parts)
        view.parts.set(
          part.id,
          sources.reduce((known, { store }) => store.openParts.grown(known), part),
        )
    }
    for (const ask of read.pendingPermissions(session.id)) view.asks.set(ask.id, ask)
  }
  return view
}

/** The view as it compares. */
export const plain = (view: View) => ({
  sessions: sorted(view.sessions),
  messages: sorted(view.messages),
  parts: sorted(view.parts),
  asks: sorted(view.asks),
  busy: [...view.busy].toSorted(),
})

const sorted = <T>(map: Map<string, T>): T[] =>
  [...map.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
