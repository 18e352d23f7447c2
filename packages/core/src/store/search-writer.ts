import type { Database, Statement } from "bun:sqlite"
import type { DurableEvent } from "@cairn/schema/event"
import type { Part } from "@cairn/schema/part"
import { codeOf, isDamage } from "./trouble.ts"
import { type Searchable, fold, piecesIn, searchableIn } from "./search-text.ts"

/** To be raised when `search-text.ts` gives other words for the same part: the index is built anew then. */
const version = 1

/** The table of FTS5, beside which it keeps four of its own. It holds no text, only where each word stands. */
export const searchTable = "search_words"

/** What may be the index's fault: damage, or an SQLite that lacks what the index is made of. */
export const isOfIndex = (error: unknown): boolean => isDamage(error) || codeOf(error) === "SQLITE_ERROR"

const definition = `CREATE VIRTUAL TABLE ${searchTable} USING fts5(
  said, thought, done, pieces, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2")`

interface Batch {
  readonly parts: number
  readonly characters: number
  readonly events: number
}

/** What makes an append take parts into the index, and about how many one transaction takes. */
const batch: Batch = { parts: 64, characters: 128_000, events: 10_000 }
const largeBatch: Batch = { parts: 2_000, characters: 1_000_000, events: 100_000 }

/**
 * Keeps the words of parts in step with the log, inside the transactions of the store. Parts go into the index together,
 * at the end of a turn or when enough wait: writing one alone costs more than its words. Up to where they are in it is
 * stored (`ceiling`), so what waits is never forgotten. A part's place in the index is the sequence number of the event
 * that created it. Nothing of the index is prepared before it is needed: a damaged one must not keep a store from opening.
 */
export interface SearchWriter {
  /** Called for each event before it is projected: the rows still say what is about to go. */
  follow(event: DurableEvent): void
  /** Called when the events of a transaction are projected. */
  settle(): void
  /** Takes a large batch of what waits into the index. Does nothing while it is damaged. */
  fill(): void
  /** Begins a new index, for which every part waits. */
  reset(): void
  /** From now on the index is not touched, until `reset`. */
  giveUp(): void
}

/** `ceiling` as in the schema; `waiting` is 0 when everything is in the index, and else about as much as there is to do. */
export type SearchState =
  | { readonly is: "kept"; readonly ceiling: number; readonly waiting: number }
  | { readonly is: "damaged" | "absent" }

/** Reads what the index is. */
export function searchState(database: Database): SearchState {
  const row = database
    .query<StateRow & { last: number | null; pending: number }, []>(
      `SELECT version, damaged, ceiling, (SELECT max(seq) FROM event) AS last,
         (SELECT count(*) FROM search_pending) AS pending FROM search WHERE id = 1`,
    )
    .get()
  if (row?.version !== version) return { is: "absent" }
  if (row.damaged) return { is: "damaged" }
  const { ceiling, last, pending } = row
  return { is: "kept", ceiling, waiting: Math.max(0, (last ?? 0) + 1 - ceiling) + pending }
}

interface StateRow {
  readonly version: number
  readonly damaged: number
  readonly ceiling: number
}

type Value = string | number | null

/** Statements by their text, each prepared when it is first needed. */
function lazily(database: Database): (sql: string) => Statement<unknown, Value[]> {
  const prepared = new Map<string, Statement<unknown, Value[]>>()
  return (sql) => {
    const known = prepared.get(sql) ?? database.prepare<unknown, Value[]>(sql)
    prepared.set(sql, known)
    return known
  }
}

export function createSearchWriter(database: Database): SearchWriter {
  const statement = lazily(database)
  const run = (sql: string, ...values: Value[]) => void statement(sql).run(...values)
  let waiting = { parts: 0, characters: 0 }

  const setState = (damaged: boolean, ceiling: number) =>
    run(
      "INSERT OR REPLACE INTO search (id, version, damaged, ceiling) VALUES (1, ?, ?, ?)",
      ...[version, Number(damaged), ceiling],
    )
  const reset = () => {
    run(`DROP TABLE IF EXISTS ${searchTable}`)
    run(definition)
    run("DELETE FROM search_pending")
    setState(false, 1)
  }
  const add = (seq: number, words: Searchable | undefined) => {
    if (!words) return
    const text = fold(words.text)
    run(`INSERT INTO ${searchTable} (rowid, ${words.column}, pieces) VALUES (?, ?, ?)`, seq, text, piecesIn(text))
  }
  const take = (most: Batch) => {
    waiting = { parts: 0, characters: 0 }
    if (searchState(database).is === "absent") reset()
    const state = searchState(database)
    if (state.is !== "kept" || state.waiting === 0) return
    // What was changed comes first: the engine writes what it has gathered whenever a number is less than the one before.
    for (const { seq, words } of changedParts(database, most)) {
      run(`DELETE FROM ${searchTable} WHERE rowid = ?`, seq)
      add(seq, words)
      run("DELETE FROM search_pending WHERE seq = ?", seq)
    }
    const { parts, end } = partsFrom(database, state.ceiling, most)
    for (const { seq, words } of parts) add(seq, words)
    setState(false, end)
  }
  const put = (part: Part) => {
    const words = searchableIn(part)
    if (words) {
      waiting.parts++
      waiting.characters += words.text.length
    }
    const row = statement(
      `SELECT (SELECT seq FROM part WHERE id = ? AND session_id = ?) AS seq, version, ceiling FROM search WHERE id = 1`,
    ).get(part.id, part.sessionID) as { seq: number | null; version: number; ceiling: number } | null
    if (!row || row.seq === null || row.version !== version || row.seq >= row.ceiling) return
    if (words && isPruned(part) && isStored(part, words)) return
    run("INSERT OR IGNORE INTO search_pending VALUES (?)", row.seq)
  }
  /** Pruning marks many large parts at once and changes no word of them. */
  const isStored = (part: Part, words: Searchable) => {
    const row = statement("SELECT data FROM part WHERE id = ?").get(part.id) as { data: string } | null
    return row !== null && wordsIn(row.data)?.text === words.text
  }
  const remove = (where: string, ...values: string[]) => {
    const state = searchState(database)
    if (state.is !== "kept") return
    const parts = `SELECT seq FROM part WHERE ${where} AND seq < ?`
    run(`DELETE FROM search_pending WHERE seq IN (${parts})`, ...values, state.ceiling)
    run(`DELETE FROM ${searchTable} WHERE rowid IN (${parts})`, ...values, state.ceiling)
  }
  return {
    follow({ type, properties }) {
      if (type === "message.part.updated") put(properties.part)
      else if (type === "message.part.removed")
        remove("id = ? AND session_id = ?", properties.partID, properties.sessionID)
      else if (type === "message.removed")
        remove("message_id = ? AND session_id = ?", properties.messageID, properties.sessionID)
      else if (type === "session.deleted") remove("session_id = ?", properties.sessionID)
      else if (type === "session.turn.ended" && waiting.parts > 0) waiting.parts = batch.parts
    },
    settle() {
      if (waiting.parts >= batch.parts || waiting.characters >= batch.characters) take(batch)
    },
    fill: () => take(largeBatch),
    reset,
    giveUp: () => setState(true, 1),
  }
}

const isPruned = (part: Part): boolean =>
  part.type === "tool" && part.state.status === "completed" && part.state.time.compacted !== undefined

interface Found {
  readonly seq: number
  /** Absent for a part that is gone, or has none. */
  readonly words: Searchable | undefined
}

/** Parts below the ceiling that have changed, in the order of the log. */
function changedParts(database: Database, most: Batch): Found[] {
  const rows = database.query<{ seq: number; data: string | null }, [number]>(
    `SELECT search_pending.seq, part.data
     FROM search_pending LEFT JOIN event ON event.seq = search_pending.seq
       LEFT JOIN part ON part.session_id = event.session_id AND part.seq = search_pending.seq
     ORDER BY search_pending.seq LIMIT ?`,
  )
  const parts: Found[] = []
  let characters = 0
  for (const { seq, data } of rows.iterate(most.parts)) {
    const words = data === null ? undefined : wordsIn(data)
    parts.push({ seq, words })
    characters += words?.text.length ?? 0
    if (characters >= most.characters) break
  }
  return parts
}

/** The next parts from the ceiling on that have words, and the number below which these are all. */
function partsFrom(database: Database, ceiling: number, most: Batch): { parts: Found[]; end: number } {
  const range = database.query<{ last: number | null }, []>("SELECT max(seq) AS last FROM event")
  const end = Math.min(ceiling + most.events, (range.get()?.last ?? 0) + 1)
  const rows = database.query<{ seq: number; data: string }, [number, number]>(
    `SELECT event.seq, part.data
     FROM event CROSS JOIN part ON part.session_id = event.session_id AND part.seq = event.seq
     WHERE event.seq >= ? AND event.seq < ? ORDER BY event.seq`,
  )
  const parts: Found[] = []
  let characters = 0
  for (const { seq, data } of rows.iterate(ceiling, end)) {
    const words = wordsIn(data)
    if (!words) continue
    parts.push({ seq, words })
    characters += words.text.length
    if (parts.length >= most.parts || characters >= most.characters) return { parts, end: seq + 1 }
  }
  return { parts, end }
}

/** Of a row that is damaged, nothing: whoever reads it will say so. */
function wordsIn(data: string): Searchable | undefined {
  try {
    return searchableIn(JSON.parse(data) as Part)
  } catch {
    return undefined
  }
}
