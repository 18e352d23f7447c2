import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { LogEntry } from "@cairn/schema/event"
import type { RevertRecord } from "@cairn/schema/history"
import type { MessageWithParts } from "@cairn/schema/message"
import { type ModelRef, noTokens } from "@cairn/schema/model"
import { redactConfig } from "./config/redact.ts"
import type { Engine, PromptInput, ShellInput, TurnOutcome } from "@cairn/schema/engine"
import { takesMedia } from "./model/media.ts"
import { overviewOf } from "./overview.ts"
import type { Parts } from "./parts.ts"
import { listApprovals, removeApprovals } from "./session/approvals.ts"
import { attachFiles, isFile } from "./session/attach.ts"
import { checkInput } from "./session/check-input.ts"
import { checkPrompt } from "./session/check-prompt.ts"
import { chooseModel } from "./session/choose-model.ts"
import type { Edits } from "./session/edits.ts"
import { cancelWaiting, changeWaiting } from "./session/inbox.ts"
import { lineUpOf } from "./session/line-up.ts"
import { leftOutOf } from "./session/left-out.ts"
import { shellNote } from "./prompt/shell-note.ts"
import { openStructured } from "./session/structured.ts"
import type { Prepared } from "./session/turn-runner.ts"
import { createSession, deleteSession, listSessions, updateSession, withDescendants } from "./session/sessions.ts"
import { guarded } from "./store/guard.ts"
import type { Store } from "./store/store.ts"
import { StoreFailed } from "./store/trouble.ts"

/** The engine as its clients see it: thin calls into the parts. */
export function createEngineOf(parts: Parts): Engine {
  const { store, location, config, models, agents, asks, questions, project, coordinator, scope } = parts
  const sessions = { ...parts, directory: location.directory }
  const places = { ...location, env: parts.env, paths: config.paths }
  return {
    directory: location.directory,
    worktree: location.worktree,
    paths: parts.paths,
    warnings: parts.warnings,
    configView: () => ({ config: redactConfig(config.config), sources: config.sources, warnings: parts.warnings }),
    trust: async () => (await import("./config/trust-of.ts")).trustOf(places, config),
    saveTrust: async (seen) => (await import("./config/trust-of.ts")).saveTrust(places, seen, parts.clock.now()),
    async verify() {
      const { verify } = await import("./store/verify.ts")
      return verify(parts.database)
    },
    collect: ({ dryRun }) => parts.history.collect({ dryRun, signal: scope.signal }),
    checkModel(ref, { agent: name, variant, sessionID } = {}) {
      const agent = name === undefined ? ok({}) : agents.primary(name)
      if (!agent.ok) return Promise.resolve(agent)
      const wish = { ...(ref !== undefined && { model: ref }), ...(variant !== undefined && { variant }) }
      const session = sessionID === undefined ? undefined : store.read.session(sessionID)
      const model = chooseModel(models, agent.value, wish, session)
      return Promise.resolve(model.ok ? ok(model.value.ref) : model)
    },
    checkFallback: (model, agent) => checkFallback(parts, model, agent),
    checkAgent(name) {
      const agent = agents.primary(name)
      return agent.ok ? ok(agent.value.name) : agent
    },
    leftOut(ref, files) {
      const model = models.resolve(ref)
      const accepts = (mime: string) => model.ok && takesMedia(model.value.capabilities, mime)
      return leftOutOf(files, { ...ref, accepts })
    },
    models: (filter, scope) => models.infos(filter, scope),
    suggestModels: (text) => models.suggest(text),
    ...overviewOf(parts),
    todos: (sessionID) => store.read.todos(sessionID),
    createSession(input) {
      // A project that is new is asked for its name while the first turn runs.
      const unnamed = (error: unknown) => parts.log.warn("the project could not be identified", { error })
      void scope.run((signal) => project.identify(signal).catch(unnamed))
      return Promise.resolve(createSession(sessions, project.id(), input))
    },
    forkSession: (sessionID, messageID) =>
      storing(async () => (await import("./session/fork.ts")).forkSession(sessions, sessionID, messageID)),
    session: (sessionID) => store.read.session(sessionID),
    async sessions(filter) {
      await project.identify(scope.signal)
      return listSessions(sessions, project.ids(), filter)
    },
    async search(request, progress) {
      await project.identify(scope.signal)
      const { searchSessions } = await import("./session/search.ts")
      return await storing(() => searchSessions(sessions, project.ids(), request, { signal: scope.signal, progress }))
    },
    async rebuildSearch(progress) {
      const { rebuildSearch } = await import("./session/search.ts")
      return await storing(() => rebuildSearch(store, { signal: scope.signal, progress }))
    },
    messages(sessionID, page) {
      const stored = page ? store.read.messagePage(sessionID, page) : store.read.messages(sessionID)
      return store.openParts.of(sessionID).length === 0 ? stored : stored.map((message) => withOpen(store, message))
    },
    message(sessionID, messageID) {
      const info = store.read.message(messageID)
      return info?.sessionID === sessionID ? withOpen(store, { info, parts: store.read.parts(messageID) }) : undefined
    },
    children: (sessionID) => store.read.children(sessionID),
    async isOfProject({ projectID }) {
      await project.identify(scope.signal)
      return project.ids().includes(projectID)
    },
    inbox: (sessionID) => store.read.inbox(sessionID),
    changeInbox(sessionID, inboxID, change) {
      const changed = changeWaiting(store, sessionID, inboxID, change)
      if (changed.ok && change.hold === false) coordinator.letGo(sessionID, inboxID)
      return changed
    },
    cancelInbox: (sessionID, inboxID) => cancelWaiting(store, sessionID, inboxID),
    async trace(sessionID) {
      if (!store.read.session(sessionID)) return undefined
      const { traceOf } = await import("./trace/session-trace.ts")
      return traceOf(sessionID, logOf(store, sessionID))
    },
    async stats({ days, project: wanted }) {
      const { projectsAt, readStats } = await import("./stats/stats.ts")
      if (wanted === "here") await project.identify(scope.signal)
      const { database } = parts
      return guarded(database.filename, "read", () => {
        const here =
          wanted === "all" ? undefined : wanted === "here" ? project.ids() : projectsAt(database, wanted.directory)
        const range = { now: parts.clock.now(), ...(days !== undefined && { days }) }
        return readStats(database, { ...range, ...(here && { projects: here }) })
      })
    },
    updateSession: (sessionID, change) => updateSession(sessions, sessionID, change),
    async deleteSession(sessionID) {
      const all = withDescendants(store.read, sessionID)
      for (const id of all) {
        const free = await coordinator.vacate(id)
        if (!free.ok) return free
      }
      // From below, so that no child is ever without its parent, and so without its bounds.
      return all.toReversed().every((id) => deleteSession(sessions, id))
        ? ok(undefined)
        : err(unknownSession(sessionID))
    },
    revert: (sessionID, input) => storing(async () => (await parts.reverts()).revert(sessionID, input)),
    async diff(sessionID, input = {}) {
      const { sessionDiff } = await import("./session/diffs.ts")
      return await sessionDiff({ store, blobs: parts.history.blobs, worktree: location.worktree }, sessionID, input)
    },
    unrevert: (sessionID, { dryRun = false } = {}) =>
      storing(async () => (await parts.reverts()).unrevert(sessionID, { dryRun })),
    prompt: (input) => storing(() => prompt(parts, input)),
    shell: (input) => storing(() => shell(parts, input)),
    ...editsOf(parts),
    compact: (sessionID, model) => storing(() => compact(parts, sessionID, model)),
    abort: (sessionID) => coordinator.abort(sessionID),
    status: (sessionID) => coordinator.status(sessionID),
    statuses: () => coordinator.statuses(),
    subscribe: (listener) => store.subscribe(listener),
    follow: (listener) => store.follow(listener),
    log: store.log,
    openParts: (sessionID) => store.openParts.of(sessionID),
    async approvals(filter) {
      await project.identify(scope.signal)
      return listApprovals(store, project.ids(), filter)
    },
    async removeApprovals(ids) {
      await project.identify(scope.signal)
      return removeApprovals(store, project.ids(), ids)
    },
    pendingAsks: (sessionID) => asks.pending(sessionID),
    replyPermission: (requestID, reply) => asks.reply(requestID, reply),
    pendingQuestions: (sessionID) => questions.pending(sessionID),
    replyQuestion: (requestID, answers) => questions.reply(requestID, answers),
    rejectQuestion: (requestID, message) => questions.reject(requestID, message),
    [Symbol.asyncDispose]: () => parts.dispose(),
  }
}

/** The session's log, oldest first, of which only a few entries are held at a time. */
function* logOf(store: Store, sessionID: string): Generator<LogEntry> {
  for (let after = 0; ;) {
    const entries = store.cursor(after, { sessionID, limit: 200 })
    yield* entries
    const last = entries.at(-1)
    if (!last) return
    after = last.seq
  }
}

/** The text of open parts is stored later than it is published: whoever reads now and listens from now on misses nothing. */
const withOpen = ({ openParts }: Store, { info, parts }: MessageWithParts): MessageWithParts => ({
  info,
  parts: parts.map((part) => openParts.grown(part)),
})

function checkFallback(
  { agents, models, config }: Parts,
  ref: ModelRef,
  name: string,
): ReturnType<Engine["checkFallback"]> {
  const agent = agents.get(name)
  if (!agent.ok) return agent
  const model = models.resolve(ref)
  if (!model.ok) return model
  const lined = lineUpOf(models, agent.value, config.config.model_fallback, model.value)
  return lined.ok ? ok(lined.value.notes) : lined
}

function editsOf(parts: Parts): Edits {
  const open = async () => (await import("./session/edits.ts")).createEdits(parts)
  return {
    deleteMessage: (...where) => storing(async () => (await open()).deleteMessage(...where)),
    deletePart: (...where) => storing(async () => (await open()).deletePart(...where)),
    updatePart: (part) => storing(async () => (await open()).updatePart(part)),
  }
}

/** A disk that does not take the prompt is something to mend first: no model was called. */
async function storing<T>(work: () => Promise<Result<T, SetupError>>): Promise<Result<T, SetupError>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreFailed)) throw error
    return err({ kind: "data_directory", message: error.message })
  }
}

async function prompt(parts: Parts, given: PromptInput): Promise<Result<TurnOutcome, SetupError>> {
  const checked = checkInput(given)
  const known = checked instanceof Promise ? await checked : checked
  if (!known.ok) return known
  const input = known.value
  const by = whoAnswers(parts, input.sessionID, input)
  if (!by.ok) return by
  if (input.format && input.format.type !== "text") {
    const form = await openStructured(input.format)
    if (!form.ok) return form
  }
  // Before anything is said after it: a revert that a dead process left in the middle.
  if (parts.store.read.reverts(input.sessionID).some(isUnfinished))
    await (await parts.reverts()).finish(input.sessionID)
  // Without files nothing is awaited: the prompt is durable in the tick in which it came.
  const attached = input.parts.some(isFile) ? await attachFiles(input.parts) : ok([...input.parts])
  if (!attached.ok) return attached
  const { sessionID, tools, system, format, messageID } = input
  const taken = messageID === undefined ? undefined : takenID(parts, sessionID, messageID)
  if (taken) return err(taken)
  const [model] = by.value.lineUp
  const admission = {
    ...{ agent: by.value.agent.name, model: model.ref, parts: attached.value },
    ...(tools && { tools }),
    ...(system !== undefined && { system }),
    ...(format && { format }),
    ...named(messageID),
  }
  const unfit = checkPrompt(admission, model)
  if (unfit) return err(unfit)
  if (input.noReply) {
    const noted = parts.coordinator.note(sessionID, admission)
    return noted.ok ? ok({ ...unanswered(sessionID), ...named(noted.value) }) : noted
  }
  return await parts.coordinator.prompt(sessionID, admission, {
    delivery: input.delivery ?? "steer",
    asks: input.asks ?? "wait",
  })
}

const named = (messageID: string | undefined) => ({ ...(messageID !== undefined && { messageID }) })

/** A prompt that is sent again is not answered twice. */
function takenID({ store }: Parts, sessionID: string, messageID: string): SetupError | undefined {
  if (!/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(messageID))
    return { kind: "usage", message: `The message cannot be called ${JSON.stringify(messageID.slice(0, 100))}.` }
  const waits = store.read.inbox(sessionID).some((item) => item.messageID === messageID)
  if (!waits && !store.read.message(messageID)) return undefined
  return { kind: "usage", message: `The message ${messageID} was sent already.` }
}

async function shell(
  parts: Parts,
  { sessionID, command, ...input }: ShellInput,
): Promise<Result<TurnOutcome, SetupError>> {
  const by = whoAnswers(parts, sessionID, input)
  if (!by.ok) return by
  if (command.trim() === "") return err({ kind: "usage", message: "The command is empty." })
  const taken = input.messageID === undefined ? undefined : takenID(parts, sessionID, input.messageID)
  if (taken) return err(taken)
  if (parts.store.read.reverts(sessionID).some(isUnfinished)) await (await parts.reverts()).finish(sessionID)
  const { agent, lineUp } = by.value
  const note = { type: "text" as const, text: shellNote, synthetic: true }
  const admission = { agent: agent.name, model: lineUp[0].ref, parts: [note], ...named(input.messageID) }
  return await parts.coordinator.shell(sessionID, admission, command)
}

const isUnfinished = ({ ended }: RevertRecord): boolean => ended === undefined

const unanswered = (sessionID: string): TurnOutcome => {
  return { sessionID, reason: "done", text: "", tokens: noTokens(), cost: 0, denied: 0 }
}

async function compact(parts: Parts, sessionID: string, model?: ModelRef): Promise<Result<TurnOutcome, SetupError>> {
  const by = whoAnswers(parts, sessionID, { ...(model && { model }) })
  if (!by.ok) return by
  if (parts.store.read.reverts(sessionID).some(isUnfinished)) await (await parts.reverts()).finish(sessionID)
  const { agent, lineUp } = by.value
  return await parts.coordinator.compact(sessionID, { agent: agent.name, model: lineUp[0].ref })
}

/** The agent and the model that are named, else those that the session used last, both ready for use. */
function whoAnswers(
  { store, agents, models, preparer }: Parts,
  sessionID: string,
  named: Pick<PromptInput, "agent" | "model" | "variant">,
): Result<Prepared, SetupError> {
  const session = store.read.session(sessionID)
  if (!session) return err(unknownSession(sessionID))
  const agent = agents.primary(named.agent ?? session.agent)
  if (!agent.ok) return agent
  const model = chooseModel(models, agent.value, named, session)
  if (!model.ok) return model
  return preparer.prepare(sessionID, { agent: agent.value.name, model: model.value.ref })
}

const unknownSession = (sessionID: string): SetupError => ({
  kind: "session",
  message: `There is no session ${sessionID}. "cairn session list --all" shows those of this project.`,
})
