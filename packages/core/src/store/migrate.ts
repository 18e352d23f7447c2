import type { Database } from "bun:sqlite"
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import { withFileLock } from "./file-lock.ts"
import type { Migration } from "./migrations.ts"

/** The file was written by a newer Cairn, or by another program. */
export class ForeignSchema extends Error {
  override readonly name = "ForeignSchema"
}

interface MigrateInput {
  readonly migrations: readonly Migration[]
  readonly now: () => number
  /** Path of the database; absent for one in memory, which needs neither lock nor backup. */
  readonly file?: string
}

/**
 * Brings the database to the newest of `migrations`, one process at a time. A file that has tables already is copied to
 * `<file>.before-<first new migration>` (mode 0600) first. All of it happens or none. Returns the names of the
 * migrations that were applied; throws `ForeignSchema` when the file has others than these.
 */
export function migrate(database: Database, { migrations, now, file }: MigrateInput): string[] {
  if (pending(database, migrations).length === 0) return []
  if (file === undefined) return apply(database, pending(database, migrations), now)
  return withFileLock(file, () => {
    const todo = pending(database, migrations)
    const first = todo[0]
    if (first === undefined) return []
    if (hasTable(database, "migration")) backUp(database, `${file}.before-${first.name}`)
    return apply(database, todo, now)
  })
}

function apply(database: Database, todo: readonly Migration[], now: () => number): string[] {
  // A migration rebuilds a table by dropping it: with foreign keys on, that would delete the rows that refer to it.
  database.run("PRAGMA foreign_keys = OFF")
  try {
    database
      .transaction(() => {
        for (const { name, sql } of todo) {
          for (const statement of statementsOf(sql)) database.run(statement)
          database.run("INSERT INTO migration (name, hash, time) VALUES (?, ?, ?)", [name, hashOf(sql), now()])
        }
        const broken = database.query<{ table: string }, []>("PRAGMA foreign_key_check").get()
        if (broken) throw new Error(`the migration leaves rows of ${broken.table} without what they refer to`)
      })
      .immediate()
  } finally {
    database.run("PRAGMA foreign_keys = ON")
  }
  return todo.map((migration) => migration.name)
}

/** Migrations that this file lacks. */
function pending(database: Database, migrations: readonly Migration[]): readonly Migration[] {
  if (!hasTable(database, "migration")) {
    if (hasTable(database)) throw new ForeignSchema("it belongs to another program")
    return migrations
  }
  const done = database
    .query<{ name: string; hash: string }, []>("SELECT name, hash FROM migration ORDER BY name")
    .all()
  for (const [position, row] of done.entries()) {
    const known = migrations[position]
    if (known === undefined || known.name !== row.name)
      throw new ForeignSchema(`it has the migration "${row.name}", which this version of Cairn does not know`)
    if (hashOf(known.sql) !== row.hash) throw new ForeignSchema(`its migration "${row.name}" differs from ours`)
  }
  return migrations.slice(done.length)
}

function hasTable(database: Database, name?: string): boolean {
  const query = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = coalesce(?, name)"
  return database.query(query).get(name ?? null) !== null
}

/** Written beside and renamed, so that a backup that exists is whole. */
function backUp(database: Database, copy: string): void {
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  closeSync(openSync(unfinished, "wx", 0o600))
  database.run("VACUUM INTO ?", [unfinished])
  const descriptor = openSync(unfinished, "r+")
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(unfinished, copy)
}

const statementsOf = (sql: string) =>
  sql
    .split("--> statement-breakpoint")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

/** The same for a checkout with other line ends. */
const hashOf = (sql: string) => new Bun.CryptoHasher("sha256").update(sql.replaceAll("\r\n", "\n")).digest("hex")
