import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import type { MessageError } from "@cairn/schema/error"
import type { DurableEvent, TurnEnd } from "@cairn/schema/event"
import type { Store } from "../store/store.ts"
import { closeMessage, isOpen } from "./closing.ts"
import { stepFiles } from "./step-files.ts"

const toolError = "The call was interrupted by a restart; it may have taken effect."

/** Closes every run whose owner is provably dead, so that its session is idle and can go on. Others are left alone. Returns their sessions. */
export function recoverAll(store: Store, clock: Clock, log: Log): string[] {
  return store.leases
    .all()
    .filter((lease) => recoverSession(store, clock, log, lease.sessionID))
    .map((lease) => lease.sessionID)
}

/** Closes the session's run if its owner is dead. False when there is none, or it lives. */
export function recoverSession(store: Store, clock: Clock, log: Log, sessionID: string): boolean {
  const entries = store.recover(sessionID, (lease) => restartEvents(store, sessionID, lease.runID, clock.now()))
  if (entries) log.info("a run of a dead process was closed", { sessionID, events: entries.length })
  return entries !== undefined
}

function restartEvents(store: Store, sessionID: string, runID: string, now: number): DurableEvent[] {
  // No turn but a revert, which is finished from its own record.
  const reverts = store.read.reverts(sessionID).some(({ ended }) => ended === undefined)
  if (reverts && !store.read.openTurns(sessionID).includes(runID)) return []
  const error = {
    name: "MessageAbortedError" as const,
    data: { message: "Cairn was stopped in the middle of this turn." },
  }
  return closeRun(store, { sessionID, runID, now, reason: "interrupted_by_restart", error, toolError })
}

interface Broken {
  readonly sessionID: string
  readonly runID: string
  readonly now: number
  readonly reason: TurnEnd
  readonly error: MessageError
  readonly toolError: string
}

/** The last events of a run that cannot end by itself: whatever stands open in its session is closed. */
export function closeRun(store: Store, { sessionID, runID, now, reason, error, toolError }: Broken): DurableEvent[] {
  return [
    ...settleAsks(store, sessionID, "the turn broke off"),
    ...store.read
      .messages(sessionID)
      .flatMap((message) => [
        ...closeMessage(message, { toolError, error, now }),
        ...(isOpen(message.info) ? stepFiles(store, message.info) : []),
      ]),
    { type: "session.turn.ended", properties: { sessionID, runID, time: now, reason, error } },
  ]
}

/** Answers what a run still asks when it ends: nobody waits for it any more. */
export function settleAsks(store: Store, sessionID: string, message: string): DurableEvent[] {
  const permissions = store.read.pendingPermissions(sessionID).map((request): DurableEvent => ({
    type: "permission.replied",
    properties: { sessionID, requestID: request.id, reply: "reject", message },
  }))
  const questions = store.read
    .pendingQuestions(sessionID)
    .map((request): DurableEvent => ({ type: "question.rejected", properties: { sessionID, requestID: request.id } }))
  return [...permissions, ...questions]
}
