import { abortable } from "./task.ts"

/** Time as a dependency, so that tests can hold it still. All values are milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. May go back when the machine's clock is set. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Runs `fire` once after `ms`; never, when that is infinite. Returns how to call it off. */
  timer(ms: number, fire: () => void): () => void
}

/** What `setTimeout` takes: about 25 days. It fires at once for more. */
const longestTimeout = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, fire) {
    let handle: ReturnType<typeof setTimeout>
    const arm = (left: number) => {
      handle =
        left > longestTimeout ? setTimeout(() => arm(left - longestTimeout), longestTimeout) : setTimeout(fire, left)
    }
    if (ms !== Infinity) arm(ms)
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
