import { Database } from "bun:sqlite"
import { closeSync, existsSync, openSync, renameSync } from "node:fs"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { ForeignSchema, migrate } from "./migrate.ts"
import { type Migration, migrations } from "./migrations.ts"

export interface OpenDatabase {
  readonly database: Database
  /** What the user should know: a damaged file that was set aside. */
  readonly warnings: readonly string[]
}

interface OpenInput {
  readonly file: string
  readonly now: () => number
  readonly migrations?: readonly Migration[]
}

/**
 * Opens the database file (mode 0600), migrating it when needed. A file that SQLite calls damaged is renamed to
 * `<file>.damaged-<time>` and a fresh one is started; nothing is deleted. Other trouble (not writable, disk
 * full, newer schema) is an error that says what to do.
 */
export function openDatabase(input: OpenInput): Result<OpenDatabase, SetupError> {
  try {
    return ok({ database: connect(input), warnings: [] })
  } catch (error) {
    if (!isDamage(error)) return err(explain(input.file, error))
    const aside = `${input.file}.damaged-${new Date(input.now()).toISOString().replace(/[:.]/g, "-")}`
    try {
      for (const suffix of ["", "-wal", "-shm"])
        if (existsSync(input.file + suffix)) renameSync(input.file + suffix, aside + suffix)
      const warning = `The database was damaged (${messageOf(error)}). It was set aside as ${aside}, and a new one was started.`
      return ok({ database: connect(input), warnings: [warning] })
    } catch (again) {
      return err(explain(input.file, again))
    }
  }
}

function connect(input: OpenInput): Database {
  if (input.file !== ":memory:") closeSync(openSync(input.file, "a", 0o600))
  const database = new Database(input.file, { create: true, strict: true })
  try {
    database.run("PRAGMA busy_timeout = 10000")
    enableWal(database)
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA foreign_keys = ON")
    migrate(database, input.file, input.migrations ?? migrations, input.now)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Changing to WAL fails at once when another process does the same; the mode then stands, so asking again is enough. */
function enableWal(database: Database): void {
  for (let attempt = 1; ; attempt++) {
    try {
      database.run("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY" || attempt === 200) throw error
      Bun.sleepSync(10)
    }
  }
}

function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB")
}

function explain(file: string, error: unknown): SetupError {
  if (error instanceof ForeignSchema)
    return {
      kind: "data_directory",
      message: `The database ${file} cannot be used: ${error.message}. Update Cairn, or set XDG_DATA_HOME to another directory.`,
    }
  return {
    kind: "data_directory",
    message: `The database ${file} cannot be opened: ${messageOf(error)}. Check that the directory is writable and the disk is not full, or set XDG_DATA_HOME to another directory.`,
  }
}

const codeOf = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : undefined
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
