import type { Result } from "@cairn/kernel/result"
import type { MessageWithParts } from "@cairn/schema/message"
import type { PermissionRequest } from "@cairn/schema/permission"
import type { InboxItem } from "@cairn/schema/prompt"
import type { QuestionRequest } from "@cairn/schema/question"
import type { Session, SessionStatus } from "@cairn/schema/session"
import type { Todo } from "@cairn/schema/todo"

/** Why a read gave nothing. `missing`: it is not there, and asking again does not help. */
export interface SourceFailure {
  readonly kind: "missing" | "failed"
  readonly message: string
}

export type Read<T> = Promise<Result<T, SourceFailure>>

/** Messages one after the other, oldest first. `more`: there are older ones. */
export interface MessagePage {
  readonly messages: readonly MessageWithParts[]
  readonly more: boolean
}

/**
 * Where the view store reads what its events do not tell. An answer may be of any moment between the call and its end;
 * it must be one moment. Rejects only with the signal's reason.
 */
export interface Source {
  /** The newest first. */
  sessions(limit: number, signal: AbortSignal): Read<{ readonly sessions: readonly Session[]; readonly more: boolean }>
  session(sessionID: string, signal: AbortSignal): Read<Session>
  /** The newest ones, or the newest of those before a message. */
  messages(sessionID: string, page: { limit: number; before?: string }, signal: AbortSignal): Read<MessagePage>
  message(sessionID: string, messageID: string, signal: AbortSignal): Read<MessageWithParts>
  todos(sessionID: string, signal: AbortSignal): Read<readonly Todo[]>
  inbox(sessionID: string, signal: AbortSignal): Read<readonly InboxItem[]>
  /** Of those that are not idle. */
  statuses(signal: AbortSignal): Read<Readonly<Record<string, SessionStatus>>>
  /** Those that wait for an answer, oldest first. */
  permissions(signal: AbortSignal): Read<readonly PermissionRequest[]>
  questions(signal: AbortSignal): Read<readonly QuestionRequest[]>
}
