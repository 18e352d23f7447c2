import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Log } from "@cairn/kernel/log"
import { type Result, err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import { noTokens } from "@cairn/schema/model"
import type { Delivery, InboxItem } from "@cairn/schema/prompt"
import type { SessionStatus } from "@cairn/schema/session"
import type { AskMode, TurnOutcome } from "../engine.ts"
import { type Lease, heartbeatEvery } from "../store/lease.ts"
import type { Store } from "../store/store.ts"
import { type Admission, admit } from "./admit.ts"
import { recoverSession } from "./recovery.ts"
import { type Run, sessionIDs } from "./run.ts"

/** What a run is about: the prompt that began it, stored as `messageID`. */
export interface Begun {
  readonly run: Run
  readonly admission: Admission
  readonly messageID: string
  readonly asks: AskMode
  /** Work beside the turn: cancelled and joined when the turn ends. */
  readonly group: TaskGroup
}

export interface CoordinatorDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Texts that go before the user's own in a new user message (the date). */
  facts(sessionID: string, admission: Admission): readonly string[]
  /** Changes of the session that come with its prompt (a title). */
  sessionChanges(sessionID: string, admission: Admission): readonly DurableEvent[]
  /** Runs the turn that answers the user message, to the end that it appends by `run.end`. */
  turn(begun: Begun): Promise<TurnOutcome>
}

interface PromptOptions {
  readonly delivery: Delivery
  readonly asks: AskMode
}

export interface Coordinator extends AsyncDisposable {
  /** Resolves when the turn that answers the prompt has ended. It is durable before this returns its promise. */
  prompt(sessionID: string, admission: Admission, options: PromptOptions): Promise<Result<TurnOutcome, SetupError>>
  /** Interrupts the run and resolves when its last event stands. False when nothing ran here. */
  abort(sessionID: string): Promise<boolean>
  status(sessionID: string): SessionStatus
}

interface Active {
  readonly runID: string
  readonly group: TaskGroup
  readonly asks: AskMode
  outcome: Promise<TurnOutcome>
}

type Answered = Result<TurnOutcome, SetupError>

/**
 * At most one run per session, across processes: a run holds the session's lease.
 *
 *            prompt                       turn ended, nothing queued
 *     idle ──────────► running ───────────────────────────────────────► idle
 *                      │     ▲
 *       steer: inbox,  │     │ queue: inbox, becomes the next turn
 *       enters at the  └─────┘ when this one ended well
 *       next step
 *
 * `abort` cancels the run; its tools settle, its end is recorded. What still waits in the inbox stays there, and enters
 * with the next prompt. A prompt to a session that another process runs is refused and appends nothing.
 * Disposing aborts every run of this process and joins them.
 */
export function createCoordinator(deps: CoordinatorDeps): Coordinator {
  const { store, clock, ids, log } = deps
  const scope = new TaskGroup()
  const active = new Map<string, Active>()
  const statuses = new Map<string, SessionStatus>()
  const queued = new Map<string, PromiseWithResolvers<Answered>>()
  const unsubscribe = store.subscribe((event) => {
    if (event.type === "session.status") statuses.set(event.properties.sessionID, event.properties.status)
  })

  const createRun = (sessionID: string, group: TaskGroup): Run => {
    const runID = ids.next("run")
    return {
      sessionID,
      runID,
      signal: group.signal,
      clock,
      write: (...events) => void store.append(sessionID, events, runID),
      end(...events) {
        store.end(sessionID, runID, events)
        release(sessionID, runID)
      },
      publish: (event) => store.publish(event),
      ...sessionIDs(store, ids, sessionID),
    }
  }

  const begin = (sessionID: string, admission: Admission, asks: AskMode, item?: InboxItem): Result<Promise<TurnOutcome>, SetupError> => {
    recoverSession(store, clock, log, sessionID)
    const group = new TaskGroup(scope.signal)
    const run = createRun(sessionID, group)
    const { message, events } = admit(run, admission, { now: clock.now(), facts: deps.facts(sessionID, admission) })
    const held = store.begin(sessionID, run.runID, [
      { type: "session.turn.started", properties: { sessionID, runID: run.runID, time: clock.now() } },
      ...(item ? [delivered(sessionID, item)] : []),
      ...events,
      ...deps.sessionChanges(sessionID, admission),
    ])
    if (held) return err(busy(sessionID, held))
    store.publish({ type: "session.status", properties: { sessionID, status: { type: "busy" } } })
    const begun = { run, admission, messageID: message.info.id, asks, group }
    const outcome = scope.run(() => supervise(begun))
    active.set(sessionID, { runID: run.runID, group, asks, outcome })
    return ok(outcome)
  }

  /** One run from start to end. Never rejects: what cannot even be recorded is an outcome too. */
  const supervise = async (begun: Begun): Promise<TurnOutcome> => {
    const { run, group } = begun
    const stopBeating = heartbeat(deps, run.runID)
    try {
      await using _ = group
      return await deps.turn(begun)
    } catch (error) {
      log.error("a run could not be ended properly", { sessionID: run.sessionID, error })
      return unrecorded(run.sessionID, error)
    } finally {
      stopBeating()
      release(run.sessionID, run.runID)
    }
  }

  /** The session is free from here on. Idempotent. */
  const release = (sessionID: string, runID: string): void => {
    const run = active.get(sessionID)
    if (run?.runID !== runID) return
    active.delete(sessionID)
    void scope.run(() => run.outcome.then((outcome) => afterwards(sessionID, run.asks, outcome))).catch(() => undefined)
  }

  /** Starts what is queued after a turn that ended well; otherwise tells those who wait that it stays in the inbox. */
  const afterwards = (sessionID: string, asks: AskMode, outcome: TurnOutcome): void => {
    if (active.has(sessionID)) return
    const items = store.read.inbox(sessionID).filter((item) => item.delivery === "queue")
    const next = outcome.reason === "done" || outcome.reason === "step_limit" ? items[0] : undefined
    if (next && !scope.signal.aborted) {
      const begun = begin(sessionID, next, asks, next)
      settleQueued(next.id, begun.ok ? begun.value.then(ok) : begun)
      if (begun.ok) return
    }
    for (const item of items) settleQueued(item.id, ok(outcome))
    store.publish({ type: "session.status", properties: { sessionID, status: { type: "idle" } } })
    store.publish({ type: "session.idle", properties: { sessionID } })
  }
  const settleQueued = (inboxID: string, answer: Answered | Promise<Answered>): void => {
    queued.get(inboxID)?.resolve(answer)
    queued.delete(inboxID)
  }

  const enqueue = (sessionID: string, admission: Admission, delivery: Delivery, run: Active): Promise<Answered> => {
    const item: InboxItem = { ...admission, id: ids.next("inbox"), delivery, time: { created: clock.now() } }
    store.append(sessionID, [{ type: "session.inbox.added", properties: { sessionID, item } }])
    if (delivery === "steer") return run.outcome.then(ok)
    const waiter = Promise.withResolvers<Answered>()
    queued.set(item.id, waiter)
    return waiter.promise
  }

  return {
    async prompt(sessionID, admission, { delivery, asks }) {
      const run = active.get(sessionID)
      if (run) return enqueue(sessionID, admission, delivery, run)
      const begun = begin(sessionID, admission, asks)
      return begun.ok ? ok(await begun.value) : begun
    },
    async abort(sessionID) {
      const run = active.get(sessionID)
      if (!run) return false
      run.group.cancel(new Interrupted())
      await run.outcome
      return true
    },
    status: (sessionID) => (active.has(sessionID) ? (statuses.get(sessionID) ?? { type: "busy" }) : { type: "idle" }),
    async [Symbol.asyncDispose]() {
      scope.cancel(new Interrupted())
      await scope.join()
      unsubscribe()
    },
  }
}

const delivered = (sessionID: string, item: InboxItem): DurableEvent => ({
  type: "session.inbox.removed",
  properties: { sessionID, inboxID: item.id, reason: "delivered" },
})

/** Writes the heartbeat of a run every 5 s. Returns how to stop. */
function heartbeat({ store, clock, log }: CoordinatorDeps, runID: string): () => void {
  let cancel = () => {}
  const beat = () => {
    try {
      store.leases.beat(runID, clock.now())
    } catch (error) {
      log.error("the heartbeat of a run could not be written", { runID, error })
    }
    next()
  }
  const next = () => {
    cancel = clock.timer(heartbeatEvery, beat)
  }
  next()
  return () => cancel()
}

function busy(sessionID: string, lease: Lease): SetupError {
  const since = new Date(lease.since).toISOString()
  return {
    kind: "busy",
    message: `Session ${sessionID} is running in another process (pid ${lease.pid}, since ${since}). Wait for it to end, stop it, or start a new session.`,
  }
}

function unrecorded(sessionID: string, error: unknown): TurnOutcome {
  const message = `The turn ended and this could not be recorded: ${error instanceof Error ? error.message : String(error)}`
  return {
    sessionID,
    reason: "error",
    text: "",
    tokens: noTokens(),
    cost: 0,
    error: { name: "UnknownError", data: { message } },
    denied: 0,
  }
}
