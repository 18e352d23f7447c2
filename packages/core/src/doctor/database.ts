import { Database } from "bun:sqlite"
import { statSync } from "node:fs"
import { createLeases, isDead, self } from "../store/lease.ts"
import { migrations } from "../store/migrations.ts"
import { adviceOn, messageOf } from "../store/trouble.ts"
import type { Check } from "./check.ts"
import { size } from "./directories.ts"

/** A larger file is only opened: looking at every page would take too long. */
const quickLimit = 256 * 1024 * 1024

/** Looks at the database without changing it: no migration, no recovery, and a damaged file stays where it is. */
export function databaseChecks(file: string, now: number): Check[] {
  const area = "database"
  const bytes = bytesOf(file)
  if (bytes === undefined || bytes === 0) return [{ area, name: "file", state: "ok", text: `${file} (not there yet)` }]
  try {
    using database = new Database(file, { readwrite: true, create: false })
    database.run("PRAGMA query_only = ON")
    database.run("PRAGMA busy_timeout = 2000")
    const checks = fileChecks(database, file, bytes)
    return checks.some(({ state }) => state === "broken") ? checks : [...checks, ...leaseChecks(database, now)]
  } catch (error) {
    return [{ area, name: "file", state: "broken", text: `${file}: ${messageOf(error)}`, advice: adviceOn(error) }]
  }
}

function bytesOf(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size
  } catch {
    return undefined
  }
}

function fileChecks(database: Database, file: string, bytes: number): Check[] {
  const base = { area: "database", name: "file" } as const
  if (column(database, "SELECT 1 AS one FROM sqlite_schema WHERE name = 'migration'", "one").length === 0)
    return [{ ...base, state: "broken", text: `${file} belongs to another program`, advice: "Move it away." }]
  const done = column<string>(database, "SELECT name FROM migration ORDER BY name", "name")
  const strange = done.filter((name) => !migrations.some((migration) => migration.name === name))
  if (strange.length > 0)
    return [
      {
        ...base,
        state: "broken",
        text: `${file} was written by a newer Cairn (${strange[0]})`,
        advice: "Update Cairn, or set XDG_DATA_HOME to another directory.",
      },
    ]
  const whole = bytes <= quickLimit
  const problems = whole ? column<string>(database, "PRAGMA quick_check(3)", "quick_check") : ["ok"]
  if (problems[0] !== "ok")
    return [
      {
        ...base,
        state: "broken",
        text: `${file} is damaged: ${problems.join("; ").slice(0, 300)}`,
        advice: "Copy it away. The next start sets it aside and begins a new one; nothing is deleted.",
      },
    ]
  const [sessions = 0] = column<number>(database, "SELECT count(*) AS n FROM session", "n")
  const facts = [size(bytes), `${sessions} ${sessions === 1 ? "session" : "sessions"}`]
  if (!whole) facts.push("too large to be checked here")
  if (done.length < migrations.length) facts.push("will be brought up to date at the next start")
  return [{ ...base, state: "ok", text: `${file} (${facts.join(", ")})` }]
}

function leaseChecks(database: Database, now: number): Check[] {
  const here = self()
  const leases = createLeases(database).all()
  const dead = leases.filter((lease) => isDead(lease, here, now))
  const base = { area: "database", name: "runs" } as const
  if (dead.length > 0) {
    const ids = dead.slice(0, 3).map(({ sessionID, pid }) => `${sessionID} (pid ${pid})`)
    const more = dead.length > 3 ? ` and ${dead.length - 3} more` : ""
    const advice = "The next start closes them; nothing is lost."
    return [{ ...base, state: "note", text: `runs whose process is gone: ${ids.join(", ")}${more}`, advice }]
  }
  const pids = leases.map(({ pid }) => `pid ${pid}`)
  return [{ ...base, state: "ok", text: leases.length === 0 ? "none in progress" : `in progress: ${pids.join(", ")}` }]
}

function column<T>(database: Database, sql: string, name: string): T[] {
  using statement = database.prepare<Record<string, T>, []>(sql)
  return statement.all().flatMap((row) => (name in row ? [row[name] as T] : []))
}
