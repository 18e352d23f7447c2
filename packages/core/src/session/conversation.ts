import type { MessageWithParts } from "@cairn/schema/message"
import type { MessageReader } from "../store/read-messages.ts"
import { dateFragment } from "./date-fact.ts"
import { compactionIn, isSummary, wordsOf } from "./history.ts"

/** User messages that are read at once. */
const page = 50

/**
 * The stored messages that `historyOf` needs for the same `room`: all of them, or of those before the newest finished
 * summary's tail the first and the newest of the user's and the one that told the date last, and everything from the
 * tail on. So a turn costs what is sent, not what was ever said.
 */
export function conversationOf(read: MessageReader, sessionID: string, room: number): MessageWithParts[] {
  for (const info of read.summaries(sessionID)) {
    if (!isSummary({ info, parts: read.parts(info.id) })) continue
    const part = compactionIn(read.parts(info.parentID))
    if (!part || read.message(info.parentID)?.sessionID !== sessionID) continue
    const tail = part.tail_start_id
    const from = tail !== undefined && read.message(tail)?.sessionID === sessionID ? tail : info.parentID
    return [...askedBefore(read, sessionID, from, room), ...read.messagesFrom(sessionID, from)]
  }
  return read.messages(sessionID)
}

/** As many of the user's newest messages as have words to fill the room, and before them the first and the date's. */
function askedBefore(read: MessageReader, sessionID: string, from: string, room: number): MessageWithParts[] {
  const newest: MessageWithParts[] = []
  let left = room
  while (left >= 0) {
    const more = read.userMessagesBefore(sessionID, newest[0]?.info.id ?? from, page)
    newest.unshift(...more)
    if (more.length < page) return newest
    left -= more.reduce((sum, message) => sum + wordsOf(message).length, 0)
  }
  const known = new Set(newest.map(({ info }) => info.id))
  const earlier = [read.firstUserMessage(sessionID), read.factBefore(sessionID, from, dateFragment)]
  for (const message of earlier.toReversed())
    if (message && !known.has(message.info.id)) {
      known.add(message.info.id)
      newest.unshift(message)
    }
  return newest
}
