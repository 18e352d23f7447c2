import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DurableEvent } from "@cairn/schema/event"
import { markSuspect } from "./damage.ts"
import { migrate } from "./migrate.ts"
import { migrations } from "./migrations.ts"
import { createProjector } from "./projector.ts"
import { compareSearch } from "./search-compare.ts"
import { createSearchWriter } from "./search-writer.ts"

export interface VerifyResult {
  readonly sessions: number
  readonly events: number
  /** Empty when the log is valid and every column of every row is what a replay gives. */
  readonly problems: readonly string[]
}

const projected = [
  "project",
  "session",
  "message",
  "part",
  "file_change",
  "revert",
  "turn",
  "inbox",
  "permission",
  "question",
  "todo",
  "spend",
  "tool_call",
] as const
const mostProblems = 50

/**
 * Checks the file, replays the whole log into a temporary database (on disk when it is large) and compares every row, and
 * the search index by its content.
 * Reads from one snapshot and changes nothing. A damaged page is a problem, not an exception; the file is marked then, so
 * that the next start sets it aside.
 */
export function verify(database: Database): VerifyResult {
  const problems = createProblems()
  const result = { sessions: 0, events: 0 }
  problems.catch("the file is damaged", () => {
    const check = database.query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${mostProblems})`)
    for (const { integrity_check: found } of check.all())
      if (found !== "ok") problems.add(`the file is damaged: ${found}`)
  })
  if (problems.list.length > 0) markSuspect(database.filename)
  problems.catch("the replay stopped", () => {
    database.transaction(() => {
      using scratch = openScratch()
      const replayed = scratch.database
      result.events = replay(database, replayed, problems)
      for (const table of projected) compare(table, database, replayed, problems)
      const found = compareSearch(database, replayed)
      if (found !== undefined) problems.add(found)
      result.sessions =
        database.query<{ sessions: number }, []>("SELECT count(*) AS sessions FROM session").get()?.sessions ?? 0
    })()
  })
  return { ...result, problems: problems.list }
}

/** The first fifty problems; a damaged log could have millions. */
interface Problems {
  readonly list: readonly string[]
  readonly full: boolean
  add(problem: string): void
  /** Runs `work`; what it throws becomes a problem. True when it went through. */
  catch(what: string, work: () => void): boolean
}

function createProblems(): Problems {
  const list: string[] = []
  const add = (problem: string) => void (list.length < mostProblems && list.push(problem))
  return {
    list,
    get full() {
      return list.length >= mostProblems
    },
    add,
    catch(what, work) {
      try {
        work()
        return true
      } catch (error) {
        add(`${what}: ${error instanceof Error ? error.message : String(error)}`)
        return false
      }
    },
  }
}

/** An empty database in a file of its own, since a replay may be larger than memory. Goes with its directory. */
function openScratch(): Disposable & { readonly database: Database } {
  const directory = mkdtempSync(join(tmpdir(), "cairn-verify-"))
  const database = new Database(join(directory, "replay.db"))
  database.run("PRAGMA journal_mode = OFF")
  database.run("PRAGMA synchronous = OFF")
  database.run("PRAGMA foreign_keys = ON")
  migrate(database, { migrations, now: () => 0 })
  return {
    database,
    [Symbol.dispose]() {
      database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function replay(from: Database, into: Database, problems: Problems): number {
  const project = createProjector(into)
  const words = createSearchWriter(into)
  // Of the log itself only what tells whose a number is.
  const number = into.prepare<never, [number, string]>(
    "INSERT INTO event (seq, id, session_id, time, type, properties) VALUES (?, '', ?, 0, '', '')",
  )
  const rows = from.query<LogRow, []>("SELECT seq, session_id, type, properties FROM event ORDER BY seq")
  const apply = (event: DurableEvent, row: LogRow) => {
    number.run(row.seq, row.session_id)
    words.follow(event)
    project(event, row.seq)
    words.settle()
  }
  let count = 0
  into.transaction(() => {
    for (const row of rows.iterate()) {
      count++
      const event = parse(row)
      if (typeof event === "string") problems.add(event)
      else if (!problems.catch(`event ${row.seq} cannot be replayed`, () => apply(event, row))) return
    }
  })()
  return count
}

interface LogRow {
  readonly seq: number
  readonly session_id: string
  readonly type: string
  readonly properties: string
}

function parse(row: LogRow): DurableEvent | string {
  try {
    const raw = { type: row.type, properties: JSON.parse(row.properties) as unknown }
    const checked = DurableEvent.safeParse(raw)
    // The stored text is projected, not the parsed copy: a replay must give the same bytes.
    return checked.success
      ? (raw as DurableEvent)
      : `event ${row.seq} (${row.type}): ${checked.error.issues[0]?.message}`
  } catch {
    return `event ${row.seq} (${row.type}): not JSON`
  }
}

/** Walks both tables side by side in key order, so that memory does not grow with them. */
function compare(table: string, stored: Database, replayed: Database, problems: Problems): void {
  const columns = stored.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}') WHERE pk = 1`)
  const key = columns.get()?.name ?? ""
  const rowsOf = (database: Database) => database.query<Row, []>(`SELECT * FROM ${table} ORDER BY ${key}`).iterate()
  const [left, right] = [rowsOf(stored), rowsOf(replayed)]
  try {
    for (let a = left.next(), b = right.next(); !problems.full && (!a.done || !b.done);) {
      const order = a.done ? 1 : b.done ? -1 : keyOrder(a.value[key], b.value[key])
      if (order < 0 && !a.done) problems.add(`${table} ${String(a.value[key])}: a row that the log does not give`)
      if (order > 0 && !b.done) problems.add(`${table} ${String(b.value[key])}: the row is missing`)
      if (order === 0 && !a.done && !b.done) compareRow(`${table} ${String(a.value[key])}`, a.value, b.value, problems)
      if (order <= 0) a = left.next()
      if (order >= 0) b = right.next()
    }
  } finally {
    // A statement that is left in the middle would hold its snapshot for ever.
    left.return?.()
    right.return?.()
  }
}

type Row = Record<string, unknown>

function compareRow(name: string, stored: Row, replayed: Row, problems: Problems): void {
  for (const column of Object.keys(stored))
    if (stored[column] !== replayed[column]) problems.add(`${name}: column ${column} differs from the log`)
}

/** As SQLite orders text with its binary collation, for our ASCII keys. */
const keyOrder = (a: unknown, b: unknown) => (String(a) === String(b) ? 0 : String(a) < String(b) ? -1 : 1)
