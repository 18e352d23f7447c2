import type { Database } from "bun:sqlite"
import type { DurableEvent, DurableType } from "@cairn/schema/event"
import type { Message } from "@cairn/schema/message"
import type { Spending } from "@cairn/schema/model"
import type { ToolPart } from "@cairn/schema/part"
import type { FileState, RevertRecord } from "@cairn/schema/history"
import type { Session } from "@cairn/schema/session"
import { messageWith, sessionWith } from "./summary.ts"
import { prepareLater } from "./statement.ts"

type Of<T extends DurableType> = Extract<DurableEvent, { type: T }>["properties"]
type Projector<T extends DurableType> = (properties: Of<T>, seq: number) => void
type Projectors<Group extends string = ""> = { [T in Extract<DurableType, `${Group}${string}`>]: Projector<T> }

/** Applies one event to the tables. Pure in (rows, event): no clock, no file. Throws when the event does not fit the rows. */
export type Project = (event: DurableEvent, seq: number) => void

/** Runs a prepared statement and gives the number of rows that it changed. */
type Write = (...values: (string | number | null)[]) => number

/**
 * The projectors of one connection. Plain SQL over the tables of `schema.ts`:
 * building it by Drizzle costs 20 ms at each start, and loading Drizzle another 12.
 */
export function createProjector(database: Database): Project {
  const prepare = (sql: string): Write => {
    const statement = prepareLater<unknown, (string | number | null)[]>(database, sql)
    return (...values) => statement.run(...values).changes
  }
  const projectors: Projectors = {
    ...sessionProjectors(prepare),
    ...messageProjectors(prepare),
    ...inboxProjectors(prepare),
    ...askProjectors(prepare),
    ...listProjectors(prepare),
    ...journalProjectors(database, prepare),
    ...revertProjectors(database, prepare),
  }
  return (event, seq) =>
    (projectors[event.type] as (properties: DurableEvent["properties"], seq: number) => void)(event.properties, seq)
}

type JournalEvents = Projectors<"session.file."> & Projectors<"session.step.">
type RevertEvents = Projectors<"session.revert.">
type SessionEvents = Omit<
  Projectors<"session.">,
  keyof Projectors<"session.inbox."> | keyof JournalEvents | keyof RevertEvents
>

function sessionProjectors(prepare: (sql: string) => Write): SessionEvents {
  const create = prepare(
    "INSERT INTO session (project_id, parent_id, directory, updated, data, id) VALUES (?, ?, ?, ?, ?, ?)",
  )
  const change = prepare(
    "UPDATE session SET project_id = ?, parent_id = ?, directory = ?, updated = ?, data = ? WHERE id = ?",
  )
  const remove = prepare("DELETE FROM session WHERE id = ?")
  const forget = prepare("DELETE FROM event WHERE session_id = ? AND seq < ?")
  const unspend = prepare("DELETE FROM spend WHERE session_id = ?")
  const spend = prepare(`${insertSpend} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const begin = prepare("INSERT INTO turn (run_id, session_id, started) VALUES (?, ?, ?)")
  const end = prepare("UPDATE turn SET ended = ?, reason = ? WHERE run_id = ? AND session_id = ?")
  const columns = (info: Session) =>
    [info.projectID, info.parentID ?? null, info.directory, info.time.updated, JSON.stringify(info), info.id] as const
  return {
    "session.created": ({ info }) => create(...columns(info)),
    "session.updated": ({ info }) => mustHit(change(...columns(info)), `session ${info.id} does not exist`),
    /** What was said in a deleted session leaves the log too; only the fact of the deletion stays, and what it cost. */
    "session.deleted": ({ sessionID, info, spent = [] }, seq) => {
      remove(sessionID)
      forget(sessionID, seq)
      unspend(sessionID)
      for (const [index, one] of spent.entries())
        spend(...spending(`${sessionID}_${seq}_${index}`, sessionID, one), info.projectID, null)
    },
    "session.spent": ({ sessionID, spent }, seq) =>
      spend(...spending(`${sessionID}_${seq}`, sessionID, spent), null, null),
    "session.turn.started": ({ runID, sessionID, time }) => begin(runID, sessionID, time),
    "session.turn.ended": ({ sessionID, runID, time, reason }) => end(time, reason, runID, sessionID),
  }
}

function messageProjectors(prepare: (sql: string) => Write): Projectors<"message."> {
  const putMessage = prepare(
    `INSERT INTO message (id, session_id, seq, data) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET data = excluded.data WHERE session_id = excluded.session_id`,
  )
  // A message that comes whole was copied here, and paid for elsewhere. SQLite reads no JSON that is nested deeper than
  // 1,000 times; a message that is open has none.
  const spend = prepare(
    `${insertSpend} SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM message
     WHERE id = ? AND session_id = ? 
       AND CASE WHEN json_valid(data) THEN json_extract(data, '$.time.completed') IS NULL ELSE 0 END
     ON CONFLICT (id) DO NOTHING`,
  )
  const removeMessage = prepare("DELETE FROM message WHERE id = ? AND session_id = ?")
  const putPart = prepare(
    `INSERT INTO part (id, session_id, message_id, seq, data)
     SELECT ?, session_id, id, ?, ? FROM message WHERE id = ? AND session_id = ?
     ON CONFLICT (id) DO UPDATE SET data = excluded.data, tail = ''
       WHERE session_id = excluded.session_id AND message_id = excluded.message_id`,
  )
  const putCall = callProjector(prepare)
  const grow = prepare("UPDATE part SET tail = tail || ? WHERE id = ? AND session_id = ?")
  const removePart = prepare("DELETE FROM part WHERE id = ? AND session_id = ?")
  return {
    "message.updated": ({ info }, seq) => {
      const spent = spentBy(info)
      if (spent) {
        const toolTokens = "toolTokens" in info && info.toolTokens ? JSON.stringify(info.toolTokens) : null
        const id = `${info.sessionID}_${info.id}`
        spend(...spending(id, info.sessionID, spent), null, toolTokens, info.id, info.sessionID)
      }
      mustHit(
        putMessage(info.id, info.sessionID, seq, JSON.stringify(info)),
        `message ${info.id} belongs to another session`,
      )
    },
    "message.removed": ({ sessionID, messageID }) => removeMessage(messageID, sessionID),
    "message.part.updated": ({ part }, seq) => {
      mustHit(
        putPart(part.id, seq, JSON.stringify(part), part.messageID, part.sessionID),
        `part ${part.id} does not belong to message ${part.messageID} of ${part.sessionID}`,
      )
      if (part.type === "tool") putCall(part)
    },
    "message.part.delta": ({ sessionID, partID, field, delta }) => {
      if (field === "text") grow(delta, partID, sessionID)
    },
    "message.part.removed": ({ sessionID, partID }) => removePart(partID, sessionID),
  }
}

/** A call counts from when it was seen open: one that comes settled was copied here. */
function callProjector(prepare: (sql: string) => Write): (part: ToolPart) => void {
  const begin = prepare("INSERT INTO tool_call (id, session_id, tool) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
  const settle = prepare(
    "UPDATE tool_call SET tool = ?, ended = ?, failed = ?, bytes = ?, media = ? WHERE id = ? AND ended IS NULL",
  )
  return ({ id: partID, sessionID, tool, state }) => {
    const id = `${sessionID}_${partID}`
    if (state.status === "pending" || state.status === "running") return void begin(id, sessionID, tool)
    const failed = state.status === "error"
    const text = failed ? state.error : state.output
    const media = failed ? 0 : (state.attachments?.length ?? 0)
    settle(tool, state.time.end, Number(failed), Buffer.byteLength(text), media, id)
  }
}

const insertSpend = `INSERT INTO spend (id, session_id, time, agent, provider_id, model_id, calls, input, output, reasoning,
  cache_read, cache_write, cost, unpriced, project_id, tool_tokens)`

/** Values of a row of `spend`, but for the last two. */
function spending(id: string, sessionID: string, spent: Spending) {
  const { time, agent, providerID, modelID, calls = 1, tokens, cost, unpriced } = spent
  const { input, output, reasoning, cache } = tokens
  const counts = [input, output, reasoning, cache.read, cache.write] as const
  return [id, sessionID, time, agent, providerID, modelID, calls, ...counts, cost, Number(unpriced ?? false)] as const
}

/** What a finished answer cost; undefined when nobody counted. */
function spentBy(info: Message): Spending | undefined {
  if (info.role === "user" || info.time.completed === undefined) return undefined
  const { input, output, reasoning, cache } = info.tokens
  if (input + output + reasoning + cache.read + cache.write === 0) return undefined
  return { ...info, time: info.time.completed }
}

function inboxProjectors(prepare: (sql: string) => Write): Projectors<"session.inbox."> {
  const add = prepare("INSERT INTO inbox (id, session_id, seq, data) VALUES (?, ?, ?, ?)")
  const change = prepare("UPDATE inbox SET data = ? WHERE id = ? AND session_id = ?")
  const remove = prepare("DELETE FROM inbox WHERE id = ? AND session_id = ?")
  return {
    "session.inbox.added": ({ sessionID, item }, seq) => add(item.id, sessionID, seq, JSON.stringify(item)),
    "session.inbox.updated": ({ sessionID, item }) =>
      mustHit(change(JSON.stringify(item), item.id, sessionID), `prompt ${item.id} does not wait any more`),
    "session.inbox.removed": ({ sessionID, inboxID }) => remove(inboxID, sessionID),
  }
}

function journalProjectors(database: Database, prepare: (sql: string) => Write): JournalEvents {
  const put = prepare(
    `INSERT INTO file_change (id, session_id, message_id, seq, path, data)
     SELECT ?, session_id, id, ?, ?, ? FROM message WHERE id = ? AND session_id = ?
     ON CONFLICT (id) DO UPDATE SET data = excluded.data WHERE session_id = excluded.session_id`,
  )
  const remove = prepare("DELETE FROM file_change WHERE id = ? AND session_id = ?")
  const count = prepareLater<{ files: number }, [string]>(
    database,
    "SELECT count(DISTINCT path) AS files FROM file_change WHERE session_id = ?",
  )
  const session = prepareLater<{ data: string }, [string]>(database, "SELECT data FROM session WHERE id = ?")
  const message = prepareLater<{ data: string }, [string, string]>(
    database,
    "SELECT data FROM message WHERE id = ? AND session_id = ?",
  )
  const putSession = prepare("UPDATE session SET data = ? WHERE id = ?")
  const putMessage = prepare("UPDATE message SET data = ? WHERE id = ?")
  return {
    "session.file.changed": ({ sessionID, messageID, callID, changes }, seq) => {
      for (const change of changes) {
        if (isSame(change.before, change.after)) remove(change.id, sessionID)
        else
          mustHit(
            put(change.id, seq, change.path, JSON.stringify({ ...change, messageID, callID }), messageID, sessionID),
            `message ${messageID} of ${sessionID} does not exist`,
          )
      }
    },
    "session.step.changed": ({ sessionID, parentID, files }) => {
      const info = parsed<Session>(session.get(sessionID))
      if (info) putSession(JSON.stringify(sessionWith(info, files, count.get(sessionID)?.files ?? 0)), sessionID)
      const user = parsed<Message>(message.get(parentID, sessionID))
      if (user?.role === "user") putMessage(JSON.stringify(messageWith(user, files)), parentID)
    },
  }
}

function revertProjectors(database: Database, prepare: (sql: string) => Write): RevertEvents {
  const add = prepare("INSERT INTO revert (id, session_id, seq, data) VALUES (?, ?, ?, ?)")
  const get = prepareLater<{ data: string }, [string, string]>(
    database,
    "SELECT data FROM revert WHERE id = ? AND session_id = ?",
  )
  const change = prepare("UPDATE revert SET data = ? WHERE id = ?")
  const remove = prepare("DELETE FROM revert WHERE id = ?")
  const clear = prepare("DELETE FROM revert WHERE session_id = ?")
  return {
    "session.revert.begun": ({ sessionID, revert }, seq) => add(revert.id, sessionID, seq, JSON.stringify(revert)),
    "session.revert.ended": ({ sessionID, revertID, time, outcome, left }) => {
      const record = parsed<RevertRecord>(get.get(revertID, sessionID))
      if (!record) throw new Error(`revert ${revertID} of ${sessionID} does not exist`)
      if (outcome === "rolled_back") remove(revertID)
      else if (record.kind === "unrevert") clear(sessionID)
      else {
        const files = record.files.filter(({ path }) => !left.includes(path))
        change(JSON.stringify({ ...record, files, ended: time }), revertID)
      }
    },
    "session.revert.cleared": ({ sessionID }) => clear(sessionID),
  }
}

const parsed = <T>(row: { data: string } | null): T | undefined => (row ? (JSON.parse(row.data) as T) : undefined)

/** Our own states, which have their fields in one order. */
const isSame = (a: FileState, b: FileState) => JSON.stringify(a) === JSON.stringify(b)

function askProjectors(prepare: (sql: string) => Write): Projectors<"permission."> & Projectors<"question."> {
  const ask = prepare("INSERT INTO permission (id, session_id, seq, request) VALUES (?, ?, ?, ?)")
  const reply = prepare("UPDATE permission SET reply = ? WHERE id = ? AND session_id = ?")
  const remove = prepare(
    `UPDATE permission SET reply = json_remove(json_set(reply, '$.reply', 'once'), '$.scope')
     WHERE id = ? AND session_id = ? AND json_extract(reply, '$.reply') = 'always'`,
  )
  const askQuestion = prepare("INSERT INTO question (id, session_id, seq, request) VALUES (?, ?, ?, ?)")
  const answer = prepare("UPDATE question SET answers = ? WHERE id = ? AND session_id = ?")
  return {
    "permission.asked": (request, seq) => ask(request.id, request.sessionID, seq, JSON.stringify(request)),
    "permission.replied": ({ requestID, sessionID, ...given }) => reply(JSON.stringify(given), requestID, sessionID),
    "permission.removed": ({ requestID, sessionID }) =>
      mustHit(remove(requestID, sessionID), `nothing is approved for good by ${requestID}`),
    "question.asked": (request, seq) => askQuestion(request.id, request.sessionID, seq, JSON.stringify(request)),
    "question.replied": ({ requestID, sessionID, answers }) => answer(JSON.stringify(answers), requestID, sessionID),
    "question.rejected": ({ requestID, sessionID }) => answer(JSON.stringify("rejected"), requestID, sessionID),
  }
}

function listProjectors(prepare: (sql: string) => Write): Projectors<"todo."> & Projectors<"project."> {
  const putTodos = prepare(
    "INSERT INTO todo (session_id, todos) VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET todos = excluded.todos",
  )
  const putProject = prepare(
    `INSERT INTO project (id, common_dir, data) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET common_dir = excluded.common_dir, data = excluded.data`,
  )
  return {
    "todo.updated": ({ sessionID, todos }) => putTodos(sessionID, JSON.stringify(todos)),
    "project.updated": (project) => putProject(project.id, project.commonDir ?? null, JSON.stringify(project)),
  }
}

/** An event about a row that is not there is a defect of its writer: thrown, so that nothing of the append is stored. */
function mustHit(changed: number, otherwise: string): void {
  if (changed === 0) throw new Error(otherwise)
}
