import { Database, type SQLQueryBindings } from "bun:sqlite"
import { chmodSync, closeSync, existsSync, openSync, renameSync, statSync } from "node:fs"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { withFileLock } from "./file-lock.ts"
import { ForeignSchema, migrate } from "./migrate.ts"
import { type Migration, migrations } from "./migrations.ts"
import { adviceOn, codeOf, isDamage, messageOf } from "./trouble.ts"

export interface OpenDatabase {
  readonly database: Database
  /** What the user should know: a damaged file that was set aside. */
  readonly warnings: readonly string[]
}

interface OpenInput {
  /** Absolute path in a directory that exists, or ":memory:". */
  readonly file: string
  readonly now: () => number
  readonly migrations?: readonly Migration[]
}

/** How long a statement waits for another process, in ms. */
const patience = 10_000

/**
 * Opens the database file (mode 0600), migrating it when needed. A file that SQLite calls damaged is renamed to
 * `<file>.damaged-<time>` and a fresh one is started; nothing is deleted. Other trouble (not writable, disk
 * full, newer schema) is an error that says what to do.
 */
export function openDatabase(input: OpenInput): Result<OpenDatabase, SetupError> {
  try {
    return ok({ database: connect(input), warnings: [] })
  } catch (error) {
    return isDamage(error) ? startAfresh(input, error) : err(explain(input.file, error))
  }
}

function startAfresh(input: OpenInput, damage: unknown): Result<OpenDatabase, SetupError> {
  try {
    const aside = withFileLock(input.file, () => setAside(input))
    const database = connect(input)
    if (aside === undefined) return ok({ database, warnings: [] })
    const warning = `The database was damaged (${messageOf(damage)}). It was set aside as ${aside}, with the sessions in it, and a new one was started.`
    return ok({ database, warnings: [warning] })
  } catch (error) {
    return err(explain(input.file, error))
  }
}

/** Bun leaves statements open at `close`, and with them the file, its locks and the write-ahead log; this one closes them. */
class ClosingDatabase extends Database {
  readonly #statements = new Set<Disposable>()

  override prepare: Database["prepare"] = <Row, Values extends SQLQueryBindings | SQLQueryBindings[]>(
    sql: string,
    values?: Values,
  ) => {
    const statement = super.prepare<Row, Values>(sql, values)
    this.#statements.add(statement)
    return statement
  }

  override close(throwOnError?: boolean): void {
    for (const statement of this.#statements) statement[Symbol.dispose]()
    this.#statements.clear()
    super.close(throwOnError)
  }
}

function connect({ file, now, migrations: wanted = migrations }: OpenInput): Database {
  const named = file !== ":memory:"
  if (named) prepareFile(file)
  const database = new ClosingDatabase(file, { create: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${patience}`)
    enableWal(database)
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA foreign_keys = ON")
    migrate(database, { migrations: wanted, now, ...(named && { file }) })
    // The place where the next event goes: when that is damaged, nothing could ever be stored again.
    database.query("SELECT * FROM event ORDER BY seq DESC LIMIT 1").get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Creates the file for the current user only, or takes it from others. An existing file is never opened and closed
 * here: closing any descriptor of it would drop the locks that SQLite holds on it elsewhere in this process.
 */
function prepareFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600))
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
  for (const suffix of ["", "-wal", "-shm"]) {
    const found = statSync(file + suffix, { throwIfNoEntry: false })
    if (found?.isFile() && (found.mode & 0o077) !== 0) chmodSync(file + suffix, 0o600)
  }
  if (statSync(file).isDirectory()) throw Object.assign(new Error("it is a directory"), { code: "EISDIR" })
  refuseEmptied(file)
}

/** SQLite takes an empty file for a new one and deletes the write-ahead log beside it, which may be all that is left. */
function refuseEmptied(file: string): void {
  // In this order: another process that creates the file writes its first page before it writes the log.
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const main = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (log > 0 && main === 0)
    throw Object.assign(new Error("the file is empty but its write-ahead log is not"), { code: "SQLITE_CORRUPT" })
}

/** Changing to WAL fails at once when another process does the same; the mode then stands, so asking again is enough. */
function enableWal(database: Database): void {
  for (let attempt = 1; ; attempt++) {
    try {
      database.run("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (!codeOf(error)?.startsWith("SQLITE_BUSY") || attempt === 1_000) throw error
      Bun.sleepSync(10)
    }
  }
}

/** Renames the file unless it is sound (another process was faster). Returns the new name. Runs under the file lock. */
function setAside({ file, now }: OpenInput): string | undefined {
  if (isSound(file)) return undefined
  const stamp = new Date(now()).toISOString().replace(/[:.]/g, "-")
  let aside = `${file}.damaged-${stamp}`
  for (let n = 2; existsSync(aside); n++) aside = `${file}.damaged-${stamp}-${n}`
  // The log first: beside a fresh file, SQLite would delete it.
  for (const suffix of ["-wal", "-shm", ""]) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
  return aside
}

function isSound(file: string): boolean {
  try {
    refuseEmptied(file)
    using database = new Database(file, { readwrite: true })
    database.run(`PRAGMA busy_timeout = ${patience}`)
    const found = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()
    return found?.quick_check === "ok"
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

function explain(file: string, error: unknown): SetupError {
  const message =
    error instanceof ForeignSchema
      ? `The database ${file} cannot be used: ${error.message}. Update Cairn, or set XDG_DATA_HOME to another directory.`
      : `The database ${file} cannot be opened: ${messageOf(error)}. ${adviceOn(error)}`
  return { kind: "data_directory", message }
}
