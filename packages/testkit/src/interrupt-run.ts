import { systemClock } from "@cairn/kernel/clock"
import { Deadline } from "@cairn/kernel/deadline"
import { abortable } from "@cairn/kernel/task"
import type { LogEntry } from "@cairn/schema/event"
import { gate, type Gate } from "./gate.ts"
import { checkLog } from "./log-checker.ts"
import { stillAlive } from "./process-tree.ts"
import type { CapturedRequest, WireProtocol } from "./request.ts"
import type { Reply } from "./scenario.ts"
import { startModelServer, type ModelServer } from "./server.ts"

/** A tool call that blocks or runs long, and that the driver's rules allow. */
export interface LongCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What a driver is asked to run: one prompt, whatever its text, against the scripted server. */
export interface InterruptInput {
  readonly server: ModelServer
  readonly protocol: WireProtocol
  /** Use this for the model's requests. In case C it does not pass the signal on: a provider that ignores it. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
}

/** A prompt on its way. Disposing releases the engine and its workspace. */
export interface InterruptRun extends AsyncDisposable {
  readonly sessionID: string
  /** Interrupts the run; resolves when its last event stands. */
  abort(): Promise<unknown>
  /** Settles when the turn has ended. */
  readonly done: Promise<unknown>
  /** The session's durable log so far. */
  log(): readonly LogEntry[]
  /** Calls back after every event of the session. Returns how to stop. */
  subscribe(listener: () => void): () => void
  /** Processes that the run has started and that must not outlive it. */
  childPids?(): readonly number[]
  /** Sends one more prompt to the same session. Resolves with the reason of its turn's end. */
  goOn?(): Promise<string>
}

export interface InterruptDriver {
  start(input: InterruptInput): Promise<InterruptRun>
}

export interface InterruptOptions {
  /** Default `anthropic`. Case B needs a protocol whose client completes a call in mid-stream, as its does. */
  readonly protocol?: WireProtocol
  /** Resolves when the call is really under way (its process runs). Default: its part is `running` in the log. */
  readonly underWay?: (run: InterruptRun) => Promise<unknown>
  /** How long anything may take before it counts as hanging, real ms. */
  readonly bound?: number
  /** Random interrupts: answers beside the usual ones, as often as one in three. */
  readonly troubles?: readonly Reply[]
}

/** Rejects when the promise takes too long in real time. */
export type Bound = <T>(promise: Promise<T>) => Promise<T>

/** One prompt: what the model answers, and when it is interrupted. */
export interface Plan {
  reply(index: number, request: CapturedRequest): Reply
  /** Resolves at the moment to interrupt. */
  interrupt(run: InterruptRun, bound: Bound, server: ModelServer): Promise<unknown>
  /** The provider does not notice that it is interrupted. */
  readonly deaf?: boolean
  /** The turn may be over, or not begun, when it is interrupted. Otherwise it must end as `aborted`. */
  readonly anyEnd?: boolean
  /** The session is given another prompt afterwards, which must end as `done`. The driver's run has `goOn`. */
  readonly goesOn?: boolean
}

/**
 * Runs a plan and judges what is left: settled in time, a good log, nothing written late, no process. An unhandled
 * rejection fails the test by itself under `bun test`.
 */
export async function interrupted(driver: InterruptDriver, plan: Plan, options: InterruptOptions): Promise<string[]> {
  const problems: string[] = []
  const limit = options.bound ?? 10_000
  const bounded =
    (what: string): Bound =>
    async (promise) => {
      using deadline = new Deadline(systemClock, what, limit)
      return await abortable(promise, deadline.signal)
    }
  try {
    await using server = await startModelServer((request, index) => plan.reply(index, request))
    const protocol = options.protocol ?? "anthropic"
    await using run = await driver.start({
      server,
      protocol,
      fetch: plan.deaf ? deafFetch : (input, init) => fetch(input, init),
    })
    const settled = run.done.then(
      () => undefined,
      (error: unknown) => void problems.push(`done rejected: ${String(error)}`),
    )
    await plan.interrupt(run, bounded("the moment to interrupt"), server)
    const children = run.childPids?.() ?? []
    await bounded("abort")(run.abort())
    problems.push(...checkLog(run.log()).map((problem) => `after abort: ${problem}`))
    if (!plan.anyEnd) problems.push(...endOf(run.log()))
    const length = run.log().length
    await bounded("the end of the turn")(settled)
    await turns(5)
    if (run.log().length !== length) problems.push("events were written after abort had resolved")
    const left = await stillAlive([...children, ...(run.childPids?.() ?? [])], Math.min(limit, 2_000))
    if (left.length > 0) problems.push(`processes outlive the run: ${left.join(", ")}`)
    if (plan.goesOn) problems.push(...(await after(run, bounded("the next prompt"))))
    problems.push(...server.unexpected.map(({ reason }) => `the provider would refuse: ${reason}`))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await turns(5)
  }
  return problems
}

function endOf(log: readonly LogEntry[]): string[] {
  const last = log.findLast(({ event }) => event.type === "session.turn.ended")?.event
  if (last?.type !== "session.turn.ended") return ["abort resolved before the turn had ended"]
  return last.properties.reason === "aborted" ? [] : [`the turn ended as ${last.properties.reason}, not as aborted`]
}

/** What is wrong with the session when it is used again. */
async function after(run: InterruptRun, bound: Bound): Promise<string[]> {
  if (!run.goOn) return ["the driver cannot go on"]
  const reason = await bound(run.goOn())
  const wrong = reason === "done" ? [] : [`the next prompt ended as ${reason}, not as done`]
  return [...wrong, ...checkLog(run.log()).map((problem) => `after going on: ${problem}`)]
}

/** Real ms without an event after which a random run counts as blocked. */
const quietTime = 60

/** `fetch` of a provider that does not listen to the signal. Ends when the server closes the socket. */
const deafFetch: InterruptInput["fetch"] = (input, init) => fetch(input, { ...init, signal: null })

/** Resolves when a tool part is `running`. */
export const toolRuns = (run: InterruptRun) =>
  seen(
    run,
    ({ event }) =>
      event.type === "message.part.updated" &&
      event.properties.part.type === "tool" &&
      event.properties.part.state.status === "running",
  )

/** Resolves when a text part of an answer has been opened. */
export const answerBegan = (run: InterruptRun) =>
  seen(
    run,
    ({ event }) =>
      event.type === "message.part.updated" &&
      event.properties.part.type === "text" &&
      event.properties.part.time !== undefined,
  )

function seen(run: InterruptRun, wanted: (entry: LogEntry) => boolean): Promise<void> {
  return when(run, () => run.log().some(wanted))
}

/** Resolves after `count` events, when the turn is over, or when nothing has happened for a while: the model hangs, a tool blocks. */
export async function eventCount(run: InterruptRun, count: number): Promise<void> {
  const reached = gate()
  let events = 0
  let quiet = setTimeout(reached.open, quietTime)
  const stop = run.subscribe(() => {
    clearTimeout(quiet)
    if (++events >= count) reached.open()
    else quiet = setTimeout(reached.open, quietTime)
  })
  if (count === 0) reached.open()
  run.done.then(reached.open, reached.open)
  await reached.opened
  clearTimeout(quiet)
  stop()
}

/** Resolves at the first event, or now, at which `check` holds. */
async function when(run: InterruptRun, check: () => boolean): Promise<void> {
  const found: Gate = gate()
  const look = () => {
    if (!found.isOpen && check()) found.open()
  }
  const stop = run.subscribe(look)
  look()
  await found.opened.finally(stop)
}

/** Settles as `wanted` does; rejects when the turn ends before that, since then there is nothing to interrupt. */
export function unlessOver<T>(run: InterruptRun, wanted: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = () => reject(new Error("the turn ended before it could be interrupted"))
    wanted.then(resolve, reject)
    run.done.then(over, over)
  })
}

/** Lets everything that can go on go on, `count` times. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}
