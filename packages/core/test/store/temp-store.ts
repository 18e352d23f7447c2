import type { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids } from "@cairn/kernel/id"
import { createLog } from "@cairn/kernel/log"
import type { BusEvent } from "@cairn/schema/event"
import { TestClock } from "@cairn/testkit/clock"
import { openDatabase } from "../../src/store/database.ts"
import { type Owner, self } from "../../src/store/lease.ts"
import { type Store, createStore } from "../../src/store/store.ts"

/** A directory of the test's own, removed at the end of its scope. */
export function tempDir(): Disposable & { readonly path: string; readonly file: string } {
  const path = mkdtempSync(join(tmpdir(), "cairn-store-"))
  return {
    path,
    file: join(path, "cairn.db"),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Opens a database that must open. */
export function opened(file: string): Database {
  const result = openDatabase({ file, now: () => 0 })
  if (!result.ok) throw new Error(result.error.message)
  return result.value.database
}

export interface TempStore extends Disposable {
  readonly store: Store
  readonly database: Database
  readonly clock: TestClock
  readonly file: string
  /** What the bus published, in order. */
  readonly published: readonly BusEvent[]
  /** Lines of the log. */
  readonly lines: readonly string[]
}

/** A store on a database of its own: in memory, or in a file when the test needs one. */
export function tempStore(options: { file?: string; owner?: Owner } = {}): TempStore {
  const file = options.file ?? ":memory:"
  const database = opened(file)
  const clock = new TestClock()
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line) }, clock)
  const store = createStore({ database, clock, ids: new Ids(clock), log, owner: options.owner ?? self() })
  const published: BusEvent[] = []
  store.subscribe((event) => void published.push(event))
  return { store, database, clock, file, published, lines, [Symbol.dispose]: () => store.close() }
}
