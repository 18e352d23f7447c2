import { abortable } from "./task.ts"

/** Gives a permit back. Calling it twice is harmless. */
export type Release = () => void

/** At most `permits` holders at once, first come first served. Interruption while waiting gives the place up. */
export class Semaphore {
  readonly #waiting: Array<() => void> = []
  #free: number

  /** Throws when `permits` is not a positive integer: nobody could ever get one. */
  constructor(private readonly permits: number) {
    if (!Number.isInteger(permits) || permits < 1)
      throw new RangeError(`Semaphore: ${permits} is not a number of permits`)
    this.#free = permits
  }

  /** True when nobody holds a permit and nobody waits for one. */
  get idle(): boolean {
    return this.#free === this.permits
  }

  /** Waits for a permit. Rejects with the signal's reason when interrupted before it has one. */

  async acquire(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return this.#release()
    }
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn.resolve)
    try {
      await abortable(turn.promise, signal)
    } catch (error) {
      const place = this.#waiting.indexOf(turn.resolve)
      if (place >= 0) this.#waiting.splice(place, 1)
      else this.#next()
      throw error
    }
    return this.#release()
  }

  #release(): Release {
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#next()
    }
  }

  #next(): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting()
    else this.#free++
  }
}

/** One holder per key, first come first served. Not reentrant. Keys that nobody holds cost nothing. */
export class KeyedLock {
  readonly #locks = new Map<string, { semaphore: Semaphore; users: number }>()

  /** Number of keys that are held or waited for. */
  get size(): number {
    return this.#locks.size
  }

  /** Runs `work` while holding `key`. Interruption while waiting rejects with the signal's reason. */
  async with<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(key) ?? { semaphore: new Semaphore(1), users: 0 }
    this.#locks.set(key, lock)
    lock.users++
    try {
      const release = await lock.semaphore.acquire(signal)
      try {
        return await work()
      } finally {
        release()
      }
    } finally {
      lock.users--
      if (lock.users === 0) this.#locks.delete(key)
    }
  }
}
