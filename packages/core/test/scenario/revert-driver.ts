import { systemClock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { KeyedLock } from "@cairn/kernel/lock"
import { silentLog } from "@cairn/kernel/log"
import { noSpan } from "@cairn/kernel/span"
import { createCoordinator } from "../../src/session/coordinator.ts"
import { createReverts } from "../../src/session/reverts.ts"
import { openDatabase } from "../../src/store/database.ts"
import { self } from "../../src/store/lease.ts"
import { createStore } from "../../src/store/store.ts"
import { createWriteOperations } from "../../src/workspace/atomic-write.ts"
import { createBlobStore } from "../../src/workspace/history/blob-store.ts"

/**
 * Reverts a session to a message, or unreverts it when it is reverted, in a process of its own that kills itself at the
 * n-th of the points below: `revert-driver.ts <database> <blobs> <session> <message> <n>`. When n is more than there are, it
 * says how many there were.
 */
const [file = "", directory = "", sessionID = "", to = "", wanted = ""] = process.argv.slice(2)
let points = 0
const point = () => {
  if (points++ === Number(wanted)) process.kill(process.pid, "SIGKILL")
}
/** Does it between two points. */
const between = async <T>(work: () => Promise<T>): Promise<T> => {
  point()
  const value = await work()
  point()
  return value
}

class KillingLock extends KeyedLock {
  override with<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return super.with(key, signal, () => between(work))
  }
}

const opened = openDatabase({ file, now: Date.now })
if (!opened.ok) throw new Error(opened.error.message)
const ids = new Ids(systemClock)
const base = { clock: systemClock, ids, log: silentLog }
const store = createStore({ ...base, database: opened.value.database, owner: self() })
const coordinator = createCoordinator({
  ...{ ...base, store, tracer: noSpan },
  facts: () => [],
  sessionChanges: () => [],
  cleanUp: () => {},
  turn: () => Promise.reject(new Error("no turn runs here")),
})
const { rename, link, ...others } = createWriteOperations()
const reverts = createReverts({
  ...{ ...base, store, coordinator, worktree: "/", locks: new KillingLock() },
  blobs: createBlobStore(directory, systemClock),
  operations: {
    ...others,
    rename: (from, target) => between(() => rename(from, target)),
    link: (from, target) => between(() => link(from, target)),
  },
})
const reverted = store.read.session(sessionID)?.revert !== undefined
const done = reverted ? await reverts.unrevert(sessionID, { dryRun: false }) : await reverts.revert(sessionID, { to })
if (!done.ok) throw new Error(done.error.message)
process.stdout.write(`${points}\n`)
await coordinator[Symbol.asyncDispose]()
store.close()
