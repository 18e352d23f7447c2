import type { Clock } from "@cairn/kernel/clock"

/** A clock that only the test moves. Smaller than the testkit's, which the kernel may not import. */
export class ManualClock implements Clock {
  time = 0
  readonly timers = new Set<{ due: number; fire: () => void }>()

  now = () => this.time
  monotonic = () => this.time

  timer(ms: number, fire: () => void): () => void {
    const timer = { due: this.time + ms, fire }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }

  pass(ms: number): void {
    this.time += ms
    for (const timer of [...this.timers].sort((a, b) => a.due - b.due)) {
      if (timer.due > this.time || !this.timers.delete(timer)) continue
      timer.fire()
    }
  }
}
