import type { Database } from "bun:sqlite"
import type { AssistantMessage, Message, MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import { prepareLater } from "./statement.ts"

/** Messages with their parts; those that are still open with all text that is durable. Lists are oldest first. */
export interface MessageReader {
  message(id: string): Message | undefined
  messages(sessionID: string): MessageWithParts[]
  /** The newest of a session, at most `limit`, that came before a message of it; an unknown one has none before it. */
  messagePage(sessionID: string, page: { limit: number; before?: string | undefined }): MessageWithParts[]
  /** Those from a message of the session on; none when it is not there. */
  messagesFrom(sessionID: string, messageID: string): MessageWithParts[]
  /** The newest, at most `limit`, of what the user sent before a message of the session. */
  userMessagesBefore(sessionID: string, messageID: string, limit: number): MessageWithParts[]
  /** What the user sent first in the session. */
  firstUserMessage(sessionID: string): MessageWithParts | undefined
  /** The message before another one whose synthetic text begins with `start`, the newest of them. */
  factBefore(sessionID: string, messageID: string, start: string): MessageWithParts | undefined
  /** The summaries that compactions made, newest first. */
  summaries(sessionID: string): AssistantMessage[]
  parts(messageID: string): Part[]
}

export interface PartRow {
  readonly data: string
  readonly tail: string
}

/** A condition on rows of parts. The first half is quick to refuse, without reading the JSON. */
export const synthetic = `instr(data, '"synthetic":true') > 0 AND json_extract(data, '$.synthetic') = 1`

export function createMessageReader(database: Database): MessageReader {
  const infos = <T extends Message>(where: string) => {
    const statement = prepareLater<{ data: string }, (string | number)[]>(
      database,
      `SELECT message.data FROM message WHERE ${where}`,
    )
    return (...values: (string | number)[]): T[] => statement.all(...values).map((row) => JSON.parse(row.data) as T)
  }
  const partsOf = (where: string) => {
    const statement = prepareLater<PartRow, (string | number)[]>(
      database,
      `SELECT part.data, part.tail FROM part ${where}`,
    )
    return (...values: (string | number)[]): Part[] =>
      statement.all(...values).map((row) => withTail(JSON.parse(row.data) as Part, row.tail))
  }
  const whole = (
    info: (...values: (string | number)[]) => Message[],
    parts: (...values: (string | number)[]) => Part[],
  ) => {
    return (...values: (string | number)[]): MessageWithParts[] => {
      const byMessage = Map.groupBy(parts(...values), (part) => part.messageID)
      return info(...values).map((each) => ({ info: each, parts: byMessage.get(each.id) ?? [] }))
    }
  }
  // A part comes after its message, so those of later messages come after this one too.
  const from = "(SELECT seq FROM message WHERE id = ?2 AND session_id = ?1)"
  const asked = "session_id = ?1 AND json_extract(data, '$.role') = 'user'"
  const before = `SELECT id FROM message WHERE ${asked} AND seq < ${from} ORDER BY seq DESC LIMIT ?3`
  const first = `SELECT id FROM message WHERE ${asked} ORDER BY seq LIMIT 1`
  const fact = `SELECT message_id FROM part WHERE session_id = ?1 AND ${synthetic}
    AND seq < ${from} AND instr(json_extract(data, '$.text'), ?3) = 1 ORDER BY seq DESC LIMIT 1`
  const among = (chosen: string) =>
    whole(infos(`id IN (${chosen}) ORDER BY seq`), partsOf(`WHERE message_id IN (${chosen}) ORDER BY seq`))
  const page = "SELECT id FROM message WHERE session_id = ?1 ORDER BY seq DESC LIMIT ?2"
  const pageBefore = `SELECT id FROM message WHERE session_id = ?1 AND seq < ${from} ORDER BY seq DESC LIMIT ?3`
  const [pageOf, pageBeforeOf] = [among(page), among(pageBefore)]
  const [firstOf, factOf] = [among(first), among(fact)]
  const one = infos("id = ?")
  return {
    message: (id) => one(id)[0],
    messages: whole(infos("session_id = ? ORDER BY seq"), partsOf("WHERE session_id = ? ORDER BY seq")),
    messagePage: (sessionID, { limit, before: end }) =>
      end === undefined ? pageOf(sessionID, limit) : pageBeforeOf(sessionID, end, limit),
    messagesFrom: whole(
      infos(`session_id = ?1 AND seq >= ${from} ORDER BY seq`),
      partsOf(`WHERE session_id = ?1 AND seq > ${from} ORDER BY seq`),
    ),
    userMessagesBefore: among(before),
    firstUserMessage: (sessionID) => firstOf(sessionID)[0],
    factBefore: (sessionID, messageID, start) => factOf(sessionID, messageID, start)[0],
    summaries: infos<AssistantMessage>(`session_id = ? AND instr(data, '"summary":true') > 0 ORDER BY seq DESC`),
    parts: partsOf("WHERE message_id = ? ORDER BY seq"),
  }
}

/** A part with what its durable deltas brought. */
export function withTail(part: Part, tail: string): Part {
  if (tail === "" || (part.type !== "text" && part.type !== "reasoning")) return part
  return { ...part, text: part.text + tail }
}
