import type { Classified } from "../model/errors.ts"
import type { ResolvedModel } from "../model/define.ts"
import type { Failure } from "./attempt.ts"
import { createContext } from "./context.ts"
import { conversationOf } from "./conversation.ts"
import {
  type Demand,
  type LineUp,
  type LookOut,
  fallsOver,
  firstReady,
  mediaIn,
  modelName,
  noneLeft,
} from "./fallback.ts"
import { historyOf } from "./history.ts"
import { requestTokens, roomFor, usableOf } from "./request-size.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"

/**
 * Which model answers, step by step:
 *
 *     chosen ──fails for good, or is to wait long──► the next of the line-up that is able
 *        ▲                                                 │
 *        └──────────── its rest is over ───────────────────┘
 *
 * A change happens between two steps, never within one: the message of a failed try is closed and stays what it was,
 * and calls that it made count as made. An interruption while the next model is prepared leaves the turn as it was.
 */
export async function settleModel(deps: TurnDeps, turn: Turn): Promise<void> {
  const [chosen] = turn.lineUp
  // Whoever stands in goes on until the chosen one is back, even if a better one has rested meanwhile.
  const order: LineUp = turn.model === chosen ? turn.lineUp : [chosen, turn.model, ...turn.lineUp.slice(1)]
  const model = firstReady(order, lookOut(deps, turn)) ?? turn.model
  if (model !== turn.model) await takeOver(deps, turn, model)
}

async function takeOver(deps: TurnDeps, turn: Turn, model: ResolvedModel): Promise<void> {
  const { run } = turn
  const [chosen] = turn.lineUp
  const rest = deps.cooldowns.resting(chosen)
  const footing = await deps.footing(model)
  run.signal.throwIfAborted()
  const { counted } = turn.context
  Object.assign(turn, footing, { overflows: 0, compactions: 0 })
  const room = roomFor(usableOf(deps, turn))
  const stored = conversationOf(deps.store.read, run.sessionID, room)
  turn.context = createContext(turn.target, historyOf(stored, room), { counted })
  const { providerID, modelID } = chosen.ref
  turn.standsInFor = model === chosen ? undefined : { providerID, modelID, ...(rest ?? passedOver(run.clock.now())) }
  turn.log.info("another model takes over", { sessionID: run.sessionID, model: modelName(model), rest })
}

/** The chosen one has rested, but was not asked again. */
const passedOver = (now: number) => ({ message: "It failed in this turn.", until: now })

/** Will another model go on after this failure? Then it is no error of the turn. */
export function hasHeir(deps: TurnDeps, turn: Turn, failure: Classified): boolean {
  if (!fallsOver(failure.class, turn.standsInFor !== undefined)) return false
  const look = lookOut(deps, turn)
  const failed = new Map(turn.failed).set(modelName(turn.model), failure)
  // Where nobody answers, nobody answers for its other models.
  const gone = failure.network === undefined ? undefined : turn.model.baseURL
  const resting = (model: Pick<ResolvedModel, "ref" | "baseURL">) =>
    gone !== undefined && model.baseURL === gone
      ? { message: failure.message, until: Infinity }
      : deps.cooldowns.resting(model)
  return firstReady(turn.lineUp, { ...look, failed, cooldowns: { resting } }) !== undefined
}

/**
 * Leaves the model alone that failed. Undefined when another one goes on; else the failure that ends the turn, with the
 * reasons of all models where there are several.
 */
export function fallOver(deps: TurnDeps, turn: Turn, failure: Failure): Failure | undefined {
  const { cause } = failure
  if (!cause || !fallsOver(cause.class, turn.standsInFor !== undefined)) return failure
  deps.cooldowns.fail(turn.model, cause)
  turn.failed.set(modelName(turn.model), { message: cause.message, class: cause.class })
  if (turn.lineUp.length === 1) return failure
  const look = lookOut(deps, turn)
  return firstReady(turn.lineUp, look) ? undefined : noneLeft(turn.lineUp, look, turn.run.clock.now())
}

/** A model answered: what failed before it is no reason any more, except to those that still rest. */
export function answeredBy(deps: TurnDeps, turn: Turn): void {
  deps.cooldowns.clear(turn.model)
  turn.failed.clear()
}

function lookOut(deps: TurnDeps, turn: Turn): LookOut {
  let known: Demand | undefined
  const demand = (): Demand =>
    (known ??= {
      tokens: requestTokens(turn),
      usable: usableOf(deps, turn),
      media: mediaIn(turn.context.messages()),
      reserved: deps.compaction.reserved,
    })
  return { cooldowns: deps.cooldowns, failed: turn.failed, demand }
}
