import { existsSync } from "node:fs"
import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import type { DurableEvent } from "@cairn/schema/event"
import { addTokens, type ModelRef, noTokens, type Tokens } from "@cairn/schema/model"
import type { SessionChange } from "@cairn/schema/engine"
import type { PermissionRuleset } from "@cairn/schema/permission"
import type { Session, SessionFilter } from "@cairn/schema/session"
import type { Reader } from "../store/read.ts"
import type { Store } from "../store/store.ts"

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly version: string
  readonly directory: string
}

export interface NewSession {
  readonly title?: string
  readonly parentID?: string
  readonly agent?: string
  readonly model?: ModelRef
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly permission?: PermissionRuleset
}

/** What a session is called until its first prompt names it. */
export const untitled = "New session"

export function createSession(
  { store, clock, ids, version, directory }: Deps,
  projectID: string,
  input: NewSession,
): Session {
  const now = clock.now()
  const id = ids.next("session")
  const { model, metadata, permission } = input
  const info: Session = {
    id,
    slug: id.slice(-8).toLowerCase(),
    projectID,
    directory,
    ...(input.parentID !== undefined && { parentID: input.parentID }),
    title: input.title ?? untitled,
    ...(input.agent !== undefined && { agent: input.agent }),
    ...(model && {
      model: {
        id: model.modelID,
        providerID: model.providerID,
        ...(model.variant !== undefined && { variant: model.variant }),
      },
    }),
    version,
    ...(metadata && { metadata: { ...metadata } }),
    ...(permission && { permission: [...permission] }),
    time: { created: now, updated: now },
  }
  store.append(id, [{ type: "session.created", properties: { sessionID: id, info } }])
  return info
}

/** Sessions of a project, newest first: of this directory and of directories that are gone, or of all of them. */
export function listSessions(
  { store, directory }: Deps,
  projects: readonly string[],
  { scope, limit = 100, ...more }: SessionFilter,
): Session[] {
  return store.read.sessions({ ...withinScope({ store, directory }, projects, scope), ...more, limit })
}

/** What a scope means for a query: a project, or in it this directory and those that are gone. */
export function withinScope(
  { store, directory }: Pick<Deps, "store" | "directory">,
  projects: readonly string[],
  scope: SessionFilter["scope"],
): { projects: readonly string[]; directories?: readonly string[] } {
  if (scope === "project") return { projects }
  const here = store.read.directories(projects).filter((path) => path === directory || !existsSync(path))
  return { projects, directories: here }
}

/** Changes what a person may change. Undefined when there is no such session. */
export function updateSession(
  { store, clock }: Deps,
  sessionID: string,
  { archived, ...change }: SessionChange,
): Session | undefined {
  let info: Session | undefined
  store.derive(sessionID, () => {
    const session = store.read.session(sessionID)
    if (!session) return []
    const time = { ...session.time, updated: clock.now(), ...(archived !== undefined && { archived }) }
    info = { ...session, ...change, time }
    return [{ type: "session.updated", properties: { sessionID, info } }]
  })
  return info
}

/** What a call has cost joins the totals of its session. */
export function withTotals(
  session: Session | undefined,
  spent: { readonly now: number; readonly tokens: Tokens; readonly cost: number },
): DurableEvent[] {
  if (!session) return []
  const { total: _, ...tokens } = addTokens(session.tokens ?? noTokens(), spent.tokens)
  const time = { ...session.time, updated: spent.now }
  const info = { ...session, tokens, cost: (session.cost ?? 0) + spent.cost, time }
  return [{ type: "session.updated", properties: { sessionID: session.id, info } }]
}

/** A session and all below it, each after its parent. */
export function withDescendants(read: Pick<Reader, "children">, sessionID: string): string[] {
  const all = new Set([sessionID])
  for (const id of all) for (const child of read.children(id)) all.add(child.id)
  return [...all]
}

/** Removes the session and what was said in it, from the tables and from the log. What it has cost stays known. */
export function deleteSession({ store }: Deps, sessionID: string): boolean {
  const session = store.read.session(sessionID)
  if (!session) return false
  // The deletion stays in the log for ever, so it must not carry what was deleted.
  const { id, slug, projectID, directory, version, time } = session
  const info: Session = { id, slug, projectID, directory, version, time, title: "" }
  store.derive(sessionID, () => {
    const spent = store.read.spendingOf(sessionID)
    return [{ type: "session.deleted", properties: { sessionID, info, ...(spent.length > 0 && { spent }) } }]
  })
  return true
}
