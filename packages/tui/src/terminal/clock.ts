import type { Clock } from "@cairn/kernel/clock"

/** Milliseconds between ticks: with the terminal in front of the user, and behind other windows. */
const focusedEvery = 1_000
const unfocusedEvery = 2_000

/**
 * The one clock of everything that moves by itself. It has a timer only while somebody shows a time and a turn runs:
 * an idle interface has none. Never ask the renderer for live frames instead.
 */
export class FrameClock {
  readonly #clock: Clock
  readonly #listeners = new Set<(now: number) => void>()
  #busy = false
  #focused = true
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Milliseconds that never go back, for durations. */
  monotonic(): number {
    return this.#clock.monotonic()
  }

  /** Calls `tick` about once a second while busy. Returns how to stop. */
  subscribe(tick: (now: number) => void): () => void {
    this.#listeners.add(tick)
    this.#arm()
    return () => {
      this.#listeners.delete(tick)
      this.#arm()
    }
  }

  /** Whether a turn runs: nothing else makes time pass on the screen. */
  setBusy(busy: boolean): void {
    if (this.#busy === busy) return
    this.#busy = busy
    this.#arm()
  }

  /** Whether the terminal has the focus; one that cannot say so has it. */
  setFocused(focused: boolean): void {
    if (this.#focused === focused) return
    this.#focused = focused
    this.#rearm()
  }

  /** Lets go of the timer for good. */
  stop(): void {
    this.#listeners.clear()
    this.#arm()
  }

  #arm(): void {
    const wanted = this.#busy && this.#listeners.size > 0
    if (wanted === (this.#cancel !== undefined)) return
    this.#rearm()
  }

  #rearm(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (!this.#busy || this.#listeners.size === 0) return
    this.#cancel = this.#clock.timer(this.#focused ? focusedEvery : unfocusedEvery, () => {
      this.#cancel = undefined
      const now = this.#clock.monotonic()
      for (const listener of this.#listeners) listener(now)
      this.#arm()
    })
  }
}
