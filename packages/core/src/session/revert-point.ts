import type { JournalEntry } from "@cairn/schema/history"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Part, ToolPart } from "@cairn/schema/part"
import type { CallBelow } from "../store/read-family.ts"

/** Where a session goes back to: the first message that is taken back, or the first part of it. */
export interface RevertPoint {
  readonly messageID: string
  readonly partID?: string | undefined
}

/** What lies behind a point. */
export interface TakenBack {
  readonly messages: readonly MessageWithParts[]
  /** Of the message of the point, when something of it stays. */
  readonly parts: readonly Part[]
}

/** Undefined when the session has no such message or part. Pure. */
export function takenBack(messages: readonly MessageWithParts[], point: RevertPoint): TakenBack | undefined {
  const at = messages.findIndex(({ info }) => info.id === point.messageID)
  const message = messages[at]
  if (!message) return undefined
  const rest = messages.slice(at + 1)
  if (point.partID === undefined) return { messages: [message, ...rest], parts: [] }
  const from = message.parts.findIndex(({ id }) => id === point.partID)
  if (from < 0) return undefined
  const stays = message.parts.slice(0, from).some(({ type }) => type !== "step-start")
  return stays ? { messages: rest, parts: message.parts.slice(from) } : { messages: [message, ...rest], parts: [] }
}

/** What the calls behind the point changed in files, in the order of the writes. Pure. */
export function entriesBehind(entries: readonly JournalEntry[], { messages, parts }: TakenBack): JournalEntry[] {
  const whole = new Set(messages.map(({ info }) => info.id))
  const calls = new Set(parts.flatMap((part) => (part.type === "tool" ? [`${part.messageID} ${part.callID}`] : [])))
  return entries.filter(({ messageID, callID }) => whole.has(messageID) || calls.has(`${messageID} ${callID}`))
}

/** Calls of the sessions below that were made in what lies behind the point. Pure. */
export function callsBehind(calls: readonly CallBelow[], { messages, parts }: TakenBack): ToolPart[] {
  const whole = new Set(messages.map(({ info }) => info.id))
  const cut = new Set(parts.map(({ id }) => id))
  return calls.flatMap(({ part, messageID, partID }) =>
    (messageID !== undefined && whole.has(messageID)) || (partID !== undefined && cut.has(partID)) ? [part] : [],
  )
}

/** What was changed behind the point: by the session, and by those below it at its behest, in the order of the writes. Pure. */
export function familyBehind<Change extends { readonly entry: JournalEntry; readonly sessionID: string }>(
  changes: readonly Change[],
  sessionID: string,
  hidden: TakenBack,
  calls: readonly ToolPart[],
): Change[] {
  const own = changes.flatMap((change) => (change.sessionID === sessionID ? [change.entry] : []))
  const gone = new Set(entriesBehind(own, hidden).map(({ id }) => id))
  const below = new Set(calls.map(({ messageID, callID }) => `${messageID} ${callID}`))
  return changes.filter(({ sessionID: of, entry }) =>
    of === sessionID ? gone.has(entry.id) : below.has(`${entry.messageID} ${entry.callID}`),
  )
}

/** The messages that are not hidden by a revert. Pure. */
export function visible(messages: readonly MessageWithParts[], point: RevertPoint | undefined): MessageWithParts[] {
  const hidden = point && takenBack(messages, point)
  if (!hidden) return [...messages]
  const gone = new Set(hidden.messages.map(({ info }) => info.id))
  const parts = new Set(hidden.parts.map(({ id }) => id))
  return messages
    .filter(({ info }) => !gone.has(info.id))
    .map((message) => ({ info: message.info, parts: message.parts.filter(({ id }) => !parts.has(id)) }))
}
