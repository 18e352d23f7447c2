import { Database } from "bun:sqlite"
import { closeSync, openSync } from "node:fs"

/** How long a start waits for another process that migrates or sets a damaged file aside, in ms. */
const patience = 60_000

/**
 * Runs `work` while this process alone holds `<file>.lock` (mode 0600). The lock is an exclusive SQLite transaction,
 * which the system releases when its holder dies. Throws SQLITE_BUSY after 60 s. Blocks, and does not nest.
 */
export function withFileLock<T>(file: string, work: () => T): T {
  const path = `${file}.lock`
  // Nothing is ever stored in it, so emptying it harms no holder and mends a file that is not a database.
  closeSync(openSync(path, "w", 0o600))
  const lock = new Database(path)
  try {
    lock.run(`PRAGMA busy_timeout = ${patience}`)
    lock.run("BEGIN EXCLUSIVE")
    return work()
  } finally {
    lock.close()
  }
}
