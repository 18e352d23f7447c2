import type { Engine, PromptInput, TurnOutcome } from "@cairn/schema/engine"
import type { Stats } from "@cairn/schema/stats"
import { ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { BusEvent } from "@cairn/schema/event"
import { noTokens } from "@cairn/schema/model"
import type { PermissionReply } from "@cairn/schema/permission"
import type { ProjectInfo } from "@cairn/schema/project"
import type { Session } from "@cairn/schema/session"
import { event, outcome, session } from "./values.ts"

/** What a fake turn can do while it runs. */
export interface FakeTurn {
  readonly input: PromptInput
  publish(...events: readonly BusEvent[]): void
  /** Resolves with the next answer to this ask. */
  answer(requestID: string): Promise<PermissionReply>
  /** Resolves when somebody aborts the session. */
  readonly aborted: Promise<void>
}

export type FakePlay = (turn: FakeTurn) => Promise<TurnOutcome | SetupError> | TurnOutcome | SetupError

export interface FakeEngine extends Engine {
  readonly prompts: PromptInput[]
  readonly replies: { id: string; reply: PermissionReply }[]
  readonly deleted: string[]
  disposed: boolean
}

const nothing = { calls: 0, tokens: noTokens(), cost: 0, unpriced: 0, cacheHitRate: 0 }

/** What an empty database gives. */
const noStats: Stats = {
  to: 0,
  totals: { ...nothing, sessions: 0, subagents: 0, deleted: 0 },
  ...{ days: [], models: [], agents: [], projects: [], sessions: [], tools: [] },
}

const fakeProject: ProjectInfo = { id: "p", worktree: "/repo", time: { created: 0, updated: 0 }, sandboxes: [] }

/** The engine's interface over a scripted turn: real event values, no store and no model. Only for the command line's edge. */
export function fakeEngine(play: FakePlay = () => outcome(), change: Partial<Engine> = {}): FakeEngine {
  const listeners = new Set<(event: BusEvent) => void>()
  const waiting = new Map<string, (reply: PermissionReply) => void>()
  const abortion = Promise.withResolvers<void>()
  const sessions = new Map<string, Session>()
  const publish = (...events: readonly BusEvent[]) => {
    for (const each of events) for (const listener of listeners) listener(each)
  }
  const paths = {
    home: "/home/test",
    config: "/c",
    data: "/d",
    state: "/s",
    cache: "/k",
    database: "/d/cairn.db",
    log: "/s/log/cairn.log",
    toolOutput: "/d/t",
    blobs: "/d/blob",
  }
  const engine: FakeEngine = {
    directory: "/repo",
    worktree: "/repo",
    paths,
    warnings: [],
    prompts: [],
    replies: [],
    deleted: [],
    disposed: false,
    configView: () => ({ config: {}, sources: [], warnings: [] }),
    collect: async () => ({
      before: { blobs: 3, bytes: 3_000 },
      unreferenced: { blobs: 2, bytes: 2_000 },
      evicted: { blobs: 0, bytes: 0, sessions: 0 },
      strays: 0,
    }),
    trust: async () => ({ directory: "/repo", trusted: false, surface: [], changes: [], changed: false }),
    saveTrust: async () => ok(undefined),
    verify: () => Promise.resolve({ sessions: 0, events: 0, problems: [] }),
    checkModel: async (ref, { sessionID, variant } = {}) => {
      const last = sessionID === undefined ? undefined : engine.session(sessionID)?.model
      const [providerID = "demo", modelID = "tour"] = (
        ref ?? (last ? `${last.providerID}/${last.id}` : "demo/tour")
      ).split("/")
      return ok({ providerID, modelID, ...(variant !== undefined && { variant }) })
    },
    checkFallback: () => ok([]),
    leftOut: () => [],
    shell: async () => ({ ok: false, error: { kind: "usage", message: "this engine has no shell" } }),
    deleteMessage: async () => ok(undefined),
    deletePart: async () => ok(undefined),
    updatePart: async (part) => ok(part),
    models: () => [],
    suggestModels: () => [],
    updateConfig: async (_, change) => ok(change),
    saveAuth: async () => ok(undefined),
    agents: () => [{ name: "build", mode: "primary", permission: [], options: {} }],
    providers: async () => ({ all: [], default: {}, connected: [] }),
    project: async () => fakeProject,
    projects: () => [fakeProject],
    updateProject: () => undefined,
    projectDirectories: () => [],
    todos: () => [],
    files: () => Promise.reject(new Error("this engine has no files")),
    vcs: () => Promise.reject(new Error("this engine has no git")),
    checkAgent: (name) => ok(name ?? "build"),
    async createSession(input) {
      const made = session(input.title === undefined ? {} : { title: input.title })
      sessions.set(made.id, made)
      publish(event("session.created", { sessionID: made.id, info: made }))
      return made
    },
    forkSession: async (id) => ok(session({ id: `${id}fork` })),
    session: (id) => sessions.get(id),
    sessions: async () => [...sessions.values()],
    search: async () => ok({ hits: [] }),
    rebuildSearch: async () => ok(undefined),
    messages: () => [],
    message: () => undefined,
    children: () => [],
    isOfProject: () => Promise.resolve(true),
    inbox: () => [],
    changeInbox: (_, id) => ({ ok: false, error: { kind: "inbox", message: `${id} does not wait` } }),
    cancelInbox: (_, id) => ({ ok: false, error: { kind: "inbox", message: `${id} does not wait` } }),
    trace: async () => undefined,
    stats: async () => noStats,
    updateSession: (id, update) => {
      const found = sessions.get(id)
      return found && { ...found, ...update }
    },
    async deleteSession(id) {
      engine.deleted.push(id)
      sessions.delete(id)
      return ok(undefined)
    },
    async prompt(input): Promise<Result<TurnOutcome, SetupError>> {
      engine.prompts.push(input)
      const answer = (id: string) => new Promise<PermissionReply>((resolve) => waiting.set(id, resolve))
      const end = await play({ input, publish, answer, aborted: abortion.promise })
      return "kind" in end ? { ok: false, error: end } : ok(end)
    },
    compact: async () => ok(outcome()),
    revert: async () => ({ ok: false, error: { kind: "session", message: "nothing to revert" } }),
    diff: async () => ok([]),
    unrevert: async () => ({ ok: false, error: { kind: "session", message: "nothing is reverted" } }),
    async abort() {
      abortion.resolve()
      return true
    },
    status: () => ({ type: "idle" }),
    statuses: () => ({}),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    follow: (listener) => engine.subscribe(listener),
    log: {
      id: "0",
      last: () => 0,
      entries: () => [],
      elsewhere: () => ({ seq: 0, sessions: [], parts: [] }),
      watch: () => () => undefined,
    },
    openParts: () => [],
    approvals: async () => [],
    removeApprovals: async () => ok([]),
    pendingAsks: () => [],
    replyPermission(id, reply) {
      engine.replies.push({ id, reply })
      const resolve = waiting.get(id)
      waiting.delete(id)
      resolve?.(reply)
      return resolve ? ok(undefined) : { ok: false, error: { kind: "unknown", message: `no ask ${id} waits` } }
    },
    pendingQuestions: () => [],
    replyQuestion: () => false,
    rejectQuestion: () => false,
    async [Symbol.asyncDispose]() {
      engine.disposed = true
    },
    ...change,
  }
  return engine
}
