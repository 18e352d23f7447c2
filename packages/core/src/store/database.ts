import { Database, type SQLQueryBindings } from "bun:sqlite"
import { chmodSync, closeSync, openSync, statSync } from "node:fs"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { type Examined, examine, isSuspect, look, refuseEmptied } from "./damage.ts"
import { withFileLock } from "./file-lock.ts"
import { ForeignSchema, migrate } from "./migrate.ts"
import { type Migration, migrations } from "./migrations.ts"
import { adviceOn, codeOf, inUse, isDamage, messageOf } from "./trouble.ts"

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
 * Opens the database file (mode 0600), migrating it when needed. A file that is damaged, by what is read here or by a
 * full check of one that a run has marked as suspect, is renamed to `<file>.damaged-<time>` and a fresh one is started;
 * nothing is deleted, and nothing is renamed while another process uses it. If all tables in it are sound, the fresh one has
 * what is in them. Other trouble (not writable, disk
 * full, newer schema) is an error that says what to do.
 */
export function openDatabase(input: OpenInput): Result<OpenDatabase, SetupError> {
  try {
    return ok(openOrReplace(input))
  } catch (error) {
    return err(explain(input.file, error))
  }
}

function openOrReplace(input: OpenInput): OpenDatabase {
  const { file, now } = input
  const warnings: string[] = []
  if (isSuspect(file)) {
    const why = "a run could not read or write a part of it"
    // Without the mark, another process was faster.
    const found = withFileLock(file, () => (isSuspect(file) ? examine(file, now()) : sound))
    if (found.is === "damaged") warnings.push(replaced(why, found.aside))
    if (found.is === "mended") warnings.push(mended(found.aside))
    if (found.is === "used") warnings.push(`The database ${file} may be damaged (${why}). ${inUse}`)
  }
  const before = inodeOf(file)
  try {
    return { database: connect(input), warnings }
  } catch (error) {
    if (!isDamage(error)) throw error
    const met = before ?? inodeOf(file)
    const found = withFileLock(file, () => (inodeOf(file) === met ? examine(file, now()) : sound))
    const database = connect(input)
    if (found.is === "damaged") warnings.push(replaced(messageOf(error), found.aside))
    if (found.is === "mended") warnings.push(mended(found.aside))
    return { database, warnings }
  }
}

const sound: Examined = { is: "sound" }

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false, bigint: true })?.ino

const replaced = (why: string, aside: string) =>
  `The database was damaged (${why}). It was set aside as ${aside}, with the sessions in it, and a new one was started.`

const mended = (aside: string) =>
  `The search index in the database was damaged. Every session was copied to a fresh file; the old one is kept as ${aside}.`

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
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw Object.assign(new Error("it is a directory"), { code: "EISDIR" })
  // Until it holds a lock of its own in the file, nobody may put another in its place: the two would share one log.
  const database = named ? withFileLock(file, () => attach(file), "shared") : attach(file)
  try {
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA foreign_keys = ON")
    migrate(database, { migrations: wanted, now, ...(named && { file }) })
    look(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function attach(file: string): Database {
  if (file !== ":memory:") prepareFile(file)
  const database = new ClosingDatabase(file, { create: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${patience}`)
    enableWal(database)
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
  refuseEmptied(file)
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

function explain(file: string, error: unknown): SetupError {
  const message =
    error instanceof ForeignSchema
      ? `The database ${file} cannot be used: ${error.message}. Update Cairn, or set XDG_DATA_HOME to another directory.`
      : `The database ${file} cannot be opened: ${messageOf(error)}. ${adviceOn(error)}`
  return { kind: "data_directory", message }
}
