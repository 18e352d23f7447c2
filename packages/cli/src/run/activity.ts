import type { Clock } from "@cairn/kernel/clock"
import type { SessionStatus } from "@cairn/schema/session"
import { truncate } from "../terminal/width.ts"
import type { Screen } from "../render/screen.ts"

/** The line at the bottom of a terminal that says what the run waits for, counted in seconds. */
export interface Activity {
  /** A call runs. */
  begin(callID: string, headline: string): void
  settle(callID: string): void
  retry(status: SessionStatus): void
  stop(): void
}

export function createActivity(screen: Screen, clock: Clock, waiting: () => string): Activity {
  const calls = new Map<string, { headline: string; since: number }>()
  let since = clock.monotonic()
  let next: number | undefined
  let cancel = () => {}

  const draw = () => {
    screen.status(text())
    cancel = clock.timer(1_000, draw)
  }
  const text = () => {
    if (next !== undefined) return `next try in ${Math.max(0, Math.ceil((next - clock.now()) / 1_000))} s`
    const first = calls.values().next().value
    if (!first) return `${waiting()} (${seconds(since)})`
    const more = calls.size > 1 ? `, ${calls.size - 1} more` : ""
    const count = ` (${seconds(first.since)}${more})`
    // The last column stays free: some terminals wrap when it is written.
    return truncate(first.headline, screen.err.width - count.length - 1) + count
  }
  const seconds = (start: number) => `${Math.floor((clock.monotonic() - start) / 1_000)} s`
  const redraw = () => {
    cancel()
    draw()
  }
  if (screen.err.live) draw()
  return {
    begin(callID, headline) {
      const running = calls.get(callID)
      if (running?.headline === headline) return
      calls.set(callID, { headline, since: running?.since ?? clock.monotonic() })
      if (screen.err.live) redraw()
    },
    settle(callID) {
      calls.delete(callID)
      since = clock.monotonic()
    },
    retry(status) {
      next = status.type === "retry" ? status.next : undefined
      since = clock.monotonic()
    },
    stop() {
      cancel()
      cancel = () => {}
      screen.status(undefined)
    },
  }
}
