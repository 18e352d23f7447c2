import { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import type { Migration } from "./migrations.ts"

/** The file was written by a newer Cairn, or its history is not ours. */
export class ForeignSchema extends Error {
  override readonly name = "ForeignSchema"
}

/** How long a start waits for another process that migrates, in ms. */
const lockTimeout = 60_000

/**
 * Brings the database to the newest of `migrations`. One process at a time: the lock is an exclusive transaction on a
 * file of its own, which the system releases when its holder dies. A file that has tables already is copied to
 * `<file>.before-<first new migration>` first. Returns the names of the migrations that were applied.
 */
export function migrate(database: Database, file: string, migrations: readonly Migration[], now: () => number): string[] {
  if (pending(database, migrations).length === 0) return []
  const lock = new Database(`${file}.lock`, { create: true })
  try {
    lock.run(`PRAGMA busy_timeout = ${lockTimeout}`)
    lock.run("BEGIN EXCLUSIVE")
    return applyAll(database, file, pending(database, migrations), now)
  } finally {
    lock.close()
  }
}

function applyAll(database: Database, file: string, todo: readonly Migration[], now: () => number): string[] {
  const first = todo[0]
  if (first === undefined) return []
  if (isNamed(file) && hasTables(database)) backUp(database, `${file}.before-${first.name}`)
  const record = (name: string, sql: string) =>
    database.run("INSERT INTO migration (name, hash, time) VALUES (?, ?, ?)", [name, hashOf(sql), now()])
  database.transaction(() => {
    for (const migration of todo) {
      for (const statement of migration.sql.split("--> statement-breakpoint")) database.run(statement)
      record(migration.name, migration.sql)
    }
  }).immediate()
  return todo.map((migration) => migration.name)
}

/** Migrations that this file lacks. Throws `ForeignSchema` when it has some that we do not know, or other ones. */
function pending(database: Database, migrations: readonly Migration[]): readonly Migration[] {
  if (!hasTables(database)) return migrations
  const done = database.query<{ name: string; hash: string }, []>("SELECT name, hash FROM migration ORDER BY name").all()
  for (const [position, row] of done.entries()) {
    const known = migrations[position]
    if (known === undefined || known.name !== row.name)
      throw new ForeignSchema(`it has the migration "${row.name}", which this version of Cairn does not know`)
    if (hashOf(known.sql) !== row.hash) throw new ForeignSchema(`its migration "${row.name}" differs from ours`)
  }
  return migrations.slice(done.length)
}

function hasTables(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'").get() !== null
}

function backUp(database: Database, copy: string): void {
  if (!existsSync(copy)) database.run("VACUUM INTO ?", [copy])
}

const isNamed = (file: string) => file !== ":memory:"
const hashOf = (sql: string) => Bun.hash(sql).toString(16)
