import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import type { DurableEvent } from "@cairn/schema/event"
import type { InboxItem } from "@cairn/schema/prompt"
import type { Lease } from "../store/lease.ts"
import type { Store } from "../store/store.ts"
import { type Admission, admit, delivered } from "./admit.ts"
import { sessionIDs } from "./run.ts"

export interface NoteDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  /** Changes of the session that come with a prompt. */
  sessionChanges(sessionID: string, admission: Admission): readonly DurableEvent[]
}

/**
 * Stores a prompt that nobody answers as a user message. With `item` it comes out of the inbox, unless it is gone from
 * there. The lease of whoever runs the session: then nothing was written.
 */
export function storeNote(
  { store, clock, ids, sessionChanges }: NoteDeps,
  sessionID: string,
  admission: Admission,
  item?: InboxItem,
): Lease | undefined {
  let held: Lease | undefined
  store.derive(sessionID, () => {
    held = store.leases.get(sessionID)
    if (held || (item && !store.read.inbox(sessionID).some(({ id }) => id === item.id))) return []
    const from = { sessionID, ...sessionIDs(store, ids, sessionID) }
    const { events } = admit(from, admission, { now: clock.now() })
    const taken = item ? [delivered(sessionID, item)] : []
    return [...taken, ...events, ...sessionChanges(sessionID, admission)]
  })
  return held
}

/** Stores those that waited for a run to end, up to the prompt that is taken out of the inbox now. */
export function takeNotes(deps: NoteDeps, sessionID: string, until?: InboxItem): void {
  for (const item of deps.store.read.inbox(sessionID)) {
    if (item.id === until?.id) return
    if (item.noReply && !item.hold) storeNote(deps, sessionID, item, item)
  }
}
