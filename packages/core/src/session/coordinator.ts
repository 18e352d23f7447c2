import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Log } from "@cairn/kernel/log"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { Span, Tracer } from "@cairn/kernel/span"
import { TaskGroup } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import { noTokens } from "@cairn/schema/model"
import type { Delivery, InboxItem } from "@cairn/schema/prompt"
import type { SessionStatus } from "@cairn/schema/session"
import type { AskMode } from "@cairn/schema/permission"
import type { TurnOutcome } from "@cairn/schema/engine"
import type { Store } from "../store/store.ts"
import { abandonRun } from "./abandon-run.ts"
import { type Admission, admit, delivered } from "./admit.ts"
import { busy, busyHere } from "./busy.ts"
import { heartbeat } from "./heartbeat.ts"
import { notWaiting, stillWaiting } from "./inbox.ts"
import { storeNote, takeNotes } from "./notes.ts"
import { recoverSession } from "./recovery.ts"
import { type Run, createRun } from "./run.ts"
import { noteOutcome, turnSpan } from "./turn-span.ts"
import { type Answered, createWaiters } from "./waiters.ts"

/** What a run is about. */
export interface Begun {
  readonly run: Run
  readonly admission: Admission
  /** The prompt that began it, as it is stored; undefined when the user wants a compaction. */
  readonly messageID: string | undefined
  /** A command line of the user's own, that is run in place of a model. */
  readonly shell?: string
  readonly asks: AskMode
  /** Work beside the turn: cancelled and joined when the turn ends. */
  readonly group: TaskGroup
  /** Of the whole run. */
  readonly span: Span
}

export interface CoordinatorDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly tracer: Tracer
  /** Texts that go before the user's own in a new user message (the date). */
  facts(sessionID: string, admission: Admission): readonly string[]
  /** Changes of the session that come with its prompt (a title). */
  sessionChanges(sessionID: string, admission: Admission): readonly DurableEvent[]
  /** Makes a revert final, before anything is said after it. */
  cleanUp(sessionID: string): void
  /** Prompts that were queued in another process wait on: nobody here would see them answered. */
  readonly leavesQueued?: boolean
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
  /**
   * Stores a prompt that nobody answers: now, which gives its message, or when the run that is under way here has ended.
   * Busy when another process runs the session.
   */
  note(sessionID: string, admission: Admission): Result<string | undefined, SetupError>
  /** Compacts an idle session, as a run of its own. Busy when something runs, here or elsewhere. */
  compact(sessionID: string, by: Pick<Admission, "agent" | "model">): Promise<Result<TurnOutcome, SetupError>>
  /** Runs a command line of the user's in an idle session, as a run of its own. Busy when something runs, here or elsewhere. */
  shell(sessionID: string, admission: Admission, command: string): Promise<Result<TurnOutcome, SetupError>>
  /** Begins a prompt that is held no more, when the session is idle; one that runs will come to it. */
  letGo(sessionID: string, inboxID: string): void
  /** Interrupts the run and resolves when its last event stands. False when nothing ran here. */
  abort(sessionID: string): Promise<boolean>
  /**
   * Does work on an idle session that no prompt may run beside: what comes meanwhile waits, and runs afterwards. `first` is
   * appended as the session is taken, what `work` gives as it is given back. Busy when something runs. An abort does not
   * interrupt it. When `work` rejects, nothing more is appended.
   */
  hold<T>(
    sessionID: string,
    first: readonly DurableEvent[],
    work: () => Promise<{ readonly events: readonly DurableEvent[]; readonly value: T }>,
  ): Promise<Result<T, SetupError>>
  /** Ends what runs the session here, and what a dead process left of a run. Busy when a living one runs it. */
  vacate(sessionID: string): Promise<Result<void, SetupError>>
  status(sessionID: string): SessionStatus
  /** Of every session that runs in this process, by its id. */
  statuses(): Record<string, SessionStatus>
}

interface Active {
  readonly runID: string
  readonly group: TaskGroup
  readonly asks: AskMode
  /** A turn takes prompts in at its next step; a compaction and a command of the user's have none. */
  readonly steerable: boolean
  readonly outcome: Promise<TurnOutcome>
}

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
 * with the next prompt. A prompt to a session that another process runs is refused and appends nothing. A compaction
 * and a command of the user's have no next step: what comes while they run is queued.
 * Disposing aborts every run of this process and joins them; a prompt that comes then rejects and appends nothing.
 */
export const createCoordinator = (deps: CoordinatorDeps): Coordinator => new SessionCoordinator(deps)

class SessionCoordinator implements Coordinator {
  readonly #deps: CoordinatorDeps
  /** Never cancelled, so that every run is joined to its end and what comes after it; each run has a group to interrupt it. */
  readonly #scope = new TaskGroup()
  readonly #active = new Map<string, Active>()
  readonly #statuses = new Map<string, SessionStatus>()
  readonly #waiters = createWaiters()
  readonly #unsubscribe: () => void
  #closing = false

  constructor(deps: CoordinatorDeps) {
    this.#deps = deps
    this.#unsubscribe = deps.store.subscribe((event) => {
      // Before any client sees the end: the next prompt may come from its listener.
      if (event.type === "session.turn.ended") this.#release(event.properties.sessionID, event.properties.runID)
      if (event.type === "session.status") this.#note(event.properties.sessionID, event.properties.status)
      if (event.type === "session.inbox.updated") this.#changed(event.properties.sessionID, event.properties.item)
      if (event.type === "session.inbox.removed" && event.properties.reason === "cancelled")
        this.#waiters.answer(event.properties.inboxID, err(notWaiting(event.properties.inboxID)))
    })
  }

  async prompt(sessionID: string, admission: Admission, { delivery, asks }: PromptOptions): Promise<Answered> {
    const run = this.#active.get(sessionID)
    if (run) return this.#enqueue(sessionID, admission, { delivery, asks }, run)
    const begun = this.#begin(sessionID, admission, asks)
    return begun.ok ? ok(await begun.value) : begun
  }

  note(sessionID: string, admission: Admission): Result<string | undefined, SetupError> {
    const { store, clock, log } = this.#deps
    if (this.#closing) throw new Interrupted("the engine is closing")
    if (this.#active.has(sessionID)) {
      this.#wait(sessionID, { ...admission, delivery: "queue", noReply: true })
      return ok(undefined)
    }
    recoverSession(store, clock, log, sessionID)
    this.#deps.cleanUp(sessionID)
    takeNotes(this.#deps, sessionID)
    const { held, messageID } = storeNote(this.#deps, sessionID, admission)
    return held ? err(busy(sessionID, held)) : ok(messageID)
  }

  async compact(sessionID: string, by: Pick<Admission, "agent" | "model">): Promise<Answered> {
    const begun = this.#start(sessionID, { asks: "deny" }, () => ({
      admission: { ...by, parts: [] },
      messageID: undefined,
      events: [],
    }))
    return begun.ok ? ok(await begun.value) : begun
  }

  async shell(sessionID: string, admission: Admission, command: string): Promise<Answered> {
    if (this.#active.has(sessionID)) return err(busyHere(sessionID))
    const begun = this.#begin(sessionID, admission, "deny", { shell: command })
    return begun.ok ? ok(await begun.value) : begun
  }

  async hold<T>(
    sessionID: string,
    first: readonly DurableEvent[],
    work: () => Promise<{ readonly events: readonly DurableEvent[]; readonly value: T }>,
  ): Promise<Result<T, SetupError>> {
    if (this.#closing) throw new Interrupted("the engine is closing")
    const { store, clock, log } = this.#deps
    if (this.#active.has(sessionID)) return err(busyHere(sessionID))
    recoverSession(store, clock, log, sessionID)
    const group = new TaskGroup()
    const run = createRun(this.#deps, sessionID, group)
    const held = store.begin(sessionID, run.runID, first)
    if (held) return err(busy(sessionID, held))
    store.publish({ type: "session.status", properties: { sessionID, status: { type: "busy" } } })
    const done = this.#scope.run(() => this.#settle(run, group, work))
    const outcome = done.then(() => nothingSaid(sessionID))
    this.#active.set(sessionID, { runID: run.runID, group, asks: "deny", steerable: false, outcome })
    const settled = await done
    if (!settled.ok) throw settled.error
    return settled
  }

  async abort(sessionID: string): Promise<boolean> {
    const run = this.#active.get(sessionID)
    if (!run) return false
    run.group.cancel(new Interrupted())
    await run.outcome
    return true
  }

  async vacate(sessionID: string): Promise<Result<void, SetupError>> {
    const { store, clock, log } = this.#deps
    while (await this.abort(sessionID));
    recoverSession(store, clock, log, sessionID)
    const held = store.leases.get(sessionID)
    return held ? err(busy(sessionID, held)) : ok(undefined)
  }

  letGo(sessionID: string, inboxID: string): void {
    if (this.#closing || this.#active.has(sessionID)) return
    if (this.#deps.leavesQueued && !this.#waiters.has(inboxID)) return
    const item = this.#deps.store.read.inbox(sessionID).find(({ id }) => id === inboxID)
    if (item && item.hold !== true && item.noReply !== true) this.#beginQueued(sessionID, item, item.asks ?? "deny")
  }

  status(sessionID: string): SessionStatus {
    if (!this.#active.has(sessionID)) return { type: "idle" }
    return this.#statuses.get(sessionID) ?? { type: "busy" }
  }

  statuses(): Record<string, SessionStatus> {
    return Object.fromEntries([...this.#active.keys()].map((id) => [id, this.status(id)]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    for (const { group } of this.#active.values()) group.cancel(new Interrupted())
    await this.#scope.join()
    for (const inboxID of this.#waiters.of()) this.#waiters.answer(inboxID, err(stillWaiting(inboxID)))
    this.#unsubscribe()
  }

  /** Stores a prompt as the user message of a new run. */
  #begin(
    sessionID: string,
    admission: Admission,
    asks: AskMode,
    { item, shell }: { readonly item?: InboxItem; readonly shell?: string } = {},
  ): Result<Promise<TurnOutcome>, SetupError> {
    return this.#start(sessionID, { asks, until: item, ...(shell !== undefined && { shell }) }, (run) => {
      const facts = this.#deps.facts(sessionID, admission)
      const { message, events } = admit(run, admission, { now: run.clock.now(), facts })
      const taken = item ? [delivered(sessionID, item)] : []
      const changes = this.#deps.sessionChanges(sessionID, admission)
      return { admission, messageID: message.info.id, events: [...taken, ...events, ...changes] }
    })
  }

  /** Takes the lease, appends the first events and starts the run, all in one tick. */
  #start(
    sessionID: string,
    { asks, until, shell }: { readonly asks: AskMode; readonly until?: InboxItem | undefined; readonly shell?: string },
    first: (run: Run) => Pick<Begun, "admission" | "messageID"> & { events: DurableEvent[] },
  ): Result<Promise<TurnOutcome>, SetupError> {
    if (this.#closing) throw new Interrupted("the engine is closing")
    const { store, clock, log } = this.#deps
    recoverSession(store, clock, log, sessionID)
    this.#deps.cleanUp(sessionID)
    takeNotes(this.#deps, sessionID, until)
    const group = new TaskGroup()
    const run = createRun(this.#deps, sessionID, group)
    const { admission, messageID, events } = first(run)
    const started = { sessionID, runID: run.runID, time: clock.now() }
    const held = store.begin(sessionID, run.runID, [{ type: "session.turn.started", properties: started }, ...events])
    if (held) return err(busy(sessionID, held))
    store.publish({ type: "session.status", properties: { sessionID, status: { type: "busy" } } })
    const begun = { run, admission, messageID, ...(shell !== undefined && { shell }) }
    const outcome = this.#scope.run(() => this.#supervise({ ...begun, asks, group }))
    const steerable = messageID !== undefined && shell === undefined
    this.#active.set(sessionID, { runID: run.runID, group, asks, steerable, outcome })
    return ok(outcome)
  }

  /** What `work` gave, or what it threw; the session is free then. Never rejects. */
  async #settle<T>(
    run: Run,
    group: TaskGroup,
    work: () => Promise<{ readonly events: readonly DurableEvent[]; readonly value: T }>,
  ): Promise<Result<T, unknown>> {
    const stopBeating = heartbeat(this.#deps, run.runID, group)
    try {
      await using _ = group
      const { events, value } = await work()
      run.end(...events)
      return ok(value)
    } catch (error) {
      this.#letGo(run)
      return err(error)
    } finally {
      stopBeating()
      this.#release(run.sessionID, run.runID)
    }
  }

  #letGo(run: Run): void {
    try {
      run.end()
    } catch (error) {
      this.#deps.log.error("a session could not be given back", { sessionID: run.sessionID, error })
    }
  }

  /** One run from start to end. Never rejects: a defect ends the turn, and what cannot even be recorded is an outcome too. */
  async #supervise(begun: Omit<Begun, "span">): Promise<TurnOutcome> {
    using span = turnSpan(this.#deps.tracer, begun)
    const outcome = await this.#watch({ ...begun, span })
    noteOutcome(span, outcome)
    return outcome
  }

  async #watch(begun: Begun): Promise<TurnOutcome> {
    const { run, group } = begun
    const stopBeating = heartbeat(this.#deps, run.runID, group)
    try {
      await using _ = group
      return await this.#deps.turn(begun)
    } catch (error) {
      this.#deps.log.error("a run failed outside of its turn", { sessionID: run.sessionID, error })
      return abandonRun(this.#deps, run, error)
    } finally {
      stopBeating()
      this.#release(run.sessionID, run.runID)
    }
  }

  #note(sessionID: string, status: SessionStatus): void {
    if (status.type === "idle") this.#statuses.delete(sessionID)
    else this.#statuses.set(sessionID, status)
  }

  /** The session is free from here on. Idempotent. */
  #release(sessionID: string, runID: string): void {
    const run = this.#active.get(sessionID)
    if (run?.runID !== runID) return
    this.#active.delete(sessionID)
    void this.#scope.run(() => run.outcome.then((outcome) => this.#afterwards(sessionID, run, outcome)))
  }

  /** Starts what is queued; otherwise tells those who wait that it stays in the inbox. */
  #afterwards(sessionID: string, ended: Active, outcome: TurnOutcome): void {
    if (this.#active.has(sessionID) || this.#startQueued(sessionID, ended, outcome)) return
    const { store, log } = this.#deps
    try {
      takeNotes(this.#deps, sessionID)
    } catch (error) {
      log.error("a prompt that nobody answers could not be stored", { sessionID, error })
    }
    const waiting = new Map(store.read.inbox(sessionID).map((item) => [item.id, item]))
    for (const inboxID of this.#waiters.of(sessionID)) {
      const item = waiting.get(inboxID)
      // What another process cancelled is gone without a word.
      if (!item) this.#waiters.answer(inboxID, err(notWaiting(inboxID)))
      else if (item.hold !== true || this.#closing) this.#waiters.answer(inboxID, ok(outcome))
    }
    store.publish({ type: "session.status", properties: { sessionID, status: { type: "idle" } } })
    store.publish({ type: "session.idle", properties: { sessionID } })
  }

  /** Begins the oldest queued prompt after a run that ended well. True when it runs now. */
  #startQueued(sessionID: string, ended: Active, { reason }: TurnOutcome): boolean {
    // A compaction that failed leaves everything as it was: no reason not to go on.
    const goesOn = reason === "done" || reason === "step_limit" || (!ended.steerable && reason === "error")
    if (!goesOn || this.#closing) return false
    const { store, log } = this.#deps
    try {
      // A prompt that was made to steer while there was no turn to enter is a turn of its own.
      const ready = (item: InboxItem) =>
        item.hold !== true &&
        item.noReply !== true &&
        (item.delivery === "queue" || !ended.steerable) &&
        (this.#waiters.has(item.id) || !this.#deps.leavesQueued)
      const next = store.read.inbox(sessionID).find(ready)
      if (!next) return false
      return this.#beginQueued(sessionID, next, this.#asksOf(next, ended))
    } catch (error) {
      log.error("a queued prompt could not be started", { sessionID, error })
      return false
    }
  }

  #beginQueued(sessionID: string, item: InboxItem, asks: AskMode): boolean {
    const begun = this.#begin(sessionID, item, asks, { item })
    this.#waiters.answer(item.id, begun.ok ? begun.value.then(ok) : begun)
    return begun.ok
  }

  /** A queued prompt that steers now is answered by the turn that it enters. */
  #changed(sessionID: string, { id, delivery }: InboxItem): void {
    const run = this.#active.get(sessionID)
    if (delivery === "steer" && run?.steerable) this.#waiters.answer(id, run.outcome.then(ok))
  }

  /** A queued prompt keeps its own way of being asked, but nobody is waited for who has gone. */
  #asksOf({ id, asks = "wait" }: InboxItem, ended: Active): AskMode {
    const gone = !this.#waiters.has(id) && ended.asks !== "wait"
    return asks === "wait" && gone ? "deny" : asks
  }

  #enqueue(sessionID: string, admission: Admission, wanted: PromptOptions, run: Active): Promise<Answered> {
    const { asks } = wanted
    const delivery = run.steerable && !standsAlone(admission) ? wanted.delivery : "queue"
    const item = this.#wait(sessionID, { ...admission, delivery, asks })
    if (delivery === "steer") return run.outcome.then(ok)
    return this.#waiters.add(sessionID, item.id)
  }

  /** Puts a prompt into the inbox. */
  #wait(sessionID: string, prompt: Omit<InboxItem, "id" | "time">): InboxItem {
    const { store, ids, clock } = this.#deps
    const item = { ...prompt, id: ids.next("inbox"), time: { created: clock.now() } }
    store.append(sessionID, [{ type: "session.inbox.added", properties: { sessionID, item } }])
    return item
  }
}

/** What changes the system prompt or the tools cannot enter a turn that has begun with others. */
const standsAlone = ({ system, tools, format }: Admission): boolean =>
  system !== undefined || tools !== undefined || (format !== undefined && format.type !== "text")

const nothingSaid = (sessionID: string): TurnOutcome => {
  return { sessionID, reason: "done", text: "", tokens: noTokens(), cost: 0, denied: 0 }
}
