import type { SearchPage, SearchProgress, SearchRequest } from "@cairn/schema/search"
import type { Database } from "bun:sqlite"
import { setImmediate } from "node:timers/promises"
import type { Clock } from "@cairn/kernel/clock"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { parseSearch } from "../store/search-query.ts"
import { type SearchFailure, createSearch, damagedSearch } from "../store/search.ts"
import type { Store } from "../store/store.ts"
import { withinScope } from "./sessions.ts"

interface Deps {
  readonly store: Store
  readonly database: Database
  readonly clock: Clock
  readonly directory: string
}

interface Options {
  /** Ends the building of the index between two transactions; what is built stays. */
  readonly signal: AbortSignal
  readonly progress?: SearchProgress | undefined
}

/** Finds parts in the sessions of a project, or of this directory. Builds first what the search index lacks. */
export async function searchSessions(
  deps: Deps,
  projects: readonly string[],
  { query, scope, ...page }: SearchRequest,
  options: Options,
): Promise<Result<SearchPage, SetupError>> {
  const terms = parseSearch(query)
  if (!terms.ok) return err({ kind: "usage", message: `${terms.error}.` })
  const built = await complete(deps.store, options)
  if (!built.ok) return built
  const search = createSearch(deps.database, () => deps.clock.now())
  const found = search({ query, ...page, ...withinScope(deps, projects, scope) })
  return found.ok ? found : err(asSetupError(found.error))
}

/** Drops the search index and builds it again. */
export async function rebuildSearch(store: Store, options: Options): Promise<Result<void, SetupError>> {
  const dropped = store.search.reset()
  return dropped.ok ? await complete(store, options) : err(asSetupError(dropped.error))
}

/** Takes in what is pending, one transaction at a time, so that others can write in between. */
async function complete({ search }: Store, { signal, progress }: Options): Promise<Result<void, SetupError>> {
  let most = 0
  for (let state = search.state(); ; state = search.state()) {
    if (state.is === "damaged") return err(asSetupError(damagedSearch))
    if (state.is === "kept") {
      if (state.waiting === 0) return ok(undefined)
      if (most > 0) progress?.(1 - state.waiting / most)
      most = Math.max(most, state.waiting)
    }
    search.fill()
    await setImmediate()
    signal.throwIfAborted()
  }
}

const asSetupError = ({ kind, message }: SearchFailure): SetupError => ({
  kind: kind === "damaged" ? "data_directory" : "usage",
  message,
})
