import type { TurnOutcome } from "@cairn/schema/engine"
import type { BusEvent } from "@cairn/schema/event"
import type { ModelRef } from "@cairn/schema/model"
import type { PermissionRequest } from "@cairn/schema/permission"
import type { QuestionRequest } from "@cairn/schema/question"
import type { Exit } from "../exit-code.ts"

/** What is known when a run begins. */
export interface RunStart {
  readonly sessionID: string
  readonly title: string
  readonly model: ModelRef
  readonly agent: string
  readonly directory: string
  /** The session existed before. */
  readonly resumed: boolean
  /** The answer is JSON: what the model says in words is progress. */
  readonly structured: boolean
}

/** How a run ended. `outcome` is absent when no turn ran. */
export interface RunReport {
  readonly exit: Exit
  readonly sessionID?: string
  readonly outcome?: TurnOutcome
  /** Asks that nobody could answer, the engine's count and ours. */
  readonly denied: number
  /** What went wrong, for a person. */
  readonly message?: string
}

/** Shows a run. One of `end` is always the last call. */
export interface Reporter {
  start(start: RunStart): void
  event(event: BusEvent): void
  /** Shows an ask or a question to whoever answers on stdin (`--interactive-permissions`). */
  ask(request: PermissionRequest | QuestionRequest): void
  /** A remark for a person, on stderr. */
  note(text: string): void
  end(report: RunReport): void
}
