import type { Database } from "bun:sqlite"
import type { TurnEnd } from "@cairn/schema/event"
import type { FileChange, JournalEntry, RevertedFile, RevertRecord } from "@cairn/schema/history"
import type { PermissionReply, PermissionRequest } from "@cairn/schema/permission"
import type { Project } from "@cairn/schema/project"
import type { InboxItem } from "@cairn/schema/prompt"
import type { QuestionRequest } from "@cairn/schema/question"
import type { Session } from "@cairn/schema/session"
import { createFamilyReader, type FamilyReader } from "./read-family.ts"
import { type MessageReader, createMessageReader, synthetic } from "./read-messages.ts"
import { type SpendReader, createSpendReader } from "./spend.ts"
import type { Todo } from "@cairn/schema/todo"
import { prepareLater } from "./statement.ts"

/** Queries over the projections. Every method reads what is committed, and nothing is cached. */
export interface Reader extends MessageReader, SpendReader, FamilyReader {
  session(id: string): Session | undefined
  /** Sessions directly below one, oldest first. */
  children(id: string): Session[]
  /** Newest first. `projects` are ids and aliases of one project. */
  sessions(where: SessionQuery): Session[]
  /** Directories in which sessions of these projects worked. */
  directories(projects: readonly string[]): string[]
  /** Prompts that wait, in the order in which they will be taken. */
  inbox(sessionID: string): InboxItem[]
  /** Asks without an answer, oldest first; of every session when none is named. */
  pendingPermissions(sessionID?: string): PermissionRequest[]
  pendingQuestions(sessionID?: string): QuestionRequest[]
  /** What was approved for good (`always`): in this session, or for its project. */
  approvals(sessionID: string, projects: readonly string[]): { request: PermissionRequest; reply: PermissionReply }[]
  /** The same of every session of these projects, oldest first. */
  allApprovals(projects: readonly string[]): { request: PermissionRequest; reply: PermissionReply }[]
  todos(sessionID: string): Todo[]
  project(id: string): Project | undefined
  /** The one that was used last first. */
  projects(): Project[]
  projectByCommonDir(commonDir: string): Project | undefined
  /** The newest synthetic text of the session that begins with `start`. */
  lastFact(sessionID: string, start: string): string | undefined
  /** How the session's last turn ended; undefined when there was none, or it runs. */
  lastEnd(sessionID: string): TurnEnd | undefined
  /** Runs of the session that began and did not end. */
  openTurns(sessionID: string): string[]
  /** What the calls of a message, or of all messages of a session, changed in files, in the order of the writes. */
  changes(of: { messageID: string } | { sessionID: string }): JournalEntry[]
  /** The message of the session that changed a file last. */
  lastChanged(sessionID: string): string | undefined
  /** What calls and reverts of any session wrote in files, by the log after `seq`, in order. A change may come again under its id. */
  fileEventsSince(seq: number): (FileChange | RevertedFile)[]
  /** What is reverted in the session now, oldest first; one without `ended` was cut short. */
  reverts(sessionID: string): RevertRecord[]
  /** Sessions with a revert that was cut short. */
  unfinishedReverts(): string[]
  /** Every content that the journal names, by the last use of its session, then in the order of the writes. */
  contents(): Iterable<{ hash: string; sessionID: string }>
  /** The greatest message and part ids of a session: new ones must be greater. */
  lastIDs(sessionID: string): { message?: string; part?: string }
  lastSeq(): number
  /** The day of a time (ms) in this machine's time zone. `Date` would take 9 ms to learn the zone. */
  localDay(time: number): LocalDay
}

export interface LocalDay {
  /** 0 is Sunday. */
  readonly weekday: number
  /** `2026-11-22`. */
  readonly date: string
}

/** What a list of sessions holds: those that everything given here is true of. */
export interface SessionQuery {
  readonly projects?: readonly string[]
  readonly directories?: readonly string[]
  /** This directory and those below it. */
  readonly below?: string
  /** Without those that were begun from another one. */
  readonly roots?: boolean
  /** Stands in the title, whatever its case. */
  readonly search?: string
  /** Used at this time or later. */
  readonly since?: number
  /** Those that come after this one in the order of the list. */
  readonly after?: SessionPlace
  readonly limit?: number
}

/** Where a session stands in a list. */
export interface SessionPlace {
  readonly updated: number
  readonly id: string
}

export function createReader(database: Database): Reader {
  const rows = <T>(query: string) => {
    const statement = prepareLater<{ data: string }, (string | number)[]>(database, query)
    return (...values: (string | number)[]): T[] => statement.all(...values).map((row) => JSON.parse(row.data) as T)
  }
  const one = <T>(query: string) => {
    const all = rows<T>(query)
    return (...values: (string | number)[]): T | undefined => all(...values)[0]
  }
  const lastEnd = prepareLater<{ reason: TurnEnd | null }, [string]>(
    database,
    "SELECT reason FROM turn WHERE session_id = ? ORDER BY started DESC, rowid DESC LIMIT 1",
  )
  const spending = createSpendReader(database)
  const openTurns = prepareLater<{ run_id: string }, [string]>(
    database,
    "SELECT run_id FROM turn WHERE session_id = ? AND ended IS NULL",
  )
  const lastIDs = prepareLater<{ message: string | null; part: string | null }, [string, string]>(
    database,
    `SELECT (SELECT max(id) FROM (${newest("message")})) AS message, (SELECT max(id) FROM (${newest("part")})) AS part`,
  )
  const lastFact = prepareLater<{ text: string }, [string, string]>(
    database,
    `SELECT json_extract(data, '$.text') AS text FROM part
     WHERE session_id = ? AND ${synthetic} AND instr(text, ?) = 1 ORDER BY seq DESC LIMIT 1`,
  )
  const lastSeq = prepareLater<{ seq: number | null }, []>(database, "SELECT max(seq) AS seq FROM event")
  // `INDEXED BY`: only the few rows that were approved for good are looked at, or the query does not compile.
  const always = `SELECT permission.request, permission.reply
     FROM permission INDEXED BY permission_always JOIN session ON session.id = permission.session_id
     WHERE json_extract(permission.reply, '$.reply') = 'always'`
  const approvals = prepareLater<Approved, [string, string]>(
    database,
    `${always} AND (permission.session_id = ?1
       OR (json_extract(permission.reply, '$.scope') = 'project'
         AND session.project_id IN (SELECT value FROM json_each(?2))))
     ORDER BY permission.seq`,
  )
  const allApprovals = prepareLater<Approved, [string]>(
    database,
    `${always} AND session.project_id IN (SELECT value FROM json_each(?1)) ORDER BY permission.seq`,
  )
  const directories = rows<string>(
    `SELECT DISTINCT json_quote(directory) AS data FROM session WHERE project_id IN (SELECT value FROM json_each(?))`,
  )
  const pending = "FROM permission WHERE reply IS NULL"
  const pendingQuestion = "FROM question WHERE answers IS NULL"
  const pendingOf = rows<PermissionRequest>(`SELECT request AS data ${pending} AND session_id = ? ORDER BY seq`)
  const allPending = rows<PermissionRequest>(`SELECT request AS data ${pending} ORDER BY seq`)
  const questionsOf = rows<QuestionRequest>(`SELECT request AS data ${pendingQuestion} AND session_id = ? ORDER BY seq`)
  const allQuestions = rows<QuestionRequest>(`SELECT request AS data ${pendingQuestion} ORDER BY seq`)
  const fileEvents = rows<(FileChange | RevertedFile)[]>(
    `SELECT json_extract(properties, CASE type WHEN 'session.file.changed' THEN '$.changes' ELSE '$.revert.files' END) AS data
     FROM event WHERE seq > ? AND type IN ('session.file.changed', 'session.revert.begun') ORDER BY seq`,
  )
  const changesOfMessage = rows<JournalEntry>("SELECT data FROM file_change WHERE message_id = ? ORDER BY seq, id")
  const changesOfSession = rows<JournalEntry>("SELECT data FROM file_change WHERE session_id = ? ORDER BY seq, id")
  const unfinishedReverts = prepareLater<{ id: string }, []>(
    database,
    "SELECT DISTINCT session_id AS id FROM revert WHERE json_extract(data, '$.ended') IS NULL",
  )
  const lastChanged = prepareLater<{ id: string }, [string]>(
    database,
    "SELECT message_id AS id FROM file_change WHERE session_id = ? ORDER BY seq DESC LIMIT 1",
  )
  const localDay = prepareLater<LocalDay, [number]>(
    database,
    `SELECT CAST(strftime('%w', time) AS INTEGER) AS weekday, date(time) AS date
     FROM (SELECT datetime(?, 'unixepoch', 'localtime') AS time)`,
  )
  const todos = one<Todo[]>("SELECT todos AS data FROM todo WHERE session_id = ?")
  return {
    session: one<Session>("SELECT data FROM session WHERE id = ?"),
    children: rows<Session>("SELECT data FROM session WHERE parent_id = ? ORDER BY rowid"),
    sessions: (where) => listSessions(database, where),
    directories: (projects) => directories(JSON.stringify(projects)),
    ...createMessageReader(database),
    inbox: rows<InboxItem>(
      "SELECT data FROM inbox WHERE session_id = ? ORDER BY json_extract(data, '$.rank') NULLS LAST, seq",
    ),
    pendingPermissions: (sessionID) => (sessionID === undefined ? allPending() : pendingOf(sessionID)),
    pendingQuestions: (sessionID) => (sessionID === undefined ? allQuestions() : questionsOf(sessionID)),
    approvals: (sessionID, projects) => approvals.all(sessionID, JSON.stringify(projects)).map(approved),
    allApprovals: (projects) => allApprovals.all(JSON.stringify(projects)).map(approved),
    todos: (sessionID) => todos(sessionID) ?? [],
    projects: () =>
      database
        .query<{ data: string }, []>("SELECT data FROM project ORDER BY json_extract(data, '$.time.updated') DESC, id")
        .all()
        .map(({ data }) => JSON.parse(data) as Project),
    project: one<Project>("SELECT data FROM project WHERE id = ?"),
    projectByCommonDir: one<Project>("SELECT data FROM project WHERE common_dir = ? ORDER BY rowid DESC"),
    lastFact: (sessionID, start) => lastFact.get(sessionID, start)?.text,
    lastEnd: (sessionID) => lastEnd.get(sessionID)?.reason ?? undefined,
    ...spending,
    ...createFamilyReader(database),
    changes: (of) => ("messageID" in of ? changesOfMessage(of.messageID) : changesOfSession(of.sessionID)),
    lastChanged: (sessionID) => lastChanged.get(sessionID)?.id,
    fileEventsSince: (seq) => fileEvents(seq).flat(),
    reverts: rows<RevertRecord>("SELECT data FROM revert WHERE session_id = ? ORDER BY seq"),
    unfinishedReverts: () => unfinishedReverts.all().map(({ id }) => id),
    contents: () => contentsOf(database),
    openTurns: (sessionID) => openTurns.all(sessionID).map((row) => row.run_id),
    lastIDs(sessionID) {
      const row = lastIDs.get(sessionID, sessionID)
      return { message: row?.message ?? undefined, part: row?.part ?? undefined }
    },
    lastSeq: () => lastSeq.get()?.seq ?? 0,
    localDay(time) {
      const day = localDay.get(Math.floor(time / 1_000))
      if (!day) throw new Error(`${time} is on no day`)
      return day
    },
  }
}

/** One statement for each combination of conditions, kept by the connection. */
function listSessions(database: Database, where: SessionQuery): Session[] {
  const { projects, directories, below, roots, search, since, after, limit = 1_000 } = where
  const conditions: [string, ...(string | number)[]][] = []
  if (projects) conditions.push(["project_id IN (SELECT value FROM json_each(?))", JSON.stringify(projects)])
  if (directories) conditions.push(["directory IN (SELECT value FROM json_each(?))", JSON.stringify(directories)])
  if (below !== undefined) {
    const inside = below.endsWith("/") ? below : `${below}/`
    conditions.push(["(directory = ? OR substr(directory, 1, length(?)) = ?)", below, inside, inside])
  }
  if (roots) conditions.push(["parent_id IS NULL"])
  if (search !== undefined) conditions.push(["instr(lower(json_extract(data, '$.title')), lower(?)) > 0", search])
  if (since !== undefined) conditions.push(["updated >= ?", since])
  if (after) conditions.push(["(updated < ? OR (updated = ? AND id > ?))", after.updated, after.updated, after.id])
  const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`
  const values = conditions.flatMap(([, ...given]) => given)
  return database
    .query<{ data: string }, (string | number)[]>(`SELECT data FROM session${filter} ORDER BY updated DESC, id LIMIT ?`)
    .all(...values, limit)
    .map(({ data }) => JSON.parse(data) as Session)
}

interface Approved {
  readonly request: string
  readonly reply: string
}

const approved = ({ request, reply }: Approved) => ({
  request: JSON.parse(request) as PermissionRequest,
  reply: JSON.parse(reply) as PermissionReply,
})

/** A session at a time, so that no statement stays open between them. */
function* contentsOf(database: Database): Generator<{ hash: string; sessionID: string }> {
  using sessions = database.prepare<{ id: string }, []>(
    `SELECT id FROM session
     WHERE id IN (SELECT session_id FROM file_change UNION SELECT session_id FROM revert) ORDER BY updated, id`,
  )
  using contents = database.prepare<{ hash: string }, [string]>(
    `WITH named AS (
       SELECT seq, id AS place, data AS change FROM file_change WHERE session_id = ?1
       UNION ALL SELECT seq, file.key, file.value FROM revert, json_each(data, '$.files') AS file WHERE session_id = ?1)
     SELECT hash FROM (
       SELECT json_extract(change, '$.before.hash') AS hash, seq, place, 0 AS side FROM named
       UNION ALL SELECT json_extract(change, '$.after.hash'), seq, place, 1 FROM named)
     WHERE hash IS NOT NULL ORDER BY seq, place, side`,
  )
  for (const { id: sessionID } of sessions.all())
    for (const { hash } of contents.all(sessionID)) yield { hash, sessionID }
}

/** Ids grow with the order of events, except among those that were made side by side: enough of the last ones holds the greatest. */
const newest = (table: string) => `SELECT id FROM ${table} WHERE session_id = ? ORDER BY seq DESC LIMIT 500`
