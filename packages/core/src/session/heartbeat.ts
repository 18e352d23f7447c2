import type { Clock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Log } from "@cairn/kernel/log"
import type { TaskGroup } from "@cairn/kernel/task"
import { heartbeatEvery } from "../store/lease.ts"
import type { Store } from "../store/store.ts"

interface HeartbeatDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** Writes the heartbeat of a run every 5 s, and cancels a run that has lost its lease. Returns how to stop. */
export function heartbeat({ store, clock, log }: HeartbeatDeps, runID: string, group: TaskGroup): () => void {
  let cancel = () => {}
  const beat = () => {
    try {
      if (!store.leases.beat(runID, clock.now()))
        return group.cancel(new Interrupted("another process took the session over"))
    } catch (error) {
      log.error("the heartbeat of a run could not be written", { runID, error })
    }
    next()
  }
  const next = () => {
    cancel = clock.timer(heartbeatEvery, beat)
  }
  next()
  return () => cancel()
}
