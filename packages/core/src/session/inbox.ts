import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { InboxChange, InboxItem, PromptPart } from "@cairn/schema/prompt"
import type { Store } from "../store/store.ts"

/**
 * Changes a prompt that waits, whichever process runs the session. An error when a turn has taken it, or when nothing
 * would be left of it.
 */
export function changeWaiting(
  store: Store,
  sessionID: string,
  inboxID: string,
  change: InboxChange,
): Result<InboxItem, SetupError> {
  let answer: Result<InboxItem, SetupError> = err(notWaiting(inboxID))
  store.derive(sessionID, () => {
    const waiting = store.read.inbox(sessionID)
    const known = waiting.find(({ id }) => id === inboxID)
    if (!known) return []
    const item = changed(known, change)
    if (!item) {
      answer = err({ kind: "usage", message: "Nothing would be left of the prompt. Cancel it instead." })
      return []
    }
    const all = waiting.map((other) => (other.id === inboxID ? item : other))
    const after = change.position === undefined ? all : moved(all, inboxID, change.position)
    answer = ok(after.find(({ id }) => id === inboxID) ?? item)
    return after.flatMap((now): DurableEvent[] =>
      waiting.includes(now) ? [] : [{ type: "session.inbox.updated", properties: { sessionID, item: now } }],
    )
  })
  return answer
}

/** Takes a prompt that waits out of the inbox, whichever process runs the session. An error when it waits no more. */
export function cancelWaiting(store: Store, sessionID: string, inboxID: string): Result<void, SetupError> {
  const entries = store.derive(sessionID, () =>
    store.read.inbox(sessionID).some(({ id }) => id === inboxID)
      ? [{ type: "session.inbox.removed", properties: { sessionID, inboxID, reason: "cancelled" } }]
      : [],
  )
  return entries.length > 0 ? ok(undefined) : err(notWaiting(inboxID))
}

export const notWaiting = (inboxID: string): SetupError => ({
  kind: "inbox",
  message: `The prompt ${inboxID} does not wait: a turn has taken it, or it was cancelled.`,
})

export const stillWaiting = (inboxID: string): SetupError => ({
  kind: "inbox",
  message: `The prompt ${inboxID} was held until the end. It waits on in the inbox of its session.`,
})

/** Undefined when it would be empty. */
function changed(item: InboxItem, { text, delivery, hold }: InboxChange): InboxItem | undefined {
  const parts = text === undefined ? item.parts : withText(item.parts, text)
  if (parts.length === 0) return undefined
  const { hold: held, ...rest } = item
  return { ...rest, parts, delivery: delivery ?? item.delivery, ...((hold ?? held) && { hold: true }) }
}

/** The text takes the place of all text that was there; files stay. */
function withText(parts: readonly PromptPart[], text: string): PromptPart[] {
  const own: PromptPart[] = text.trim() === "" ? [] : [{ type: "text", text }]
  const at = parts.findIndex(({ type }) => type === "text")
  const before = parts.slice(0, Math.max(0, at))
  return [...before, ...own, ...parts.slice(before.length).filter(({ type }) => type !== "text")]
}

function moved(items: readonly InboxItem[], inboxID: string, position: number): InboxItem[] {
  const others = items.filter(({ id }) => id !== inboxID)
  const order = others.toSpliced(position, 0, ...items.filter(({ id }) => id === inboxID))
  return order.map((item, rank) => (item.rank === rank ? item : { ...item, rank }))
}
