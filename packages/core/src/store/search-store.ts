import type { Database } from "bun:sqlite"
import type { Log } from "@cairn/kernel/log"
import { type Result, err, ok } from "@cairn/kernel/result"
import { markSuspect } from "./damage.ts"
import { guarded } from "./guard.ts"
import type { SearchFailure } from "./search.ts"
import { type SearchState, type SearchWriter, isOfIndex, searchState } from "./search-writer.ts"
import { isDamage, messageOf } from "./trouble.ts"

/** The search index of one database: what is searched by `search.ts`. All methods are synchronous. */
export interface SearchStore {
  state(): SearchState
  /** One transaction's share of what is not in the index yet. */
  fill(): void
  /** Drops the index, so that `fill` builds it again. */
  reset(): Result<void, SearchFailure>
}

interface Deps {
  readonly database: Database
  readonly log: Log
  readonly writer: SearchWriter
  /** Runs in a transaction that writes; throws what SQLite throws. */
  readonly transact: (work: () => unknown) => unknown
}

export function createSearchStore(deps: Deps): SearchStore {
  const { database, writer, transact } = deps
  const { filename } = database
  return {
    state: () => guarded(filename, "read", () => searchState(database)),
    fill: () => guarded(filename, "written", () => blamed(deps, () => writer.fill())),
    reset: () =>
      guarded(filename, "written", () => {
        try {
          transact(() => writer.reset())
          return ok(undefined)
        } catch (error) {
          if (!isOfIndex(error)) throw error
          if (isDamage(error)) markSuspect(filename)
          return err({ kind: "damaged", message: isDamage(error) ? tooDamaged : `${cannot}: ${messageOf(error)}.` })
        }
      }),
  }
}

const cannot = "The search index cannot be kept here"
const tooDamaged =
  "The search index is too damaged to be dropped while the database is in use. End every Cairn: the next start copies the sessions to a fresh file. None of them is affected."

/**
 * Runs a transaction. If it fails by what may be the index's fault, it runs once more without the index, which counts as
 * damaged from then on: what was said is stored whatever happens to the index.
 */
export function blamed<T>({ writer, transact, log }: Pick<Deps, "writer" | "transact" | "log">, work: () => T): T {
  try {
    return transact(work) as T
  } catch (error) {
    if (!isOfIndex(error)) throw error
    const stored = transact(() => {
      writer.giveUp()
      return work()
    }) as T
    log.warn("the search index is damaged, and not kept any more", { error })
    return stored
  }
}
