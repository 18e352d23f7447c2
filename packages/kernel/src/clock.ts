import { abortable } from "./task.ts"

/** Time as a dependency, so that tests can hold it still. All values are milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. May go back when the machine's clock is set. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Runs `fire` once after `ms`. Returns how to call it off. */
  timer(ms: number, fire: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, fire) {
    const handle = setTimeout(fire, Math.min(ms, 2 ** 31 - 1))
    return () => clearTimeout(handle)
  },
}

/** Resolves after `ms`, or rejects with the signal's reason when interrupted; no timer is left behind. */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = () => {}
  const fired = new Promise<void>((resolve) => {
    cancel = clock.timer(ms, resolve)
  })
  try {
    await abortable(fired, signal)
  } finally {
    cancel()
  }
}
