import type { Engine } from "@cairn/schema/engine"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { ModelRef } from "@cairn/schema/model"
import type { Session } from "@cairn/schema/session"

/** The session of a run and what works in it. */
export interface Chosen {
  readonly session: Session
  readonly model: ModelRef
  readonly agent: string
  /** The session existed before. */
  readonly resumed: boolean
  /** What the user should know of the models that are to take over. */
  readonly notes: readonly string[]
}

interface Wish {
  readonly session?: string
  readonly continue: boolean
  /** A copy of that session instead of itself. */
  readonly fork?: boolean
  readonly model?: string
  readonly variant?: string
  readonly agent?: string
  readonly title?: string
}

/** Finds or creates the session. Model and agent are checked first, so that a refusal stores nothing. */
export async function chooseSession(engine: Engine, wish: Wish): Promise<Result<Chosen, SetupError>> {
  const existing = await findSession(engine, wish)
  if (!existing.ok) return existing
  const before = existing.value
  const agent = engine.checkAgent(wish.agent ?? before?.agent)
  if (!agent.ok) return agent
  const model = await engine.checkModel(wish.model, {
    agent: agent.value,
    ...(wish.variant !== undefined && { variant: wish.variant }),
    ...(before && { sessionID: before.id }),
  })
  if (!model.ok) return model
  const fallback = engine.checkFallback(model.value, agent.value)
  if (!fallback.ok) return fallback
  const chosen = { model: model.value, agent: agent.value }
  const notes = fallback.value
  const title = wish.title === undefined ? {} : { title: wish.title }
  if (!before)
    return ok({ ...chosen, notes, session: await engine.createSession({ ...chosen, ...title }), resumed: false })
  const taken = wish.fork ? await engine.forkSession(before.id) : ok(before)
  if (!taken.ok) return taken
  const { value } = taken
  const session = wish.title === undefined ? value : (engine.updateSession(value.id, title) ?? value)
  return ok({ ...chosen, notes, session, resumed: true })
}

async function findSession(engine: Engine, wish: Wish): Promise<Result<Session | undefined, SetupError>> {
  if (wish.session !== undefined) {
    const session = engine.session(wish.session)
    return session ? ok(session) : err(unknownSession(wish.session))
  }
  if (!wish.continue) return ok(undefined)
  const newest = await newestSession(engine)
  if (newest) return ok(newest)
  return err({ kind: "session", message: `no session to continue in ${engine.directory}; leave out --continue` })
}

/** The session of the directory that was last worked in. */
export async function newestSession(engine: Engine): Promise<Session | undefined> {
  const sessions = (await engine.sessions({ scope: "directory" })).filter((session) => session.parentID === undefined)
  return sessions.sort((a, b) => b.time.updated - a.time.updated)[0]
}

/** The refusal for an id that names no session. */
export function unknownSession(id: string): SetupError {
  return { kind: "session", message: `no session ${id}; cairn session list --all shows those of this project` }
}
