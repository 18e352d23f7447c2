import type { Database } from "bun:sqlite"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import type { EntriesWanted, EventLog } from "@cairn/schema/event-log"
import type { DurableEvent, LogEntry } from "@cairn/schema/event"
import type { Part } from "@cairn/schema/part"
import { guardAll } from "./guard.ts"
import type { Lease, Owner } from "./lease.ts"
import { isOpen } from "./open-parts.ts"
import { type PartRow, withTail } from "./read-messages.ts"

interface EventLogDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly owner: Owner
  readonly leases: () => readonly Lease[]
}

export interface EventRow {
  seq: number
  id: string
  session_id: string
  time: number
  type: DurableEvent["type"]
  properties: string
}

/** How soon a change by somebody else is noticed. ms */
const watchEvery = 250

/** Reads the log of the file as every process sees it. Statements are prepared when they are first needed: a run needs none. */
export function createEventLog(deps: EventLogDeps): EventLog & { stop(): void } {
  const { database } = deps
  const file = database.filename
  // An open part began in the turn that runs.
  const partsOfTurn = `SELECT data, tail FROM part WHERE session_id = ?1 AND seq > coalesce(
    (SELECT seq FROM event WHERE session_id = ?1 AND type = 'session.turn.started' ORDER BY seq DESC LIMIT 1), 0) ORDER BY seq`
  const openOf = (sessionID: string): Part[] =>
    database
      .query<PartRow, [string]>(partsOfTurn)
      .all(sessionID)
      .map(({ data, tail }) => withTail(JSON.parse(data) as Part, tail))
      .filter(isOpen)
  const last = () => database.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM event").get()?.seq ?? 0
  const snapshot = database.transaction(() => {
    const sessions = deps.leases().flatMap((lease) => (isSame(lease, deps.owner) ? [] : [lease.sessionID]))
    return { seq: last(), sessions, parts: sessions.flatMap(openOf) }
  })
  const born = () => database.query<{ time: number }, []>("SELECT min(time) AS time FROM migration").get()?.time ?? 0
  const reading = guardAll(file, {
    last,
    entries: (after: number, wanted: EntriesWanted) => readEntries(database, after, wanted),
    elsewhere: () => snapshot.deferred(),
    born,
    version: () => database.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version ?? 0,
  })
  let id: string | undefined
  return {
    get id() {
      return (id ??= reading.born().toString(36))
    },
    last: reading.last,
    entries: reading.entries,
    elsewhere: reading.elsewhere,
    ...createWatch(deps, reading.version),
  }
}

function readEntries(database: Database, after: number, { limit, upTo, deltas = true }: EntriesWanted): LogEntry[] {
  const query = `SELECT * FROM event WHERE seq > ? AND seq <= ? ${deltas ? "" : "AND type <> 'message.part.delta'"}
    ORDER BY seq LIMIT ?`
  const statement = database.query<EventRow, [number, number, number]>(query)
  return statement.all(after, upTo ?? Number.MAX_SAFE_INTEGER, limit).map(toEntry)
}

/** Looks at the number that SQLite changes when another connection has written; one timer for all who watch. */
function createWatch({ clock, log }: EventLogDeps, version: () => number): Pick<EventLog, "watch"> & { stop(): void } {
  const watchers = new Set<{ readonly changed: () => void }>()
  let stopTimer = () => {}
  let seen = 0
  const read = (): number => {
    try {
      return version()
    } catch (error) {
      log.error("the database could not be looked at for what others wrote", { error })
      return seen
    }
  }
  const look = () => {
    stopTimer = clock.timer(watchEvery, look)
    const now = read()
    if (now === seen) return
    seen = now
    for (const { changed } of [...watchers]) changed()
  }
  return {
    watch(changed) {
      const watcher = { changed }
      if (watchers.size === 0) {
        seen = read()
        stopTimer = clock.timer(watchEvery, look)
      }
      watchers.add(watcher)
      return () => {
        if (watchers.delete(watcher) && watchers.size === 0) stopTimer()
      }
    },
    stop() {
      watchers.clear()
      stopTimer()
    },
  }
}

export function toEntry(row: EventRow): LogEntry {
  const event = { type: row.type, properties: JSON.parse(row.properties) } as DurableEvent
  return { seq: row.seq, id: row.id, sessionID: row.session_id, time: row.time, event }
}

const isSame = (lease: Lease, owner: Owner): boolean =>
  lease.pid === owner.pid &&
  lease.started === owner.started &&
  lease.boot === owner.boot &&
  lease.namespace === owner.namespace
