import type { Database } from "bun:sqlite"
import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import type { Log } from "@cairn/kernel/log"
import type { BusEvent, DurableEvent, LogEntry, TransientEvent } from "@cairn/schema/event"
import type { EventLog } from "@cairn/schema/event-log"
import { type Listener, createBus } from "./bus.ts"
import { type EventRow, createEventLog, toEntry } from "./event-log.ts"
import { type Lease, LeaseLost, type Leases, type Owner, createLeases, isDead } from "./lease.ts"
import { type OpenParts, createOpenParts } from "./open-parts.ts"
import { createProjector } from "./projector.ts"
import { type Reader, createReader } from "./read.ts"
import { guardAll, guarded } from "./guard.ts"
import { type SearchStore, blamed, createSearchStore } from "./search-store.ts"
import { createSearchWriter } from "./search-writer.ts"
import { prepareLater } from "./statement.ts"

/**
 * The only writer of durable state. `append` takes an immediate transaction, assigns sequence numbers, runs the
 * projectors, commits, and then publishes to the bus. All methods are synchronous and cannot be interrupted.
 * What throws has written and published nothing: `LeaseLost`, `StoreFailed` (the disk), or a defect in the events.
 */
export interface Store {
  readonly read: Reader
  readonly search: SearchStore
  /**
   * Appends events of one session (or project): `owner` is its id, and every event must name it. With `runID`, throws
   * `LeaseLost` unless that run owns the session. `session.deleted` takes the lease from whoever holds it.
   */
  append(owner: string, events: readonly DurableEvent[], runID?: string): LogEntry[]
  /** `append` of what `derive` makes of the rows, read within the transaction: no other process changes them in between. */
  derive(owner: string, derive: () => readonly DurableEvent[], runID?: string): LogEntry[]
  /** Takes the session's lease and appends in one transaction. A living owner elsewhere is returned, and nothing is written. */
  begin(sessionID: string, runID: string, events: readonly DurableEvent[]): Lease | undefined
  /** Appends the last events of a run and gives its lease back, in one transaction. */
  end(sessionID: string, runID: string, events: readonly DurableEvent[]): LogEntry[]
  /**
   * Closes a run whose owner is dead with the events that `close` derives from the rows, in one transaction.
   * Undefined when the owner lives or somebody else was faster.
   */
  recover(sessionID: string, close: (lease: Lease) => readonly DurableEvent[]): LogEntry[] | undefined
  readonly leases: Pick<Leases, "get" | "all" | "beat">
  /** Log entries after a sequence number, oldest first, at most `limit`. */
  cursor(after: number, options?: { sessionID?: string; limit?: number }): LogEntry[]
  /** The log as all processes on the file see it. */
  readonly log: EventLog
  readonly openParts: Pick<OpenParts, "of" | "grown">
  publish(event: TransientEvent): void
  subscribe(listener: Listener): () => void
  /** `subscribe`, and every other entry that this store appends: the deltas, which were published before they are stored. */
  follow(listener: Listener): () => void
  close(): void
}

export interface StoreOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly owner: Owner
}

export function createStore({ database, clock, ids, log, owner }: StoreOptions): Store {
  const project = createProjector(database)
  const words = createSearchWriter(database)
  const leases = createLeases(database)
  const bus = createBus(log)
  const openParts = createOpenParts()
  bus.subscribe((event) => openParts.follow(event))
  const eventLog = createEventLog({ database, clock, log, owner, leases: leases.all })
  const insert = prepareLater<{ seq: number }, [string, string, number, string, string]>(
    database,
    "INSERT INTO event (id, session_id, time, type, properties) VALUES (?, ?, ?, ?, ?) RETURNING seq",
  )
  const after = prepareLater<EventRow, [number, number]>(
    database,
    "SELECT * FROM event WHERE seq > ? ORDER BY seq LIMIT ?",
  )
  const afterOf = prepareLater<EventRow, [string, number, number]>(
    database,
    "SELECT * FROM event WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?",
  )

  const write = (sessionID: string, events: readonly DurableEvent[]): LogEntry[] => {
    const entries = events.map((event) => {
      for (const named of namedBy(event))
        if (named !== sessionID)
          throw new Error(`an event (${event.type}) of ${named} cannot be appended to ${sessionID}`)
      const id = ids.next("event")
      const time = clock.now()
      const row = insert.get(id, sessionID, time, event.type, JSON.stringify(event.properties))
      if (row === null) throw new Error("the log gave no sequence number")
      words.follow(event)
      project(event, row.seq)
      if (event.type === "session.deleted") leases.drop(sessionID)
      return { seq: row.seq, id, sessionID, time, event }
    })
    words.settle()
    return entries
  }
  // Made once: making it costs as much as a small transaction.
  const transaction = database.transaction((work: () => unknown) => work())
  const search = {
    ...{ database, log, writer: words },
    transact: (work: () => unknown) => transaction.immediate(work),
  }
  const transact = <T>(work: () => T): T => {
    // Inside of another transaction this would publish what may still be rolled back.
    if (database.inTransaction) throw new Error("the store cannot be written from within one of its transactions")
    return guarded(database.filename, "written", () => blamed(search, work))
  }
  const announce = (entries: readonly LogEntry[]): void =>
    bus.publish(entries.map(({ seq, id, event }): BusEvent => ({ id, seq, ...event })))
  const committed = (entries: LogEntry[]): LogEntry[] => {
    announce(entries)
    return entries
  }

  const derive: Store["derive"] = (sessionID, make, runID) =>
    committed(
      transact(() => {
        if (runID !== undefined && !leases.holds(sessionID, runID)) throw new LeaseLost(sessionID)
        return write(sessionID, make())
      }),
    )

  return {
    read: guardAll(database.filename, createReader(database)),
    search: createSearchStore(search),
    append: (sessionID, events, runID) => derive(sessionID, () => events, runID),
    derive,
    begin(sessionID, runID, events) {
      const outcome = transact(() => {
        const held = leases.get(sessionID)
        if (held !== undefined) return { held, entries: [] }
        leases.put(sessionID, runID, owner, clock.now())
        return { held, entries: write(sessionID, events) }
      })
      announce(outcome.entries)
      return outcome.held
    },
    end: (sessionID, runID, events) =>
      committed(
        transact(() => {
          if (!leases.holds(sessionID, runID)) throw new LeaseLost(sessionID)
          const entries = write(sessionID, events)
          leases.release(sessionID, runID)
          return entries
        }),
      ),
    recover(sessionID, close) {
      const entries = transact(() => {
        const held = leases.get(sessionID)
        if (held === undefined || !isDead(held, owner, clock.now())) return undefined
        const written = write(sessionID, close(held))
        leases.release(sessionID, held.runID)
        return written
      })
      return entries && committed(entries)
    },
    leases: guardAll(database.filename, { get: leases.get, all: leases.all, beat: leases.beat }),
    cursor: (seq, { sessionID, limit = 1_000 } = {}) =>
      guarded(database.filename, "read", () => {
        const rows = sessionID === undefined ? after.all(seq, limit) : afterOf.all(sessionID, seq, limit)
        return rows.map(toEntry)
      }),
    log: eventLog,
    openParts,
    publish: (event) => bus.publish([{ id: ids.next("event"), ...event }]),
    subscribe: (listener) =>
      bus.subscribe((event) => {
        if (event.type !== "message.part.delta" || event.seq === undefined) listener(event)
      }),
    follow: (listener) => bus.subscribe(listener),
    close() {
      eventLog.stop()
      database.close()
    },
  }
}

/** Every session (or project) that an event says it belongs to. */
function namedBy({ type, properties }: DurableEvent): readonly string[] {
  if (type === "project.updated") return [properties.id]
  if ("part" in properties) return [properties.sessionID, properties.part.sessionID]
  if (!("info" in properties)) return [properties.sessionID]
  return [properties.sessionID, "role" in properties.info ? properties.info.sessionID : properties.info.id]
}
