import { Database } from "bun:sqlite"
import { DurableEvent } from "@cairn/schema/event"
import { migrate } from "./migrate.ts"
import { migrations } from "./migrations.ts"
import { createProjector } from "./projector.ts"

export interface VerifyResult {
  readonly sessions: number
  readonly events: number
  /** Empty when the log is valid and every column of every row is what a replay gives. */
  readonly problems: readonly string[]
}

const projected = ["project", "session", "message", "part", "turn", "inbox", "permission", "question", "todo"] as const
const mostProblems = 50

/** Replays the whole log into a fresh database and compares every row. Reads from one snapshot and changes nothing. */
export function verify(database: Database): VerifyResult {
  return database.transaction(() => {
    const problems: string[] = []
    using replayed = new Database(":memory:")
    replayed.run("PRAGMA foreign_keys = ON")
    migrate(replayed, ":memory:", migrations, () => 0)
    const events = replay(database, replayed, problems)
    for (const table of projected) compare(table, database, replayed, problems)
    const { sessions } = database.query<{ sessions: number }, []>("SELECT count(*) AS sessions FROM session").get() ?? { sessions: 0 }
    return { sessions, events, problems: problems.slice(0, mostProblems) }
  })()
}

function replay(from: Database, into: Database, problems: string[]): number {
  const project = createProjector(into)
  let count = 0
  const apply = into.transaction(() => {
    const rows = from.query<{ seq: number; type: string; properties: string }, []>("SELECT seq, type, properties FROM event ORDER BY seq")
    for (const row of rows.iterate()) {
      count++
      const event = parse(row)
      if (typeof event === "string") problems.push(event)
      else if (!attempt(() => project(event, row.seq), row.seq, problems)) return
    }
  })
  apply()
  return count
}

function parse(row: { seq: number; type: string; properties: string }): DurableEvent | string {
  try {
    const raw = { type: row.type, properties: JSON.parse(row.properties) as unknown }
    const checked = DurableEvent.safeParse(raw)
    // The stored text is projected, not the parsed copy: a replay must give the same bytes.
    return checked.success ? (raw as DurableEvent) : `event ${row.seq} (${row.type}): ${checked.error.issues[0]?.message}`
  } catch {
    return `event ${row.seq} (${row.type}): not JSON`
  }
}

function attempt(work: () => void, seq: number, problems: string[]): boolean {
  try {
    work()
    return true
  } catch (error) {
    problems.push(`event ${seq} cannot be replayed: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

function compare(table: string, stored: Database, replayed: Database, problems: string[]): void {
  const key = stored.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}') WHERE pk = 1`).get()?.name
  const all = (database: Database) =>
    database.query<Record<string, unknown>, []>(`SELECT * FROM ${table} ORDER BY ${key}`).iterate()[Symbol.iterator]()
  const left = all(stored)
  const right = all(replayed)
  for (let a = left.next(), b = right.next(); !a.done || !b.done; ) {
    if (problems.length >= mostProblems) return
    const order = a.done ? 1 : b.done ? -1 : keyOrder(a.value[key ?? ""], b.value[key ?? ""])
    if (order < 0 && !a.done) problems.push(`${table} ${String(a.value[key ?? ""])}: a row that the log does not give`)
    if (order > 0 && !b.done) problems.push(`${table} ${String(b.value[key ?? ""])}: the row is missing`)
    if (order === 0 && !a.done && !b.done) compareRow(table, key ?? "", a.value, b.value, problems)
    if (order <= 0) a = left.next()
    if (order >= 0) b = right.next()
  }
}

function compareRow(table: string, key: string, stored: Record<string, unknown>, replayed: Record<string, unknown>, problems: string[]): void {
  for (const column of Object.keys(stored))
    if (stored[column] !== replayed[column]) problems.push(`${table} ${String(stored[key])}: column ${column} differs from the log`)
}

/** As SQLite orders text with its binary collation, for our ASCII keys. */
const keyOrder = (a: unknown, b: unknown) => (String(a) === String(b) ? 0 : String(a) < String(b) ? -1 : 1)
