import type { Database } from "bun:sqlite"
import type { DurableEvent, DurableType } from "@cairn/schema/event"
import { and, eq, sql } from "drizzle-orm"
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite"
import * as table from "./schema.ts"

type Of<T extends DurableType> = Extract<DurableEvent, { type: T }>["properties"]
type Projectors = { [T in DurableType]: (properties: Of<T>, seq: number) => void }

/** Applies one event to the tables. Pure in (rows, event): no clock, no file. */
export type Project = (event: DurableEvent, seq: number) => void

const value = sql.placeholder

/** Prepares every statement of the projectors once, for one connection. */
export function createProjector(database: Database): Project {
  const orm = drizzle(database)
  const projectors: Projectors = {
    ...sessionProjectors(orm),
    ...messageProjectors(orm),
    ...askProjectors(orm),
  }
  return (event, seq) => (projectors[event.type] as (properties: DurableEvent["properties"], seq: number) => void)(event.properties, seq)
}

function sessionProjectors(orm: BunSQLiteDatabase) {
  const columns = {
    projectID: value("projectID"),
    directory: value("directory"),
    updated: value("updated"),
    data: value("data"),
  }
  const put = orm
    .insert(table.session)
    .values({ id: value("id"), ...columns })
    .onConflictDoUpdate({ target: table.session.id, set: excluded(["project_id", "directory", "updated", "data"]) })
    .prepare()
  const remove = orm.delete(table.session).where(eq(table.session.id, value("id"))).prepare()
  const forget = orm
    .delete(table.event)
    .where(and(eq(table.event.sessionID, value("id")), sql`${table.event.seq} < ${value("seq")}`))
    .prepare()
  const begin = orm
    .insert(table.turn)
    .values({ runID: value("runID"), sessionID: value("sessionID"), started: value("time") })
    .prepare()
  const end = orm
    .update(table.turn)
    .set({ ended: sql`${value("time")}`, reason: sql`${value("reason")}` })
    .where(eq(table.turn.runID, value("runID")))
    .prepare()
  const putTodos = orm
    .insert(table.todo)
    .values({ sessionID: value("sessionID"), todos: value("todos") })
    .onConflictDoUpdate({ target: table.todo.sessionID, set: excluded(["todos"]) })
    .prepare()
  const putProject = orm
    .insert(table.project)
    .values({ id: value("id"), commonDir: value("commonDir"), data: value("data") })
    .onConflictDoUpdate({ target: table.project.id, set: excluded(["common_dir", "data"]) })
    .prepare()
  const store = ({ info }: Of<"session.created">) =>
    put.run({ id: info.id, projectID: info.projectID, directory: info.directory, updated: info.time.updated, data: info })
  return {
    "session.created": store,
    "session.updated": store,
    /** What was said in a deleted session leaves the log too; only the fact of the deletion stays. */
    "session.deleted": ({ sessionID }: Of<"session.deleted">, seq: number) => {
      remove.run({ id: sessionID })
      forget.run({ id: sessionID, seq })
    },
    "session.turn.started": (turn: Of<"session.turn.started">) => begin.run({ ...turn }),
    "session.turn.ended": ({ runID, time, reason }: Of<"session.turn.ended">) => end.run({ runID, time, reason }),
    "todo.updated": (todos: Of<"todo.updated">) => putTodos.run({ ...todos }),
    "project.updated": (project: Of<"project.updated">) =>
      putProject.run({ id: project.id, commonDir: project.commonDir ?? null, data: project }),
  }
}

function messageProjectors(orm: BunSQLiteDatabase) {
  const putMessage = orm
    .insert(table.message)
    .values({ id: value("id"), sessionID: value("sessionID"), seq: value("seq"), data: value("data") })
    .onConflictDoUpdate({ target: table.message.id, set: excluded(["data"]) })
    .prepare()
  const removeMessage = orm.delete(table.message).where(eq(table.message.id, value("id"))).prepare()
  const putPart = orm
    .insert(table.part)
    .values({
      id: value("id"),
      sessionID: value("sessionID"),
      messageID: value("messageID"),
      seq: value("seq"),
      data: value("data"),
      tail: "",
    })
    .onConflictDoUpdate({ target: table.part.id, set: { ...excluded(["data"]), tail: "" } })
    .prepare()
  const append = orm
    .update(table.part)
    .set({ tail: sql`${table.part.tail} || ${value("delta")}` })
    .where(eq(table.part.id, value("id")))
    .prepare()
  const removePart = orm.delete(table.part).where(eq(table.part.id, value("id"))).prepare()
  return {
    "message.updated": ({ info }: Of<"message.updated">, seq: number) =>
      putMessage.run({ id: info.id, sessionID: info.sessionID, seq, data: info }),
    "message.removed": ({ messageID }: Of<"message.removed">) => removeMessage.run({ id: messageID }),
    "message.part.updated": ({ part }: Of<"message.part.updated">, seq: number) =>
      putPart.run({ id: part.id, sessionID: part.sessionID, messageID: part.messageID, seq, data: part }),
    "message.part.delta": ({ partID, delta }: Of<"message.part.delta">) => append.run({ id: partID, delta }),
    "message.part.removed": ({ partID }: Of<"message.part.removed">) => removePart.run({ id: partID }),
  }
}

function askProjectors(orm: BunSQLiteDatabase) {
  const putInbox = orm
    .insert(table.inbox)
    .values({ id: value("id"), sessionID: value("sessionID"), seq: value("seq"), data: value("data") })
    .onConflictDoUpdate({ target: table.inbox.id, set: excluded(["data"]) })
    .prepare()
  const removeInbox = orm.delete(table.inbox).where(eq(table.inbox.id, value("id"))).prepare()
  const askPermission = orm
    .insert(table.permission)
    .values({ id: value("id"), sessionID: value("sessionID"), seq: value("seq"), request: value("request") })
    .prepare()
  const replyPermission = orm
    .update(table.permission)
    .set({ reply: sql`${value("reply")}` })
    .where(eq(table.permission.id, value("id")))
    .prepare()
  const askQuestion = orm
    .insert(table.question)
    .values({ id: value("id"), sessionID: value("sessionID"), seq: value("seq"), request: value("request") })
    .prepare()
  const answerQuestion = orm
    .update(table.question)
    .set({ answers: sql`${value("answers")}` })
    .where(eq(table.question.id, value("id")))
    .prepare()
  const store = ({ sessionID, item }: Of<"session.inbox.added">, seq: number) =>
    putInbox.run({ id: item.id, sessionID, seq, data: item })
  return {
    "session.inbox.added": store,
    "session.inbox.updated": store,
    "session.inbox.removed": ({ inboxID }: Of<"session.inbox.removed">) => removeInbox.run({ id: inboxID }),
    "permission.asked": (request: Of<"permission.asked">, seq: number) =>
      askPermission.run({ id: request.id, sessionID: request.sessionID, seq, request }),
    "permission.replied": ({ requestID, sessionID: _, ...reply }: Of<"permission.replied">) =>
      replyPermission.run({ id: requestID, reply: JSON.stringify(reply) }),
    "question.asked": (request: Of<"question.asked">, seq: number) =>
      askQuestion.run({ id: request.id, sessionID: request.sessionID, seq, request }),
    "question.replied": ({ requestID, answers }: Of<"question.replied">) =>
      answerQuestion.run({ id: requestID, answers: JSON.stringify(answers) }),
    "question.rejected": ({ requestID }: Of<"question.rejected">) =>
      answerQuestion.run({ id: requestID, answers: JSON.stringify("rejected") }),
  }
}

/** `SET column = excluded.column` for the columns named as in the database. */
function excluded(columns: readonly string[]): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_id$/, "ID").replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(columns.map((name) => [camel(name), sql.raw(`excluded.${name}`)]))
}
