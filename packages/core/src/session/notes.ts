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
 * there. `held`: the lease of whoever runs the session; then nothing was written.
 */
export function storeNote(
  { store, clock, ids, sessionChanges }: NoteDeps,
  sessionID: string,
  admission: Admission,
  item?: InboxItem,
): { readonly held?: Lease; readonly messageID?: string } {
  let stored: { held?: Lease; messageID?: string } = {}
  store.derive(sessionID, () => {
    const held = store.leases.get(sessionID)
    if (held) stored = { held }
    if (held || (item && !store.read.inbox(sessionID).some(({ id }) => id === item.id))) return []
    const from = { sessionID, ...sessionIDs(store, ids, sessionID) }
    const { message, events } = admit(from, admission, { now: clock.now() })
    stored = { messageID: message.info.id }
    const taken = item ? [delivered(sessionID, item)] : []
    return [...taken, ...events, ...sessionChanges(sessionID, admission)]
  })
  return stored
}

/** Stores those that waited for a run to end, up to the prompt that is taken out of the inbox now. */
export function takeNotes(deps: NoteDeps, sessionID: string, until?: InboxItem): void {
  for (const item of deps.store.read.inbox(sessionID)) {
    if (item.id === until?.id) return
    if (item.noReply && !item.hold) storeNote(deps, sessionID, item, item)
  }
}
