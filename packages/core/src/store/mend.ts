import type { Database } from "bun:sqlite"
import { closeSync, openSync, rmSync } from "node:fs"
import { searchTable } from "./search-writer.ts"
import { isDamage } from "./trouble.ts"

/** True for a table of `schema.ts`: not of SQLite, and not of the search index, which can be built again. */
export const isOwn = (table: string): boolean => !table.startsWith("sqlite_") && !table.startsWith(searchTable)

export function tablesOf(database: Database): string[] {
  return database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .all()
    .flatMap(({ name }) => (isOwn(name) ? [name] : []))
}

/** Our columns of JSON hold JSON: a page of long text may be damaged although SQLite can follow it. */
export function isJson(database: Database, table: string): boolean {
  const columns = database.query<{ name: string }, [string]>(
    `SELECT name FROM pragma_table_info(?)
     WHERE name IN ('data', 'properties', 'request', 'reply', 'answers', 'todos')`,
  )
  return columns.all(table).every(({ name }) => {
    const query = `SELECT 1 FROM "${table}" WHERE "${name}" IS NOT NULL AND NOT json_valid("${name}") LIMIT 1`
    return database.query(query).get() === null
  })
}

/**
 * Copies every table, with its indexes and in the order of its rows, to a new file (0600), if all of them are sound. The
 * search index stays behind. Gives the file; undefined, and nothing is left, when a table is damaged too.
 */
export function copyTables(database: Database, file: string): string | undefined {
  rmSync(file, { force: true })
  try {
    const tables = tablesOf(database)
    if (!tables.includes("migration") || !tables.every((table) => isSound(database, table))) return undefined
    closeSync(openSync(file, "wx", 0o600))
    database.run("ATTACH ? AS fresh", [file])
    database.transaction(() => copyAll(database, tables))()
    database.run("DETACH fresh")
    return file
  } catch (error) {
    rmSync(file, { force: true })
    if (isDamage(error)) return undefined
    throw error
  }
}

function isSound(database: Database, table: string): boolean {
  const check = database.query<{ integrity_check: string }, []>(`PRAGMA integrity_check("${table}")`)
  return check.get()?.integrity_check === "ok" && isJson(database, table)
}

function copyAll(database: Database, tables: readonly string[]): void {
  const shapes = database.query<{ table: string; sql: string }, []>(
    `SELECT tbl_name AS "table", sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index')
     ORDER BY type = 'index', rowid`,
  )
  for (const { table, sql } of shapes.all())
    if (tables.includes(table)) database.run(sql.replace(/^CREATE (TABLE|(?:UNIQUE )?INDEX) /, "CREATE $1 fresh."))
  for (const table of tables) database.run(`INSERT INTO fresh."${table}" SELECT * FROM main."${table}" ORDER BY rowid`)
  // The numbers of the log go on where they were, also after those whose entries are gone.
  database.run("DELETE FROM fresh.sqlite_sequence")
  database.run("INSERT INTO fresh.sqlite_sequence SELECT * FROM main.sqlite_sequence")
  if (tables.includes("search")) database.run("DELETE FROM fresh.search") // so that it is built again
}
