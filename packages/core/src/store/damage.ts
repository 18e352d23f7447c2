import { Database, constants } from "bun:sqlite"
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { copyTables, isJson, isOwn, tablesOf } from "./mend.ts"
import { codeOf, isDamage } from "./trouble.ts"

/** How long to wait for others to let go of a file that may be set aside, in ms. */
const patience = 500

const markOf = (file: string) => `${file}.suspect`
const copyOf = (file: string) => `${file}.mended`

/** Leaves an empty `<file>.suspect` (0600), so that the next start checks the whole file. False where that cannot be written. */
export function markSuspect(file: string): boolean {
  if (file === ":memory:") return false
  try {
    closeSync(openSync(markOf(file), "a", 0o600))
    return true
  } catch {
    return false // a full disk: the message says what to do by hand
  }
}

export const isSuspect = (file: string): boolean => file !== ":memory:" && existsSync(markOf(file))

/**
 * What was found: nothing wrong, damage (the file has the new name now), damage that no table of ours has (the same, and
 * a fresh file with all of them in its place), or damage in a file that another process uses.
 */
export type Examined =
  | { readonly is: "sound" }
  | { readonly is: "used" }
  | { readonly is: "damaged" | "mended"; readonly aside: string }

/**
 * Checks every page and row, and renames a damaged file, with its log, to `<file>.damaged-<time>`. The check keeps others
 * out: a process that has the file open would go on with the new one's log. Runs under the file lock. Reads all of the file.
 */
export function examine(file: string, now: number): Examined {
  let aside: string | undefined
  let mended = false
  try {
    if (!existsSync(file) && existsSync(copyOf(file))) renameSync(copyOf(file), file) // a mending was cut short
    refuseEmptied(file)
    using database = new Database(file, { readwrite: true })
    database.run(`PRAGMA busy_timeout = ${patience}`)
    database.run("PRAGMA locking_mode = EXCLUSIVE")
    // Closing must not delete what has the log's name by then.
    database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1)
    if (!isWhole(database)) {
      const copy = copyTables(database, copyOf(file))
      if (copy !== undefined) markSuspect(file)
      aside = setAside(file, now)
      if (copy !== undefined) renameSync(copy, file)
      mended = copy !== undefined
    }
  } catch (error) {
    if (codeOf(error)?.startsWith("SQLITE_BUSY")) return { is: "used" }
    if (!isDamage(error)) throw error
    aside = setAside(file, now)
  }
  // Also what is gone was suspected once; the mark goes last, so that a check that is cut short is done again.
  rmSync(markOf(file), { force: true })
  return aside === undefined ? { is: "sound" } : { is: mended ? "mended" : "damaged", aside }
}

/** SQLite takes an empty file for a new one and deletes the write-ahead log beside it, which may be all that is left. */
export function refuseEmptied(file: string): void {
  // In this order: another process that creates the file writes its first page before it writes the log.
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const main = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (log > 0 && main === 0)
    throw Object.assign(new Error("the file is empty but its write-ahead log is not"), { code: "SQLITE_CORRUPT" })
}

interface Shape {
  readonly type: "table" | "index"
  readonly name: string
  readonly table: string
  readonly column: string | null
  readonly sql: string | null
}

/**
 * Reads the last entry of every table and index, which is where the next one goes. Throws SQLITE_CORRUPT where the root
 * page, or the way from it, is damaged. Costs less than a millisecond, however large the file is.
 */
export function look(database: Database): void {
  const shapes = database.query<Shape, []>(
    `SELECT type, name, tbl_name AS "table", sql, (SELECT name FROM pragma_index_info(s.name) LIMIT 1) AS "column"
     FROM sqlite_schema s WHERE rootpage > 0`,
  )
  for (const { type, name, table, column, sql } of shapes.all()) {
    if (!isOwn(table)) continue
    const condition = /\sWHERE\s.*$/s.exec(sql ?? "")?.[0] ?? ""
    const query =
      type === "table"
        ? `SELECT * FROM "${name}" ORDER BY rowid DESC LIMIT 1`
        : `SELECT "${column}" FROM "${table}" INDEXED BY "${name}"${condition} ORDER BY "${column}" DESC LIMIT 1`
    using statement = database.prepare(query)
    statement.get()
  }
}

/** Damage of the search index makes the check of everything throw. */
function isWhole(database: Database): boolean {
  try {
    const found = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()
    return found?.integrity_check === "ok" && tablesOf(database).every((table) => isJson(database, table))
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, "-")
  let aside = `${file}.damaged-${stamp}`
  for (let n = 2; existsSync(aside); n++) aside = `${file}.damaged-${stamp}-${n}`
  // The check itself leaves an empty log, which nobody misses.
  if (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size === 0) rmSync(`${file}-wal`)
  // The log first: beside a fresh file, SQLite would delete it.
  for (const suffix of ["-wal", "-shm", ""]) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
  return aside
}
