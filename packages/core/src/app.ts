import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { KeyedLock } from "@cairn/kernel/lock"
import { createLog, type LogLevel } from "@cairn/kernel/log"
import { type Result, err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import { type Agents, createAgents } from "./agent/agents.ts"
import { type LoadedConfig, loadConfig } from "./config/load.ts"
import { ensureDataDir, type Paths } from "./config/paths.ts"
import type { Engine, EnginePaths } from "@cairn/schema/engine"
import type { EngineOptions } from "./engine-options.ts"
import { createEngineOf } from "./facade.ts"
import { createInstructions } from "./instruction/instructions.ts"
import { fileSink } from "./log-file.ts"
import { createAuthFile } from "./model/auth-file.ts"
import { callModel } from "./model/call.ts"
import { type Catalog, createCatalog } from "./model/catalog.ts"
import { createCooldowns } from "./model/cooldown.ts"
import { createModels } from "./model/registry.ts"
import { createNet } from "./net/net.ts"
import { approvalsIn } from "./permission/approvals.ts"
import { createAsks } from "./permission/asks.ts"
import { childEnvironment, type Environment } from "./process/environment.ts"
import { createGit, type Git } from "./process/git.ts"
import { createSandbox } from "./process/sandbox/sandbox.ts"
import { createSupervisor } from "./process/supervisor.ts"
import { cleanUp } from "./session/clean-up.ts"
import { createCoordinator } from "./session/coordinator.ts"
import { createCurrentProject } from "./session/project.ts"
import { agentIn } from "./session/inherited-rules.ts"
import { createQuestions } from "./session/questions.ts"
import { createPreparer } from "./session/prepare.ts"
import type { Reverts } from "./session/reverts.ts"
import { recoverAll } from "./session/recovery.ts"
import { createSystemPrompts } from "./session/system-prompts.ts"
import { createTurnRunner } from "./session/turn-runner.ts"
import { openDatabase } from "./store/database.ts"
import { self } from "./store/lease.ts"
import { createStore } from "./store/store.ts"
import { openTracing } from "./trace/open-tracing.ts"
import { StoreFailed } from "./store/trouble.ts"
import { createOutput } from "./tool/output.ts"
import { buildTools } from "./tools.ts"
import { createWriteGuard } from "./workspace/write-guard.ts"
import { createWriteOperations } from "./workspace/atomic-write.ts"
import { createBlobStore } from "./workspace/history/blob-store.ts"
import { blobQuota, collect, tidy } from "./workspace/history/collect.ts"
import type { CommandJournal } from "./workspace/history/command-journal.ts"
import { createJournal } from "./workspace/history/journal.ts"
import { locate } from "./workspace/project.ts"
import { createSeen } from "./workspace/seen.ts"

/**
 * The composition root: builds the engine of one directory, from what has no needs to what needs everything. What cannot
 * work here (directory, config, data directory) is an error that says what to mend; nothing is left behind then.
 */
export async function createEngine(options: EngineOptions): Promise<Result<Engine, SetupError>> {
  const opened = await openBase(options)
  if (!opened.ok) return opened
  const base = opened.value
  const { store, database, clock, ids, log, location, config, paths, sink } = base
  const unread = recover(base)
  if (unread) return err(unread)

  const modelSide = buildModelSide(base, options)
  const toolSide = buildToolSide(base, modelSide, options)
  const { preparer, coordinator, reverts } = buildSessions(base, modelSide, toolSide, options)
  await finishReverts(base, reverts)

  const scope = new TaskGroup()
  void scope.run(() => toolSide.output.sweep())
  void scope.run((signal) => toolSide.history.tidy(signal))
  const { auth, catalog, models, agents } = modelSide
  const { asks, questions, project, supervisor, git, history } = toolSide
  return ok(
    createEngineOf({
      ...{
        database,
        store,
        clock,
        ids,
        log,
        version: options.version,
        env: options.env,
        paths,
        location,
        config,
        warnings: base.warnings,
      },
      ...{
        auth,
        catalog,
        models,
        agents,
        asks,
        questions,
        project,
        supervisor,
        git,
        history,
        preparer,
        coordinator,
        reverts,
      },
      scope,
      async dispose() {
        await coordinator[Symbol.asyncDispose]()
        await scope[Symbol.asyncDispose]()
        await supervisor[Symbol.asyncDispose]()
        await base.tracing.close()
        store.close()
        sink[Symbol.dispose]()
      },
    }),
  )
}

/** Closes the runs of dead processes. A database that cannot be read or written any more is closed, and said. */
function recover({ store, clock, log, sink }: Base): SetupError | undefined {
  try {
    recoverAll(store, clock, log)
    return undefined
  } catch (error) {
    if (!(error instanceof StoreFailed)) throw error
    store.close()
    sink[Symbol.dispose]()
    return { kind: "data_directory", message: error.message }
  }
}

/** What a dead process left half reverted is finished before anybody looks. */
async function finishReverts({ store, log }: Base, reverts: () => Promise<Reverts>): Promise<void> {
  try {
    if (store.read.unfinishedReverts().length > 0) await (await reverts()).finish()
  } catch (error) {
    log.error("a revert could not be finished; the next start tries again", { error })
  }
}

type Base = OkOf<Awaited<ReturnType<typeof openBase>>>
type ModelSide = ReturnType<typeof buildModelSide>
type ToolSide = ReturnType<typeof buildToolSide>
type OkOf<R> = R extends { ok: true; value: infer Value } ? Value : never

/** Where the engine works, what it is told, and where it keeps things. */
async function openBase(options: EngineOptions) {
  const { env, home } = options
  const clock = options.clock ?? systemClock
  const location = await locate(options.directory)
  if (!location.ok) return location
  const { directory, worktree } = location.value
  const flags = { trust: options.trust ?? false, ...(options.flags && { overrides: options.flags }) }
  const config = await loadConfig({ directory, worktree, env, home, flags })
  if (!config.ok) return config
  const dataDir = await ensureDataDir(config.value.paths)
  if (!dataDir.ok) return dataDir
  const paths = enginePaths(config.value.paths)

  const sink = fileSink(paths.log)
  const log = createLog(sink, clock, logLevel(config.value.config.logLevel))
  const opened = openDatabase({ file: paths.database, now: () => clock.now() })
  if (!opened.ok) return opened
  const { database } = opened.value
  const ids = new Ids(clock)
  const store = createStore({ database, clock, ids, log: log.child("store"), owner: self() })
  const net = createNet({ env, log: log.child("net"), clock, ...(options.fetch && { fetch: options.fetch }) })
  const tracing = await openTracing({ env, net, clock, log: log.child("trace"), version: options.version })
  const warnings = [...config.value.warnings, ...opened.value.warnings, ...tracing.warnings]
  return ok({
    ...{ clock, ids, log, sink, database, store, paths, warnings, net, tracing },
    location: location.value,
    config: config.value,
  })
}

/** Who answers: the models and how they are reached, and the agents that speak to them. */
function buildModelSide({ clock, log, config, paths, net }: Base, { env, home }: EngineOptions) {
  const catalog = createCatalog()
  const auth = createAuthFile(join(paths.data, "auth.json"))
  const models = createModels({
    ...{ catalog, config: config.config, env, net, clock, log: log.child("model"), auth: auth.key },
  })
  const engineRules = [{ permission: "external_directory", pattern: `${paths.toolOutput}/*`, action: "allow" as const }]
  return { auth, catalog, models, agents: createAgents({ ...config, home, engineRules }) }
}

/** What works on the directory: processes, tools, and who is asked about them. */
function buildToolSide(base: Base, { catalog, agents }: ModelSide, { env, home }: EngineOptions) {
  const { store, clock, ids, log, net, location, config, paths } = base
  const { directory, worktree } = location
  const append = (sessionID: string, events: readonly DurableEvent[]) => void store.append(sessionID, events)
  let childEnv: Environment | undefined
  const supervisor = createSupervisor({
    clock,
    log: log.child("process"),
    get env() {
      return (childEnv ??= childEnvironment(env, keyNames(catalog, config.config)))
    },
  })
  const limits = config.config.tool_output
  const output = createOutput({
    directory: paths.toolOutput,
    clock,
    log: log.child("output"),
    limits: { maxLines: limits?.max_lines, maxBytes: limits?.max_bytes },
  })
  const seen = createSeen()
  const instructions = createInstructions({
    ...{ net, clock, log: log.child("instruction"), cacheDir: paths.cache },
    places: { ...config.paths, directory, worktree },
    named: config.instructions,
    trusted: config.trusted,
  })
  const git = createGit(supervisor)
  const history = buildHistory(base, git, home)
  const questions = createQuestions({ append, ids })
  const agentOf = (sessionID: string, name: string) => {
    const agent = agents.get(name)
    return agent.ok ? agentIn(store.read, agents, sessionID, agent.value) : undefined
  }
  const tools = buildTools({
    ...{ clock, supervisor, output, seen, instructions, env, home, worktree, journal: history.journal },
    commands: history.commands,
    ...history.writing,
    rulesOf: (sessionID, name) => agentOf(sessionID, name)?.rules ?? [],
    isReadOnly: (sessionID, name) => agentOf(sessionID, name)?.readOnly ?? true,
    saveTodos: (sessionID, todos) =>
      append(sessionID, [{ type: "todo.updated", properties: { sessionID, todos: [...todos] } }]),
    todos: (sessionID) => store.read.todos(sessionID),
    askQuestions: (asked, context) => questions.ask(asked, context),
    wanted: namedByConfig(config.layers),
    unbounded: config.unbounded,
    sandbox: createSandbox({ supervisor, worktree, enabled: !config.unbounded }),
    confining: {
      ...{ gitDir: location.gitDir, commonDir: location.commonDir, git, log: log.child("sandbox"), paths },
      network: !["deny", false].includes(config.config.sandbox?.network ?? "allow"),
      passed: config.config.sandbox?.env ?? [],
    },
    shell: config.config.shell,
    cacheDir: paths.cache,
    log: log.child("tool"),
  })
  const project = createCurrentProject({ store, clock, git, location })
  const asks = createAsks({
    append,
    ids,
    approvals: (sessionID) => approvalsIn(store.read.approvals(sessionID, project.ids())),
  })
  return { supervisor, git, output, seen, instructions, questions, tools, project, asks, history }
}

/** What makes changes of files undoable: their contents, and the journal that names them. */
function buildHistory({ store, clock, ids, log, paths, location }: Base, git: Git, home: string) {
  const blobs = createBlobStore(paths.blobs, clock)
  const guard = createWriteGuard(join(paths.state, "writing"), { clock, log })
  let lastChange: string | undefined
  const journal = createJournal({
    blobs,
    changeID: () => (lastChange = ids.next("change", lastChange)),
    append: ({ sessionID, messageID, callID }, changes) =>
      void store.append(sessionID, [
        { type: "session.file.changed", properties: { sessionID, messageID, callID, changes: [...changes] } },
      ]),
  })
  /** Loaded and made when the first command runs that may change something. */
  let watching: Promise<CommandJournal> | undefined
  const load = async () => {
    const [{ createCommandJournal }, { createKnownFiles }, running, family, { realpath }] = await Promise.all([
      import("./workspace/history/command-journal.ts"),
      import("./workspace/history/known-files.ts"),
      import("./workspace/history/running-commands.ts"),
      import("./session/family.ts"),
      import("node:fs/promises"),
    ])
    const real = (path: string) => realpath(path).catch(() => path)
    const own = await Promise.all([paths.data, paths.state, paths.cache].map(real))
    const known = createKnownFiles(blobs, clock)
    return createCommandJournal({
      ...{ git, blobs, journal, known, location, own, clock, home: await real(home) },
      running: running.createRunningCommands(join(paths.state, "running"), clock),
      others: { mark: () => store.read.lastSeq(), since: (mark) => family.changesSince(store, mark) },
      rootOf: (sessionID) => family.rootOf(store, sessionID),
    })
  }
  const commands: CommandJournal = {
    begin: async (call, signal, threats) => await (await (watching ??= load())).begin(call, signal, threats),
    losses: async (threats, signal) => await (await (watching ??= load())).losses(threats, signal),
  }
  const deps = {
    files: blobs.files,
    clock,
    log: log.child("history"),
    quota: blobQuota,
    references: () => store.read.contents(),
  }
  return {
    blobs,
    journal,
    commands,
    /** Of files of the user: tools and reverts take the same locks. */
    writing: { locks: new KeyedLock(), operations: createWriteOperations(guard) },
    tidy: (signal: AbortSignal) => tidy(deps, signal),
    collect: (options: { dryRun: boolean; signal: AbortSignal }) => collect(deps, options),
  }
}

/** What turns a prompt into an answer. */
function buildSessions(
  base: Base,
  { models, agents }: ModelSide,
  toolSide: ToolSide,
  { leavesQueued = false }: EngineOptions,
) {
  const { store, clock, ids, log, net, location, config } = base
  const { seen, output, tools, asks, instructions } = toolSide
  const { directory, worktree } = location
  const preparer = createPreparer({ store, clock, models, agents, fallback: config.config.model_fallback })
  const turn = createTurnRunner({
    ...{ store, clock, log, asks, seen, output, directory, worktree, tools, instructions },
    budget: config.config.budget,
    cooldowns: createCooldowns(clock),
    compaction: { ...config.config.compaction, prompt: promptOf(agents, "compaction") },
    titleByModel: config.config.title === "model",
    random: Math.random,
    prepare: preparer.prepare,
    system: createSystemPrompts({ location, instructions, platform: process.platform }),
    titlePrompt: () => promptOf(agents, "title"),
    call: (model, request, signal) => callModel(model, request, { signal, clock, net, log: log.child("call") }),
  })
  const { tracer } = base.tracing
  const coordinator = createCoordinator({
    ...{ store, clock, ids, log: log.child("session"), tracer, ...preparer, turn },
    leavesQueued,
    cleanUp: (sessionID) => void (cleanUp(store, sessionID) && seen.forget(sessionID)),
  })
  const { blobs, writing } = toolSide.history
  const reverts = async () => {
    const { createReverts } = await import("./session/reverts.ts")
    return createReverts({
      ...{ store, clock, ids, log: log.child("revert"), blobs, worktree, coordinator },
      ...writing,
    })
  }
  return { preparer, coordinator, reverts }
}

function enginePaths({ home, configDir, dataDir, stateDir, cacheDir }: Paths): EnginePaths {
  return {
    home,
    config: configDir,
    data: dataDir,
    state: stateDir,
    cache: cacheDir,
    database: join(dataDir, "cairn.db"),
    log: join(stateDir, "log", "cairn.log"),
    toolOutput: join(dataDir, "tool-output"),
    blobs: join(dataDir, "blob"),
  }
}

/** Tools that the config allows by their own names (`tools: {list: true}`, `permission: {list: "allow"}`). */
function namedByConfig(layers: LoadedConfig["layers"]): Set<string> {
  const rules = layers.flatMap((layer) => layer.permission)
  return new Set(rules.filter((rule) => rule.action === "allow").map((rule) => rule.permission))
}

const logLevel = (level: Config["logLevel"]): LogLevel => (level?.toLowerCase() as LogLevel | undefined) ?? "info"

/** Variables that hold keys of model providers: no child of ours needs them, but those that the config passes on. */
function* keyNames(catalog: Catalog, config: Config): Generator<string> {
  const passed = new Set(config.sandbox?.env)
  for (const id of catalog.providers()) yield* namesBut(passed, catalog.provider(id)?.env)
  for (const provider of Object.values(config.provider ?? {})) yield* namesBut(passed, provider.env)
}

const namesBut = (passed: ReadonlySet<string>, names: readonly string[] = []) =>
  names.filter((name) => !passed.has(name))

function promptOf(agents: Agents, name: string): string {
  const agent = agents.get(name)
  return agent.ok ? (agent.value.prompt ?? "") : ""
}
