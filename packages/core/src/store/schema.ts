import type { DurableEvent, TurnEnd } from "@cairn/schema/event"
import type { JournalEntry, RevertRecord } from "@cairn/schema/history"
import type { Message } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { PermissionReply, PermissionRequest } from "@cairn/schema/permission"
import type { Project } from "@cairn/schema/project"
import type { InboxItem } from "@cairn/schema/prompt"
import type { QuestionAnswer, QuestionRequest } from "@cairn/schema/question"
import type { Session } from "@cairn/schema/session"
import type { Todo } from "@cairn/schema/todo"
import { sql } from "drizzle-orm"
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** The log. Everything below, `lease` and `migration` aside, can be rebuilt from it. */
export const event = sqliteTable(
  "event",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull(),
    sessionID: text("session_id").notNull(),
    time: integer().notNull(),
    type: text().$type<DurableEvent["type"]>().notNull(),
    properties: text({ mode: "json" }).$type<DurableEvent["properties"]>().notNull(),
  },
  (table) => [index("event_session").on(table.sessionID, table.seq)],
)

export const project = sqliteTable("project", {
  id: text().primaryKey(),
  commonDir: text("common_dir"),
  data: text({ mode: "json" }).$type<Project>().notNull(),
})

export const session = sqliteTable(
  "session",
  {
    id: text().primaryKey(),
    projectID: text("project_id").notNull(),
    directory: text().notNull(),
    updated: integer().notNull(),
    data: text({ mode: "json" }).$type<Session>().notNull(),
    parentID: text("parent_id"),
  },
  (table) => [
    index("session_project").on(table.projectID, table.updated),
    index("session_directory").on(table.directory, table.updated),
    index("session_updated").on(table.updated),
    index("session_parent")
      .on(table.parentID)
      .where(sql`parent_id IS NOT NULL`),
  ],
)

const ofSession = () =>
  text("session_id")
    .notNull()
    .references(() => session.id, { onDelete: "cascade" })

/** `seq` is the sequence number of the event that created the row: the order of messages and parts. */
export const message = sqliteTable(
  "message",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    seq: integer().notNull(),
    data: text({ mode: "json" }).$type<Message>().notNull(),
  },
  (table) => [
    index("message_session").on(table.sessionID, table.seq),
    // Few rows: they say where a turn begins to read.
    index("message_summary")
      .on(table.sessionID, table.seq)
      .where(sql`instr(data, '"summary":true') > 0`),
  ],
)

export const part = sqliteTable(
  "part",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    messageID: text("message_id")
      .notNull()
      .references(() => message.id, { onDelete: "cascade" }),
    seq: integer().notNull(),
    data: text({ mode: "json" }).$type<Part>().notNull(),
    /** Text of durable deltas that came after `data`: what a part that is still open has beyond it. */
    tail: text().notNull().default(""),
  },
  (table) => [
    index("part_message").on(table.messageID, table.seq),
    index("part_session").on(table.sessionID, table.seq),
  ],
)

/**
 * What model calls cost: one row for each, of a deleted session one for several. Rows stay when their session, message
 * or part goes: what was spent is spent. `project_id` is that of a deleted session.
 */
export const spend = sqliteTable(
  "spend",
  {
    /** Of session and message together, so that a row depends on no other session. */
    id: text().primaryKey(),
    sessionID: text("session_id").notNull(),
    projectID: text("project_id"),
    time: integer().notNull(),
    agent: text().notNull(),
    providerID: text("provider_id").notNull(),
    modelID: text("model_id").notNull(),
    calls: integer().notNull(),
    input: integer().notNull(),
    output: integer().notNull(),
    reasoning: integer().notNull(),
    cacheRead: integer("cache_read").notNull(),
    cacheWrite: integer("cache_write").notNull(),
    cost: real().notNull(),
    unpriced: integer().notNull(),
    toolTokens: text("tool_tokens", { mode: "json" }).$type<Record<string, number>>(),
  },
  (table) => [index("spend_session").on(table.sessionID), index("spend_time").on(table.time)],
)

/** Calls of tools; `ended` and what follows are null until the call has settled. */
export const toolCall = sqliteTable(
  "tool_call",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    tool: text().notNull(),
    ended: integer(),
    failed: integer(),
    /** Of the result's text, in UTF-8. */
    bytes: integer(),
    /** Pictures and documents in the result. */
    media: integer(),
  },
  (table) => [index("tool_call_session").on(table.sessionID)],
)

/** The journal: what calls changed in files, a row for each path of a call, in the order of the writes. */
export const fileChange = sqliteTable(
  "file_change",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    messageID: text("message_id")
      .notNull()
      .references(() => message.id, { onDelete: "cascade" }),
    seq: integer().notNull(),
    path: text().notNull(),
    data: text({ mode: "json" }).$type<JournalEntry>().notNull(),
  },
  (table) => [
    index("file_change_message").on(table.messageID, table.seq),
    index("file_change_session").on(table.sessionID, table.seq),
    index("file_change_path").on(table.sessionID, table.path),
  ],
)

/** Reverts of a session, until the next prompt: what an unrevert brings back, and what a crash left unfinished. */
export const revert = sqliteTable(
  "revert",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    seq: integer().notNull(),
    data: text({ mode: "json" }).$type<RevertRecord>().notNull(),
  },
  (table) => [
    index("revert_session").on(table.sessionID, table.seq),
    index("revert_pending")
      .on(table.sessionID)
      .where(sql`json_extract(data, '$.ended') IS NULL`),
  ],
)

export const turn = sqliteTable(
  "turn",
  {
    runID: text("run_id").primaryKey(),
    sessionID: ofSession(),
    started: integer().notNull(),
    ended: integer(),
    reason: text().$type<TurnEnd>(),
  },
  (table) => [index("turn_session").on(table.sessionID)],
)

export const inbox = sqliteTable(
  "inbox",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    seq: integer().notNull(),
    data: text({ mode: "json" }).$type<InboxItem>().notNull(),
  },
  (table) => [index("inbox_session").on(table.sessionID, table.seq)],
)

export const permission = sqliteTable(
  "permission",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    seq: integer().notNull(),
    request: text({ mode: "json" }).$type<PermissionRequest>().notNull(),
    reply: text({ mode: "json" }).$type<PermissionReply>(),
  },
  (table) => [
    index("permission_session").on(table.sessionID, table.seq),
    index("permission_pending")
      .on(table.seq)
      .where(sql`reply IS NULL`),
    index("permission_always")
      .on(table.sessionID)
      .where(sql`json_extract(reply, '$.reply') = 'always'`),
  ],
)

export const question = sqliteTable(
  "question",
  {
    id: text().primaryKey(),
    sessionID: ofSession(),
    seq: integer().notNull(),
    request: text({ mode: "json" }).$type<QuestionRequest>().notNull(),
    answers: text({ mode: "json" }).$type<QuestionAnswer[] | "rejected">(),
  },
  (table) => [
    index("question_session").on(table.sessionID, table.seq),
    index("question_pending")
      .on(table.seq)
      .where(sql`answers IS NULL`),
  ],
)

export const todo = sqliteTable("todo", {
  sessionID: text("session_id")
    .primaryKey()
    .references(() => session.id, { onDelete: "cascade" }),
  todos: text({ mode: "json" }).$type<Todo[]>().notNull(),
})

/** Operational: who runs a session. Written by `lease.ts` only, skipped by `verify`. */
export const lease = sqliteTable("lease", {
  sessionID: text("session_id").primaryKey(),
  runID: text("run_id").notNull(),
  pid: integer().notNull(),
  /** Start time of the process as the system counts it, empty where it cannot be known. */
  started: text().notNull(),
  boot: text().notNull(),
  namespace: text().notNull(),
  since: integer().notNull(),
  heartbeat: integer().notNull(),
})

/** Operational, as is `search_pending`: what the search index is. Both are written by `search-writer.ts` only; the words stand in a table of FTS5. */
export const search = sqliteTable("search", {
  id: integer().primaryKey(),
  /** How words are taken from parts; another version builds the index anew. */
  version: integer().notNull(),
  damaged: integer({ mode: "boolean" }).notNull(),
  /** Parts whose `seq` is less are in the index, as they were when it got there. */
  ceiling: integer().notNull(),
})

/** Parts below the ceiling, by their `seq`, that have changed since. */
export const searchPending = sqliteTable("search_pending", { seq: integer().primaryKey() })

/** Operational: which migrations this file has. */
export const migration = sqliteTable("migration", {
  name: text().primaryKey(),
  hash: text().notNull(),
  time: integer().notNull(),
})
