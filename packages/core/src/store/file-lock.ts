import { Database } from "bun:sqlite"
import { closeSync, openSync } from "node:fs"

/** How long a start waits for another process that migrates or sets a damaged file aside, in ms. */
const patience = 60_000

/**
 * Runs `work` while this process alone ("shared": while nobody else alone) holds `<file>.lock` (mode 0600). The lock is
 * a SQLite transaction, which the system releases when its holder dies. Throws SQLITE_BUSY after 60 s. Blocks, and does not nest.
 */
export function withFileLock<T>(file: string, work: () => T, mode: "exclusive" | "shared" = "exclusive"): T {
  const path = `${file}.lock`
  // Nothing is ever stored in it, so emptying it harms no holder and mends a file that is not a database.
  closeSync(openSync(path, "w", 0o600))
  const lock = new Database(path)
  try {
    lock.run(`PRAGMA busy_timeout = ${patience}`)
    lock.run(mode === "exclusive" ? "BEGIN EXCLUSIVE" : "BEGIN")
    if (mode === "shared") lock.query("SELECT 1 FROM sqlite_schema").get()
    return work()
  } finally {
    lock.close()
  }
}
