import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { noTokens } from "@cairn/schema/model"
import type { TurnOutcome } from "@cairn/schema/engine"
import type { Store } from "../store/store.ts"
import { defectText } from "./defect.ts"
import { closeRun } from "./recovery.ts"
import type { Run } from "./run.ts"

interface AbandonDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** Records the end of a run that could not do so itself; when even that is impossible, the next start will. */
export function abandonRun({ store, clock, log }: AbandonDeps, run: Run, problem: unknown): TurnOutcome {
  const { sessionID, runID } = run
  const error = { name: "UnknownError" as const, data: { message: defectText(problem) } }
  const end = { sessionID, runID, now: clock.now(), reason: "error" as const, error, toolError: error.data.message }
  try {
    run.end(...closeRun(store, end))
  } catch (again) {
    log.error("the end of a run could not be recorded", { sessionID, error: again })
  }
  return { sessionID, reason: "error", text: "", tokens: noTokens(), cost: 0, error, denied: 0 }
}
