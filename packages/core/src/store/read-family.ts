import type { Database } from "bun:sqlite"
import type { JournalEntry } from "@cairn/schema/history"
import type { ToolPart } from "@cairn/schema/part"
import { prepareLater } from "./statement.ts"

/** A call of a session below another one, and what that one was doing when it began. */
export interface CallBelow {
  readonly part: ToolPart
  /** The newest message of the session above, and the newest part of that; undefined while no turn of it ran. */
  readonly messageID: string | undefined
  readonly partID: string | undefined
}

/** Questions about a session together with those below it. */
export interface FamilyReader {
  /** Calls of all sessions below, in order. */
  callsBelow(sessionID: string): CallBelow[]
  /** What the session and all below it changed in files, in the order of the writes. */
  familyChanges(sessionID: string): { readonly sessionID: string; readonly entry: JournalEntry }[]
}

const below = `WITH RECURSIVE below (id) AS (
  SELECT id FROM session WHERE parent_id = ?1 UNION SELECT session.id FROM session JOIN below ON session.parent_id = below.id)`

export function createFamilyReader(database: Database): FamilyReader {
  const calls = prepareLater<
    { data: string; turn: string | null; message: string | null; part: string | null },
    [string]
  >(
    database,
    `${below}
     SELECT part.data,
       (SELECT type FROM event WHERE session_id = ?1 AND seq < part.seq
         AND type IN ('session.turn.started', 'session.turn.ended') ORDER BY seq DESC LIMIT 1) AS turn,
       (SELECT id FROM message WHERE session_id = ?1 AND seq < part.seq ORDER BY seq DESC LIMIT 1) AS message,
       (SELECT above.id FROM part AS above WHERE above.session_id = ?1 AND above.seq < part.seq ORDER BY above.seq DESC LIMIT 1) AS part
     FROM below JOIN part ON part.session_id = below.id WHERE json_extract(part.data, '$.type') = 'tool' ORDER BY part.seq`,
  )
  const changes = prepareLater<{ session_id: string; data: string }, [string]>(
    database,
    `${below}
     SELECT file_change.session_id, file_change.data
     FROM (SELECT id FROM below UNION SELECT ?1) AS family JOIN file_change ON file_change.session_id = family.id
     ORDER BY file_change.seq, file_change.id`,
  )
  return {
    callsBelow: (sessionID) =>
      calls.all(sessionID).map(({ data, turn, message, part }) => ({
        part: JSON.parse(data) as ToolPart,
        messageID: (turn === "session.turn.started" && message) || undefined,
        partID: (turn === "session.turn.started" && part) || undefined,
      })),
    familyChanges: (sessionID) =>
      changes.all(sessionID).map((row) => ({ sessionID: row.session_id, entry: JSON.parse(row.data) as JournalEntry })),
  }
}
