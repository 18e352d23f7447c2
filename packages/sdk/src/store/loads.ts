import type { Clock } from "@cairn/kernel/clock"
import { TaskGroup, abortable } from "@cairn/kernel/task"
import type { Read, SourceFailure } from "./source.ts"
import type { StreamEvent } from "./stream-event.ts"

/** One thing that is read. What `take` gets is of a moment between the call of `read` and its end. */
export interface Load<T> {
  /** A load whose key is under way already is not begun. */
  readonly key: string
  /** Whether an event may concern what is read. */
  concerns(event: StreamEvent): boolean
  read(signal: AbortSignal): Read<T>
  /** Puts it in place of what was there. */
  take(value: T): void
  /** Follows an event once more that may or may not be in what was taken. */
  again(event: StreamEvent): void
  /** It is not there. What fails in another way is tried again. */
  missing?(failure: SourceFailure): void
}

interface Flight {
  readonly load: Pick<Load<unknown>, "concerns">
  events: StreamEvent[]
  failure?: SourceFailure
}

/** Events that are kept for one load. With more of them it begins again. */
const mostEvents = 20_000
const firstWait = 250
const longestWait = 30_000

/**
 * Reads beside a stream of events without a gap: what came while something was read is followed once more on top of
 * it. What cannot be read is tried again, later and later.
 */
export class Loads implements AsyncDisposable {
  readonly #group = new TaskGroup()
  readonly #sleepers = new Set<() => void>()
  readonly #flights = new Map<string, Flight>()

  /** `told` is called when `problem` has changed. */
  constructor(
    private readonly clock: Clock,
    private readonly told: () => void,
  ) {}

  /** Loads that are under way. */
  get size(): number {
    return this.#flights.size
  }

  /** Why something cannot be read at the moment. */
  get problem(): string | undefined {
    for (const { failure } of this.#flights.values()) if (failure) return failure.message
    return undefined
  }

  has(key: string): boolean {
    return this.#flights.has(key)
  }

  /** With `wait` the first read comes after so many ms. */
  begin<T>(load: Load<T>, wait = 0): void {
    if (this.#flights.has(load.key) || this.#group.signal.aborted) return
    const flight: Flight = { load, events: [] }
    this.#flights.set(load.key, flight)
    void this.#group.run((signal) => this.#fly(load, flight, wait, signal))
  }

  /** An event came. */
  follow(event: StreamEvent): void {
    for (const { load, events } of this.#flights.values())
      if (events.length <= mostEvents && load.concerns(event)) events.push(event)
  }

  /** Loads of these keys do not count any more; all of them when no keys are named. */
  forget(isMeant: (key: string) => boolean = () => true): void {
    for (const key of this.#flights.keys()) if (isMeant(key)) this.#flights.delete(key)
    this.hurry()
    this.told()
  }

  /** What waits to be tried again is tried now. */
  hurry(): void {
    for (const wake of this.#sleepers) wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flights.clear()
    this.#group.cancel()
    await this.#group.join()
  }

  async #fly<T>(load: Load<T>, flight: Flight, wait: number, signal: AbortSignal): Promise<void> {
    const counts = () => this.#flights.get(load.key) === flight
    if (wait > 0) await this.#pause(wait, signal)
    for (let pause = firstWait; counts(); pause = Math.min(2 * pause, longestWait)) {
      flight.events = []
      const result = await load.read(signal)
      if (!counts()) return
      if (!result.ok && result.error.kind === "missing") {
        // What came meanwhile may be that it is there now.
        if (flight.events.length > 0) continue
        this.#end(load.key)
        load.missing?.(result.error)
        return
      }
      if (result.ok && flight.events.length <= mostEvents) {
        this.#end(load.key)
        load.take(result.value)
        for (const event of flight.events) load.again(event)
        return
      }
      if (!result.ok) {
        flight.failure = result.error
        this.told()
      }
      await this.#pause(pause, signal)
    }
  }

  #end(key: string): void {
    this.#flights.delete(key)
    this.told()
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.clock.timer(ms, resolve)
    this.#sleepers.add(resolve)
    try {
      await abortable(promise, signal)
    } finally {
      cancel()
      this.#sleepers.delete(resolve)
    }
  }
}
