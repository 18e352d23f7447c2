import type { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDatabase } from "@cairn/core/store/database"
import { type Owner, self } from "@cairn/core/store/lease"
import { createStore, type Store } from "@cairn/core/store/store"
import { Ids } from "@cairn/kernel/id"
import { silentLog } from "@cairn/kernel/log"
import type { SessionStatus } from "@cairn/schema/session"
import { TestClock } from "@cairn/testkit/clock"
import type { Source, Sources } from "../../src/event/feed.ts"

/** A real store as the source of a directory's events: an engine without a model. */
export interface TestSource extends Source {
  readonly store: Store
  readonly database: Database
  /** Sessions that run here, as a coordinator has them. */
  readonly running: Map<string, SessionStatus>
}

export interface TestSources extends Sources, Disposable {
  readonly clock: TestClock
  readonly file: string
  /** A source in this process. */
  open(directory: string): TestSource
  close(source: TestSource): void
  /** A store on the same file that another process has. */
  elsewhere(): Store
}

const other: Owner = { ...self(), pid: 1, started: "other" }

export function testSources(clock = new TestClock()): TestSources {
  const path = mkdtempSync(join(tmpdir(), "cairn-events-"))
  const file = join(path, "cairn.db")
  const sources = new Map<string, TestSource>()
  const stores: Store[] = []
  const observers = new Set<Parameters<Sources["observe"]>[0]>()
  const openStore = (owner: Owner) => {
    const opened = openDatabase({ file, now: () => clock.now() })
    if (!opened.ok) throw new Error(opened.error.message)
    const { database } = opened.value
    const store = createStore({ database, clock, ids: new Ids(clock), log: silentLog, owner })
    stores.push(store)
    return { store, database }
  }
  return {
    ...{ clock, file },
    observe(observer) {
      observers.add(observer)
      for (const source of sources.values()) observer.opened(source)
      return () => void observers.delete(observer)
    },
    open(directory) {
      const { store, database } = openStore(self())
      const source = sourceOf(directory, store, database)
      sources.set(directory, source)
      for (const observer of observers) observer.opened(source)
      return source
    },
    close(source) {
      sources.delete(source.directory)
      for (const observer of observers) observer.closing(source)
      source.store.close()
      stores.splice(stores.indexOf(source.store), 1)
      for (const observer of observers) observer.closed(source.directory)
    },
    elsewhere: () => openStore(other).store,
    [Symbol.dispose]() {
      for (const store of stores) store.close()
      rmSync(path, { recursive: true, force: true })
    },
  }
}

function sourceOf(directory: string, store: Store, database: Database): TestSource {
  const running = new Map<string, SessionStatus>()
  return {
    ...{ directory, store, database, running },
    follow: (listener) => store.follow(listener),
    log: store.log,
    session: (id) => store.read.session(id),
    message(sessionID, id) {
      const info = store.read.message(id)
      return info?.sessionID === sessionID ? { info, parts: store.read.parts(id) } : undefined
    },
    statuses: () => Object.fromEntries(running),
    openParts: (id) => store.openParts.of(id),
    pendingAsks: () => store.read.pendingPermissions().filter((ask) => isIn(store, directory, ask.sessionID)),
    pendingQuestions: () => store.read.pendingQuestions().filter((ask) => isIn(store, directory, ask.sessionID)),
  }
}

const isIn = (store: Store, directory: string, sessionID: string) =>
  store.read.session(sessionID)?.directory === directory
