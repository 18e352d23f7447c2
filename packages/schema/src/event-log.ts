import type { LogEntry } from "./event.ts"
import type { Part } from "./part.ts"

export interface EntriesWanted {
  /** At most so many. */
  readonly limit: number
  /** None after this sequence number. */
  readonly upTo?: number
  /** Without the deltas, which the text of their parts has too. */
  readonly deltas?: boolean
}

/** What other processes were doing at one moment. */
export interface Elsewhere {
  /** Sequence number of the newest entry at that moment. */
  readonly seq: number
  /** Sessions that they run. */
  readonly sessions: readonly string[]
  /** Parts of those that are not finished, with all text that is stored. */
  readonly parts: readonly Part[]
}

/** The log of a database file. Every engine on the file, also of other processes, appends to it, and sees all of it. */
export interface EventLog {
  /** Names the file: a sequence number means nothing in another one. */
  readonly id: string
  /** Sequence number of the newest entry; 0 when there is none. */
  last(): number
  /** Entries after a sequence number, oldest first. Numbers are missing where a session was deleted. */
  entries(after: number, wanted: EntriesWanted): LogEntry[]
  /** What other processes do now, from one snapshot. */
  elsewhere(): Elsewhere
  /** Calls `changed` within 250 ms after somebody else wrote to the file, and now and then for nothing. Returns how to stop. */
  watch(changed: () => void): () => void
}
