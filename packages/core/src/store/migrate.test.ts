import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runTogether } from "../../test/store/children.ts"
import { created } from "../../test/store/events.ts"
import { opened, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { ForeignSchema, migrate } from "./migrate.ts"
import { getTableConfig } from "drizzle-orm/sqlite-core"
import { type Migration, migrations } from "./migrations.ts"
import * as schema from "./schema.ts"
import snapshot from "./migration/meta/0006_snapshot.json" with { type: "json" }

const now = () => 7
const first: Migration = {
  name: "0000_first",
  sql: "CREATE TABLE parent (id text PRIMARY KEY);--> statement-breakpoint\nCREATE TABLE child (id text PRIMARY KEY, parent text REFERENCES parent (id) ON DELETE CASCADE);--> statement-breakpoint\n",
}
const second: Migration = { name: "0001_second", sql: "ALTER TABLE parent ADD COLUMN note text;" }
const history = "CREATE TABLE migration (name text PRIMARY KEY, hash text NOT NULL, time integer NOT NULL);"
const start: Migration = { ...first, sql: `${history}--> statement-breakpoint\n${first.sql}` }
const namesIn = (database: Database) =>
  database
    .query<{ name: string }, []>("SELECT name FROM migration ORDER BY name")
    .all()
    .map((row) => row.name)

describe("migrate", () => {
  test("applies what is missing, in order, once", () => {
    using dir = tempDir()
    using database = new Database(dir.file)
    expect(migrate(database, { migrations: [start], now, file: dir.file })).toEqual([start.name])
    expect(migrate(database, { migrations: [start, second], now, file: dir.file })).toEqual([second.name])
    expect(migrate(database, { migrations: [start, second], now, file: dir.file })).toEqual([])
    expect(namesIn(database)).toEqual([start.name, second.name])
    expect(database.query("SELECT DISTINCT time FROM migration").all()).toEqual([{ time: 7 }])
  })

  test("copies an existing file first, and a new one not; all files are the user's alone", () => {
    using dir = tempDir()
    using database = new Database(dir.file)
    migrate(database, { migrations: [start], now, file: dir.file })
    expect(readdirSync(dir.path).toSorted()).toEqual(["cairn.db", "cairn.db.lock"])
    database.run("INSERT INTO parent VALUES ('a')")
    migrate(database, { migrations: [start, second], now, file: dir.file })
    const copy = `${dir.file}.before-${second.name}`
    using backup = new Database(copy, { readonly: true })
    expect(backup.query("SELECT * FROM parent").all()).toEqual([{ id: "a" }])
    expect(namesIn(backup)).toEqual([start.name])
    for (const file of [copy, `${dir.file}.lock`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test("replaces a backup that was cut off, and one of an earlier attempt", () => {
    using dir = tempDir()
    using database = new Database(dir.file)
    migrate(database, { migrations: [start], now, file: dir.file })
    const copy = `${dir.file}.before-${second.name}`
    writeFileSync(`${copy}.unfinished`, "half")
    writeFileSync(copy, "old")
    database.run("INSERT INTO parent VALUES ('a')")
    migrate(database, { migrations: [start, second], now, file: dir.file })
    using backup = new Database(copy, { readonly: true })
    expect(backup.query("SELECT * FROM parent").all()).toEqual([{ id: "a" }])
    expect(existsSync(`${copy}.unfinished`)).toBe(false)
  })

  test("happens whole or not at all", () => {
    using database = new Database(":memory:")
    migrate(database, { migrations: [start], now })
    const broken: Migration = { name: "0002_broken", sql: "CREATE TABLE x (a);--> statement-breakpoint\nNOT SQL;" }
    expect(() => migrate(database, { migrations: [start, second, broken], now })).toThrow("syntax error")
    expect(namesIn(database)).toEqual([start.name])
    expect(database.query("SELECT name FROM pragma_table_info('parent')").all()).toEqual([{ name: "id" }])
    expect(database.query("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 })
  })

  test("rebuilding a table keeps the rows that refer to it", () => {
    using database = new Database(":memory:")
    database.run("PRAGMA foreign_keys = ON")
    migrate(database, { migrations: [start], now })
    database.run("INSERT INTO parent VALUES ('a')")
    database.run("INSERT INTO child VALUES ('c', 'a')")
    const rebuild: Migration = {
      name: "0001_rebuild",
      sql: [
        "CREATE TABLE new_parent (id text PRIMARY KEY, more text)",
        "INSERT INTO new_parent SELECT id, 'x' FROM parent",
        "DROP TABLE parent",
        "ALTER TABLE new_parent RENAME TO parent",
      ].join(";--> statement-breakpoint\n"),
    }
    migrate(database, { migrations: [start, rebuild], now })
    expect(database.query("SELECT * FROM child").all()).toEqual([{ id: "c", parent: "a" }])
    expect(() => database.run("INSERT INTO child VALUES ('d', 'nobody')")).toThrow("FOREIGN KEY")
  })

  test("refuses a migration that leaves rows without what they refer to", () => {
    using database = new Database(":memory:")
    migrate(database, { migrations: [start], now })
    database.run("INSERT INTO parent VALUES ('a')")
    database.run("INSERT INTO child VALUES ('c', 'a')")
    const lossy: Migration = { name: "0001_lossy", sql: "DELETE FROM parent" }
    expect(() => migrate(database, { migrations: [start, lossy], now })).toThrow("rows of child")
    expect(database.query("SELECT * FROM parent").all()).toHaveLength(1)
  })

  test("leaves alone what a newer Cairn, another history or another program wrote", () => {
    using newer = new Database(":memory:")
    migrate(newer, { migrations: [start, second], now })
    expect(() => migrate(newer, { migrations: [start], now })).toThrow(ForeignSchema)
    const changed = { ...start, sql: `${start.sql}CREATE TABLE other (a);` }
    expect(() => migrate(newer, { migrations: [changed, second], now })).toThrow("differs from ours")
    using other = new Database(":memory:")
    other.run("CREATE TABLE bookmarks (url text)")
    expect(() => migrate(other, { migrations: [start], now })).toThrow("another program")
    expect(other.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "bookmarks" }])
  })

  test("does not mind other line ends", () => {
    using database = new Database(":memory:")
    migrate(database, { migrations: [start], now })
    const dos = { ...start, sql: start.sql.replaceAll("\n", "\r\n") }
    expect(migrate(database, { migrations: [dos], now })).toEqual([])
  })

  test("a lock file with rubbish in it is no obstacle", () => {
    using dir = tempDir()
    writeFileSync(`${dir.file}.lock`, "rubbish ".repeat(200))
    using database = new Database(dir.file)
    expect(migrate(database, { migrations: [start], now, file: dir.file })).toEqual([start.name])
  })

  test("a database in memory leaves no file", () => {
    using temp = tempStore()
    expect(temp.store.read.lastSeq()).toBe(0)
    expect(existsSync(":memory:.lock")).toBe(false)
  })

  test("several processes on one old file: applied once, one backup", async () => {
    using dir = tempDir()
    {
      using temp = tempStore({ file: dir.file })
      temp.store.append("ses_1", [created("ses_1")])
    }
    await runTogether(3, "migrate", dir.file)
    using database = new Database(dir.file, { readonly: true })
    expect(database.query("SELECT at FROM ran").all()).toEqual([{ at: 1 }])
    expect(database.query("SELECT id, extra FROM session").all()).toEqual([{ id: "ses_1", extra: null }])
    expect(readdirSync(dir.path).filter((name) => name.includes("before"))).toEqual(["cairn.db.before-9999_test"])
    const reopened = () => opened(dir.file)
    expect(reopened).toThrow("does not know")
  })
})

describe("the migrations of Cairn", () => {
  test("every file of the folder is in the list, in order", () => {
    const folder = join(import.meta.dir, "migration")
    const files = readdirSync(folder).filter((name) => name.endsWith(".sql"))
    expect(migrations.map(({ name }) => `${name}.sql`)).toEqual(files.toSorted())
    for (const { name, sql } of migrations) expect(readFileSync(join(folder, `${name}.sql`), "utf8")).toBe(sql)
  })

  test("give the tables, columns and indexes of the newest snapshot", () => {
    const journal = readdirSync(join(import.meta.dir, "migration/meta")).filter((name) =>
      name.endsWith("_snapshot.json"),
    )
    expect(journal).toHaveLength(migrations.length)
    using temp = tempStore()
    const names = (query: string) =>
      temp.database
        .query<{ name: string }, []>(query)
        .all()
        .map((row) => row.name)
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    expect(names(tables)).toEqual(Object.keys(snapshot.tables).toSorted())
    for (const [table, { columns, indexes }] of Object.entries(snapshot.tables)) {
      expect(names(`SELECT name FROM pragma_table_info('${table}')`).toSorted()).toEqual(
        Object.keys(columns).toSorted(),
      )
      const made = `SELECT name FROM pragma_index_list('${table}') WHERE origin = 'c' ORDER BY name`
      expect(names(made)).toEqual(Object.keys(indexes).toSorted())
    }
  })

  test("are up to date with schema.ts: otherwise run `bun run migration`", () => {
    using temp = tempStore()
    for (const table of Object.values(schema)) {
      const { name, columns, indexes } = getTableConfig(table)
      const made = temp.database
        .query(`SELECT name, type, "notnull" AS required FROM pragma_table_info('${name}')`)
        .all()
      expect(made).toEqual(
        columns.map((column) => ({
          name: column.name,
          type: column.getSQLType().toUpperCase(),
          required: Number(column.notNull),
        })),
      )
      const found = temp.database.query(`SELECT name FROM pragma_index_list('${name}') WHERE origin = 'c'`).all()
      expect(found).toBeArrayOfSize(indexes.length)
    }
  })
})
