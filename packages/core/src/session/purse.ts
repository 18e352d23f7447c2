import type { Clock } from "@cairn/kernel/clock"
import type { Config } from "@cairn/schema/config"
import { type Tokens, addTokens, noTokens } from "@cairn/schema/model"
import type { Store } from "../store/store.ts"
import { allTokens, overBudget, startOfDay } from "./budget.ts"

/** What one run has spent, the runs of its subagents included. Disposing ends its part in theirs. */
export interface Purse extends Disposable {
  readonly tokens: Tokens
  /** Dollars. */
  readonly cost: number
  /** Counts one call. */
  add(tokens: Tokens, cost: number): void
  /** Why no further call may be made, or undefined. `priced`: the price of the model is known. */
  stop(priced: boolean): string | undefined
}

interface PurseDeps {
  readonly store: Pick<Store, "read">
  readonly clock: Clock
  readonly budget: Config["budget"]
}

type Counted = Purse & { readonly outermost: Purse }

/**
 * The purses of the runs of this process. A run whose session has a parent that runs too is a subagent of that run: what
 * it spends counts there as well, and the budget of a run is that of the outermost one. Session and day are read
 * from the projections before each call, so that they hold across processes, restarts and midnight.
 */
export function createPurses({ store, clock, budget }: PurseDeps): (sessionID: string) => Purse {
  const open = new Map<string, Counted>()
  return (sessionID) => {
    const parent = runningAbove(store, open, sessionID)
    let tokens = noTokens()
    let cost = 0
    const purse: Counted = {
      get tokens() {
        return tokens
      },
      get cost() {
        return cost
      },
      get outermost() {
        return parent?.outermost ?? purse
      },
      add(more, dollars) {
        tokens = addTokens(tokens, more)
        cost += dollars
        parent?.add(more, dollars)
      },
      stop(priced) {
        const { outermost } = purse
        const spent = {
          run: () => ({ tokens: allTokens(outermost.tokens), money: outermost.cost }),
          session: () => store.read.spentInTree(sessionID),
          day: () => store.read.spentSince(startOfDay(clock.now())),
        }
        return overBudget(budget, spent, priced)
      },
      [Symbol.dispose]: () => void open.delete(sessionID),
    }
    open.set(sessionID, purse)
    return purse
  }
}

/** The purse of the nearest session above that runs in this process. */
function runningAbove(
  store: Pick<Store, "read">,
  open: ReadonlyMap<string, Counted>,
  sessionID: string,
): Counted | undefined {
  if (open.size === 0) return undefined
  const seen = new Set([sessionID])
  let above = store.read.session(sessionID)?.parentID
  while (above !== undefined && !seen.has(above)) {
    const purse = open.get(above)
    if (purse) return purse
    seen.add(above)
    above = store.read.session(above)?.parentID
  }
  return undefined
}
