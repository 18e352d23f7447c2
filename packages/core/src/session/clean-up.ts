import type { DurableEvent } from "@cairn/schema/event"
import type { JournalEntry } from "@cairn/schema/history"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Session } from "@cairn/schema/session"
import { messageWith } from "../store/summary.ts"
import type { Store } from "../store/store.ts"
import { callsBehind, entriesBehind, familyBehind, takenBack, visible } from "./revert-point.ts"
import { filesOf } from "./step-files.ts"

/**
 * Makes a revert final when a prompt comes: what it hid leaves the session, and can no longer be brought back. True when
 * there was one. Does nothing while another process runs the session.
 */
export function cleanUp(store: Store, sessionID: string): boolean {
  if (!store.read.session(sessionID)?.revert) return false
  let done = false
  forgetBelow(store, sessionID)
  store.derive(sessionID, () => {
    const session = store.read.session(sessionID)
    if (!session?.revert || store.leases.get(sessionID)) return []
    done = true
    return removals(store, session)
  })
  return done
}

/** What sessions below changed behind the point leaves their journals: it is taken back for good. */
function forgetBelow({ read, leases, append }: Store, sessionID: string): void {
  const point = read.session(sessionID)?.revert
  const hidden = point && !leases.get(sessionID) ? takenBack(read.messages(sessionID), point) : undefined
  const calls = hidden ? callsBehind(read.callsBelow(sessionID), hidden) : []
  if (!hidden || calls.length === 0) return
  const gone = familyBehind(read.familyChanges(sessionID), sessionID, hidden, calls)
  for (const [child, own] of Map.groupBy(gone, (change) => change.sessionID))
    if (child !== sessionID)
      append(
        child,
        withdrawals(
          child,
          own.map(({ entry }) => entry),
        ),
      )
}

/** The events by which changes leave the journal of their session. */
const withdrawals = (sessionID: string, entries: readonly JournalEntry[]): DurableEvent[] =>
  [...Map.groupBy(entries, ({ messageID, callID }) => `${messageID} ${callID}`).values()].map((own) => {
    const { messageID, callID } = own[0]!
    const changes = own.map(({ messageID: _, callID: __, ...change }) => ({ ...change, after: change.before }))
    return { type: "session.file.changed", properties: { sessionID, messageID, callID, changes } }
  })

function removals(store: Store, session: Session): DurableEvent[] {
  const { id: sessionID, revert: point, summary: _, ...kept } = session
  const messages = store.read.messages(sessionID)
  const hidden = point && takenBack(messages, point)
  const entries = store.read.changes({ sessionID })
  const gone = new Set(hidden ? entriesBehind(entries, hidden).map(({ id }) => id) : [])
  const left = entries.filter(({ id }) => !gone.has(id))
  const summary = summaryOf(left)
  const info: Session = { id: sessionID, ...kept, ...(summary && { summary }) }
  return [
    ...(hidden?.messages ?? []).map(({ info: { id } }): DurableEvent => ({
      type: "message.removed",
      properties: { sessionID, messageID: id },
    })),
    ...(hidden?.parts ?? []).map((part): DurableEvent => ({
      type: "message.part.removed",
      properties: { sessionID, messageID: part.messageID, partID: part.id },
    })),
    ...(hidden && hidden.parts.length > 0 ? partlyRemoved(entries, gone, visible(messages, point)) : []),
    { type: "session.revert.cleared", properties: { sessionID } },
    { type: "session.updated", properties: { sessionID, info } },
  ]
}

/** A message of which a part stays: its calls that went leave the journal, and the prompt above it is summed up anew. */
function partlyRemoved(
  entries: readonly JournalEntry[],
  gone: ReadonlySet<string>,
  messages: readonly MessageWithParts[],
): DurableEvent[] {
  const cut = messages.at(-1)?.info
  if (cut?.role !== "assistant") return []
  const { sessionID, parentID } = cut
  const undone = entries.filter(({ id, messageID }) => gone.has(id) && messageID === cut.id)
  const events = withdrawals(sessionID, undone)
  const prompt = messages.find(({ info }) => info.id === parentID)?.info
  if (prompt?.role !== "user") return events
  const { summary: _, ...bare } = prompt
  const info = messages
    .flatMap(({ info: answer }) => (answer.role === "assistant" && answer.parentID === parentID ? [answer] : []))
    .reduce((sum, answer) => {
      const own = entries.filter(({ id, messageID }) => messageID === answer.id && !gone.has(id))
      return own.length === 0 ? sum : messageWith(sum, filesOf(own, answer.path.root))
    }, bare)
  return [...events, { type: "message.updated", properties: { sessionID, info } }]
}

function summaryOf(entries: readonly JournalEntry[]): Session["summary"] {
  if (entries.length === 0) return undefined
  const sum = (of: "additions" | "deletions") => entries.reduce((lines, entry) => lines + entry[of], 0)
  const files = new Set(entries.map(({ path }) => path)).size
  return { additions: sum("additions"), deletions: sum("deletions"), files }
}
