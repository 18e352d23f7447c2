import type { Engine, PromptInput } from "@cairn/schema/engine"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { MessageWithParts } from "@cairn/schema/message"
import type { PromptBody, SessionChange, SessionCreate } from "@cairn/schema/operation/session"
import { longestPage } from "@cairn/schema/operation/query"
import { join } from "node:path"
import { readCursor, writeCursor } from "../cursor.ts"
import { type Failure, failureOf, notFound } from "../failure.ts"
import type { Page, Routes } from "../route.ts"
import { answerOf } from "../turn-answer.ts"

type SessionRoute =
  | "session.list"
  | "session.create"
  | "session.status"
  | "session.get"
  | "session.update"
  | "session.delete"
  | "session.children"
  | "session.messages"
  | "session.message"
  | "session.prompt"
  | "session.prompt_async"
  | "session.todo"
  | "session.fork"
  | "session.summarize"
  | "session.abort"

/** Sessions of a page when the caller does not say. */
const sessionsOfPage = 100

export const sessionRoutes: Routes<SessionRoute> = {
  async "session.list"({ engine, query }) {
    const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
    if (after && !after.ok) return after
    const { path, roots, search, start } = query
    const sessions = (limit: number) =>
      engine.sessions({
        scope: query.scope ?? (path === undefined ? "directory" : "project"),
        ...(path !== undefined && { below: join(engine.worktree, path) }),
        ...(roots && { roots }),
        ...(search !== undefined && search !== "" && { search }),
        ...(start !== undefined && { since: start }),
        ...(after && { after: after.value }),
        limit,
      })
    const most = Math.min(query.limit ?? sessionsOfPage, longestPage)
    const found = await sessions(most + 1)
    const items = found.slice(0, most)
    const last = items.at(-1)
    const next = found.length > most && last ? writeCursor([last.time.updated, last.id]) : undefined
    return ok({ items, next })
  },
  async "session.create"({ engine, body = {} }) {
    const { parentID } = body
    if (parentID !== undefined && !engine.session(parentID)) return err(unknown(parentID))
    return ok(await engine.createSession(newSession(body)))
  },
  "session.status": ({ engine }) => ok(engine.statuses()),
  "session.get": ({ engine, params }) => found(engine.session(params.sessionID), params.sessionID),
  "session.update": ({ engine, params, body }) =>
    found(engine.updateSession(params.sessionID, changeOf(body)), params.sessionID),
  "session.delete": async ({ engine, params }) => done(await engine.deleteSession(params.sessionID)),
  "session.children": ({ engine, params }) =>
    engine.session(params.sessionID) ? ok(engine.children(params.sessionID)) : err(unknown(params.sessionID)),
  "session.messages": ({ engine, params, query }) => messages(engine, params.sessionID, query),
  "session.message": ({ engine, params }) => {
    const message = engine.message(params.sessionID, params.messageID)
    return message ? ok(message) : err(notFound(`Session ${params.sessionID} has no message ${params.messageID}.`))
  },
  async "session.prompt"({ engine, params, body }) {
    const outcome = await engine.prompt(promptOf(params.sessionID, body))
    return outcome.ok ? answerOf(engine, outcome.value) : err(failureOf(outcome.error))
  },
  async "session.prompt_async"({ engine, server, params, body }) {
    // Everything that the caller can mend is told: whether there is such a session, and which model it would be.
    if (!engine.session(params.sessionID)) return err(unknown(params.sessionID))
    const answer = engine.prompt(promptOf(params.sessionID, body))
    server.background(engine.directory, "a prompt", async () => void (await answer))
    return ok(undefined)
  },
  "session.todo": ({ engine, params: { sessionID } }) =>
    engine.session(sessionID) ? ok(engine.todos(sessionID)) : err(unknown(sessionID)),
  async "session.fork"({ engine, params, body }) {
    const forked = await engine.forkSession(params.sessionID, body?.messageID)
    return forked.ok ? ok(forked.value) : err(failureOf(forked.error))
  },
  async "session.summarize"({ engine, params, body: { providerID, modelID } = {} }) {
    const model = providerID === undefined || modelID === undefined ? undefined : { providerID, modelID }
    const outcome = await engine.compact(params.sessionID, model)
    return outcome.ok ? ok(outcome.value.reason === "done") : err(failureOf(outcome.error))
  },
  async "session.abort"({ engine, params }) {
    if (!engine.session(params.sessionID)) return err(unknown(params.sessionID))
    await engine.abort(params.sessionID)
    return ok(true)
  },
}

const unknown = (sessionID: string): Failure => notFound(`There is no session ${sessionID}.`)

const found = <T>(value: T | undefined, sessionID: string): Result<T, Failure> =>
  value === undefined ? err(unknown(sessionID)) : ok(value)

const done = (result: Result<void, SetupError>): Result<boolean, Failure> =>
  result.ok ? ok(true) : err(failureOf(result.error))

function newSession({ model, ...more }: SessionCreate): Parameters<Engine["createSession"]>[0] {
  if (!model) return more
  const { id: modelID, providerID, variant } = model
  return { ...more, model: { providerID, modelID, ...(variant !== undefined && { variant }) } }
}

const changeOf = ({ time, ...change }: SessionChange): Parameters<Engine["updateSession"]>[1] => ({
  ...change,
  ...(time?.archived !== undefined && { archived: time.archived }),
})

function messages(
  engine: Engine,
  sessionID: string,
  { limit = longestPage, before }: { limit?: number | undefined; before?: string | undefined },
): Result<Page<MessageWithParts[]>, Failure> {
  if (!engine.session(sessionID)) return err(unknown(sessionID))
  const most = Math.min(limit, longestPage)
  const newest = engine.messages(sessionID, { limit: most + 1, ...(before !== undefined && { before }) })
  const items = most === 0 ? [] : newest.slice(-most)
  return ok({ items, next: newest.length > most ? items[0]?.info.id : undefined })
}

const promptOf = (sessionID: string, body: PromptBody): PromptInput => ({ sessionID, ...body })
