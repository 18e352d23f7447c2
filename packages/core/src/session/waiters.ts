import type { Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { TurnOutcome } from "@cairn/schema/engine"

/** What whoever sent a prompt is told in the end. */
export type Answered = Result<TurnOutcome, SetupError>

/** Those of this process who wait for the answer to a queued prompt. */
export interface Waiters {
  /** Resolves when the prompt is answered. */
  add(sessionID: string, inboxID: string): Promise<Answered>
  has(inboxID: string): boolean
  /** Ids of the prompts, as they came, of a session or of all. */
  of(sessionID?: string): readonly string[]
  /** Nothing when nobody waits for it. */
  answer(inboxID: string, answer: Answered | Promise<Answered>): void
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, PromiseWithResolvers<Answered> & { readonly sessionID: string }>()
  return {
    add(sessionID, inboxID) {
      const waiter = { sessionID, ...Promise.withResolvers<Answered>() }
      waiting.set(inboxID, waiter)
      return waiter.promise
    },
    has: (inboxID) => waiting.has(inboxID),
    of: (sessionID) =>
      [...waiting].flatMap(([id, waiter]) => (sessionID === undefined || waiter.sessionID === sessionID ? [id] : [])),
    answer(inboxID, answer) {
      waiting.get(inboxID)?.resolve(answer)
      waiting.delete(inboxID)
    },
  }
}
