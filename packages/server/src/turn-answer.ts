import { err, ok, type Result } from "@cairn/kernel/result"
import type { Engine, TurnOutcome } from "@cairn/schema/engine"
import type { MessageWithParts } from "@cairn/schema/message"
import { type Failure, failure } from "./failure.ts"

/**
 * The message that a turn ended with; after a prompt that nobody was to answer, that prompt. A turn that ended before it said
 * anything is a failure with its reason.
 */
export function answerOf(
  engine: Engine,
  { sessionID, messageID, error }: TurnOutcome,
): Result<MessageWithParts, Failure> {
  const found = messageID === undefined ? undefined : engine.message(sessionID, messageID)
  if (found) return ok(found)
  const told =
    error && "message" in error.data && typeof error.data.message === "string" ? error.data.message : undefined
  return err(failure("UnknownError", told ?? "The turn ended without an answer.", { sessionID }))
}
