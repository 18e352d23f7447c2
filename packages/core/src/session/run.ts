import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import type { TaskGroup } from "@cairn/kernel/task"
import type { DurableEvent, TransientEvent } from "@cairn/schema/event"
import type { Store } from "../store/store.ts"

/** One turn of one session while it runs: the lease it holds, its signal, and the only way it may write. */
export interface Run {
  readonly sessionID: string
  readonly runID: string
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Appends in one transaction. Throws `LeaseLost` when another process took the session over. */
  write(...events: DurableEvent[]): void
  /** `write` of what is made of the rows as they are, with no other process in between. */
  derive(events: () => readonly DurableEvent[]): void
  /** Appends the run's last events and gives the session back, in one tick: the next prompt finds it idle. */
  end(...events: DurableEvent[]): void
  publish(event: TransientEvent): void
  /** Ids greater than every id of their kind in the session: the one that a client wants, if it is. */
  messageID(wanted?: string): string
  partID(): string
}

/** Ids of one session that ascend past what is stored, whatever the clock says. */
export function sessionIDs(store: Store, ids: Ids, sessionID: string): Pick<Run, "messageID" | "partID"> {
  const last = store.read.lastIDs(sessionID)
  return {
    messageID: (wanted) => {
      const fits = wanted !== undefined && (last.message === undefined || wanted > last.message)
      return (last.message = fits ? wanted : ids.next("message", last.message))
    },
    partID: () => (last.part = ids.next("part", last.part)),
  }
}

/** A run of the session that can be interrupted by its group. It does not hold the session yet. */
export function createRun(
  { store, ids, clock }: { readonly store: Store; readonly ids: Ids; readonly clock: Clock },
  sessionID: string,
  group: TaskGroup,
): Run {
  const runID = ids.next("run")
  return {
    sessionID,
    runID,
    signal: group.signal,
    clock,
    write: (...events) => void store.append(sessionID, events, runID),
    derive: (events) => void store.derive(sessionID, events, runID),
    end: (...events) => void store.end(sessionID, runID, events),
    publish: (event) => store.publish(event),
    ...sessionIDs(store, ids, sessionID),
  }
}
