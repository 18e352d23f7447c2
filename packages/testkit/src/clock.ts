import type { Clock } from "@cairn/kernel/clock"

interface Timer {
  readonly due: number
  readonly order: number
  readonly fire: () => void
}

/** A clock that stands still until a test moves it. Timers due at the same moment fire in the order they were set. */
export class TestClock implements Clock {
  #wall: number
  #elapsed = 0
  #order = 0
  readonly #timers = new Set<Timer>()
  readonly #waiting = new Set<{ count: number; resolve: () => void }>()

  /** `start` is the wall time in ms since the epoch. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#wall = start
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#elapsed
  }

  /** Number of timers that wait to fire. */
  get pending(): number {
    return this.#timers.size
  }

  /** Milliseconds until each waiting timer fires, soonest first. */
  get due(): number[] {
    return this.#sorted().map((timer) => timer.due - this.#elapsed)
  }

  timer(ms: number, fire: () => void): () => void {
    const timer: Timer = { due: this.#elapsed + Math.max(0, ms), order: this.#order++, fire }
    this.#timers.add(timer)
    for (const waiter of this.#waiting) if (this.#timers.size >= waiter.count) waiter.resolve()
    return () => void this.#timers.delete(timer)
  }

  /** Sets the wall clock, also back, as an administrator would: timers and `monotonic` do not notice. */
  setNow(ms: number): void {
    this.#wall = ms
  }

  /** Resolves as soon as at least `count` timers wait: the event to await before `advance`. */
  async timers(count = 1): Promise<void> {
    if (this.#timers.size >= count) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter = { count, resolve }
    this.#waiting.add(waiter)
    await promise
    this.#waiting.delete(waiter)
  }

  /**
   * Moves both clocks by `ms` and fires what comes due, in order, each at its own time; timers that these
   * set are included. Promise chains run to their end after each timer, before the next one fires.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms
    await settle()
    while (true) {
      const next = this.#sorted()[0]
      if (next === undefined || next.due > end) break
      this.#move(next.due)
      this.#timers.delete(next)
      next.fire()
      await settle()
    }
    this.#move(end)
    await settle()
  }

  #move(to: number): void {
    this.#wall += to - this.#elapsed
    this.#elapsed = to
  }

  #sorted(): Timer[] {
    return [...this.#timers].sort((a, b) => a.due - b.due || a.order - b.order)
  }
}

/** One turn of the event loop: every promise chain that can go on has gone on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
