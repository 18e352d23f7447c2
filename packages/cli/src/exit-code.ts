import type { TurnOutcome } from "@cairn/schema/engine"
import type { ErrorClass, SetupError } from "@cairn/schema/error"
import type { HeadlessReason } from "@cairn/schema/headless"
import type { Interruption } from "./io.ts"

/** How a headless run came to its end. */
export type RunEnd =
  | { readonly kind: "setup"; readonly error: SetupError }
  /** `unanswered`: asks that the client could not answer any more, beside those that the engine counts. */
  | {
      readonly kind: "turn"
      readonly outcome: TurnOutcome
      readonly unanswered?: number
      readonly interruption?: Interruption
    }
  /** Interrupted before a turn began. */
  | { readonly kind: "interrupted"; readonly interruption: Interruption }
  | { readonly kind: "defect" }

/** The documented exit code of a run, and the reason that goes with it. */
export interface Exit {
  readonly code: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 130 | 141 | 143
  readonly reason: HeadlessReason
}

const interrupted: Record<Interruption, Exit["code"]> = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 }
const provider: ReadonlySet<ErrorClass> = new Set([
  "retryable",
  "rate_limit",
  "overflow",
  "auth",
  "fatal",
  "content_filter",
])

export function exitOf(end: RunEnd): Exit {
  switch (end.kind) {
    case "setup":
      return { code: 2, reason: end.error.kind }
    case "interrupted":
      return { code: interrupted[end.interruption], reason: "aborted" }
    case "defect":
      return { code: 1, reason: "internal" }
    case "turn":
      return {
        code: turnCode(end.outcome, end.unanswered ?? 0, end.interruption),
        reason: end.outcome.reason,
      }
  }
}

function turnCode(outcome: TurnOutcome, unanswered: number, interruption: Interruption | undefined): Exit["code"] {
  switch (outcome.reason) {
    case "done":
      return outcome.denied + unanswered > 0 ? 4 : 0
    case "rejected":
      return 4
    case "error":
      return outcome.errorClass !== undefined && provider.has(outcome.errorClass) ? 3 : 1
    case "step_limit":
    case "budget":
      return 5
    case "loop_guard":
      return 6
    // Somebody else (another client) may abort a turn too; that is like Ctrl-C.
    case "aborted":
      return interrupted[interruption ?? "SIGINT"]
    case "interrupted_by_restart":
      return 1
  }
}
