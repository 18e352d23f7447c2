import path from "node:path"
import type { AskMode } from "@cairn/schema/permission"
import type { Engine, PromptInput, TurnOutcome } from "@cairn/schema/engine"
import { StoreFailed } from "@cairn/core/store/trouble"
import { sleep } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"
import type { BusEvent } from "@cairn/schema/event"
import type { OutputFormat } from "@cairn/schema/message"
import { exitOf, type RunEnd } from "../exit-code.ts"
import { plural } from "../render/format.ts"
import { storeError } from "../report-error.ts"
import { errorText } from "../render/transcript.ts"
import type { Interruption, Io } from "../io.ts"
import { needCwd, openEngine } from "../open-engine.ts"
import type { Answers } from "./answers.ts"
import { jsonReporter } from "./json-reporter.ts"
import { chooseSession, type Chosen } from "./choose-session.ts"
import { checkDirectory, promptParts } from "./prompt-parts.ts"
import type { Reporter } from "./reporter.ts"
import { textReporter } from "./text-reporter.ts"

export interface RunOptions {
  readonly message: string
  readonly files: readonly string[]
  readonly format: "text" | "json"
  readonly deltas: boolean
  readonly interactive: boolean
  readonly auto: boolean
  readonly trust: boolean
  readonly continue: boolean
  readonly fork: boolean
  /** What this run may use: dollars, tokens, or both. */
  readonly budget?: { readonly money?: number; readonly tokens?: number }
  readonly model?: string
  readonly variant?: string
  readonly agent?: string
  readonly session?: string
  readonly title?: string
  /** File with the schema of the answer. */
  readonly schema?: string
  readonly dir?: string
}

/** What the parts of a run share. */
interface Run {
  readonly io: Io
  readonly options: RunOptions
  readonly reporter: Reporter
  readonly group: TaskGroup
  interruption: Interruption | undefined
  /** What the first interruption does: before the turn nothing has begun, so everything is dropped. */
  interrupt: () => void
  sessionID: string | undefined
  /** Said with an internal error. */
  log: string | undefined
  debug: boolean
}

interface Ended {
  readonly end: RunEnd
  readonly message?: string
}

/** One headless run, from its options to its exit code. Never throws; the reporter's `end` is always called. */
export async function runSession(io: Io, options: RunOptions): Promise<number> {
  const reporter = options.format === "json" ? jsonReporter(io, options) : textReporter(io)
  await using group = new TaskGroup()
  const run: Run = {
    io,
    options,
    reporter,
    group,
    interruption: undefined,
    interrupt: () => group.cancel(new Interrupted()),
    sessionID: undefined,
    log: undefined,
    debug: false,
  }
  const unlisten = io.interruptions((interruption) => {
    // The user asked twice: no farewell. A reader that goes away is no user.
    if (run.interruption !== undefined && interruption !== "SIGPIPE") {
      return io.exitNow(exitOf({ kind: "interrupted", interruption }).code)
    }
    run.interruption ??= interruption
    run.interrupt()
  })
  const { end, message } = await execute(run).catch((error: unknown) => failed(run, error))
  unlisten()
  group.cancel()
  const exit = exitOf(end)
  const outcome = end.kind === "turn" ? end.outcome : undefined
  const denied = end.kind === "turn" ? end.outcome.denied + (end.unanswered ?? 0) : 0
  reporter.end({
    exit,
    denied,
    ...(run.sessionID === undefined ? {} : { sessionID: run.sessionID }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(message === undefined ? {} : { message }),
  })
  return exit.code
}

function failed(run: Run, error: unknown): Ended {
  if (run.interruption !== undefined && error instanceof Interrupted) return interrupted(run.interruption)
  if (error instanceof StoreFailed) return setup(storeError(error))
  const text = error instanceof Error ? error.message : String(error)
  const where = run.log === undefined ? "" : `; the log is ${run.log}`
  const stack = run.debug && error instanceof Error ? `\n${error.stack}` : ""
  return { end: { kind: "defect" }, message: `internal error: ${text}${where}${stack}` }
}

const interrupted = (interruption: Interruption): Ended => ({ end: { kind: "interrupted", interruption } })
const setup = (error: SetupError): Ended => ({ end: { kind: "setup", error }, message: error.message })

async function execute(run: Run): Promise<Ended> {
  const { io, options } = run
  const cwd = needCwd(io)
  if (!cwd.ok) return setup(cwd.error)
  const directory = await checkDirectory(path.resolve(cwd.value, options.dir ?? "."))
  if (!directory.ok) return setup(directory.error)
  const parts = await promptParts({ ...io, cwd: cwd.value }, options, {
    signal: run.group.signal,
    note: run.reporter.note,
  })
  if (!parts.ok) return setup(parts.error)
  const format = options.schema === undefined ? undefined : await formatOf(options.schema, cwd.value)
  if (format && !format.ok) return setup(format.error)
  let opened = await openNoted(run, directory.value)
  if (!opened.ok) return setup(opened.error)
  const home = options.dir === undefined ? await sessionHome(opened.value, options.session) : undefined
  if (home !== undefined) {
    await opened.value[Symbol.asyncDispose]()
    opened = await openNoted(run, home)
    if (!opened.ok) return setup(opened.error)
  }
  await using engine = opened.value
  for (const warning of engine.warnings) run.reporter.note(warning)
  if (run.interruption !== undefined) return interrupted(run.interruption)
  return await converse(run, engine, { parts: parts.value, ...(format && { format: format.value }) })
}

/** What the user says, and the form of the answer. */
type Prompt = Pick<PromptInput, "parts" | "format">

async function formatOf(file: string, cwd: string): Promise<Result<OutputFormat, SetupError>> {
  const { answerFormat } = await import("./answer-format.ts")
  return answerFormat(file, cwd)
}

async function openNoted(run: Run, directory: string): Promise<Result<Engine, SetupError>> {
  const opened = await openEngine(run.io, directory, {
    ...(run.options.trust && { trust: true }),
    ...(run.options.budget && { flags: { budget: { run: run.options.budget } } }),
  })
  if (opened.ok) {
    run.log = opened.value.paths.log
    run.debug = logLevel(opened.value) === "DEBUG"
  }
  return opened
}

const logLevel = (engine: Engine): unknown => engine.configView().config.logLevel

/** Where a named session works, when that is another directory than the engine's and still exists. */
async function sessionHome(engine: Engine, sessionID: string | undefined): Promise<string | undefined> {
  const session = sessionID === undefined ? undefined : engine.session(sessionID)
  if (!session || session.directory === engine.directory) return undefined
  return (await checkDirectory(session.directory)).ok ? session.directory : undefined
}

async function converse(run: Run, engine: Engine, prompt: Prompt): Promise<Ended> {
  const { reporter, options } = run
  const early: BusEvent[] = []
  let listener = (event: BusEvent): void => void early.push(event)
  const unsubscribe = engine.subscribe((event) => listener(event))
  try {
    const chosen = await chooseSession(engine, options)
    if (!chosen.ok) return setup(chosen.error)
    const { session, model, agent, resumed, notes } = chosen.value
    run.sessionID = session.id
    for (const note of notes) reporter.note(note)
    const { directory } = engine
    const structured = prompt.format !== undefined
    reporter.start({ sessionID: session.id, title: session.title, directory, model, agent, resumed, structured })
    for (const note of engine.leftOut(model, prompt.parts)) reporter.note(note)
    const answers = options.interactive ? await prepareAnswers(run, engine) : undefined
    listener = (event) => {
      reporter.event(event)
      answers?.onEvent(event)
    }
    for (const event of early) listener(event)
    return await turn(run, engine, chosen.value, prompt, answers)
  } finally {
    unsubscribe()
  }
}

async function prepareAnswers({ reporter, group }: Run, engine: Engine): Promise<Answers> {
  const { createAnswers } = await import("./answers.ts")
  return createAnswers(engine, reporter, (work) => void group.run(async () => work()))
}

async function turn(
  run: Run,
  engine: Engine,
  { session, model, agent, resumed }: Chosen,
  prompt: Prompt,
  answers: Answers | undefined,
): Promise<Ended> {
  const { group, options, io } = run
  let settled = false
  // The signal may come before the run has begun: then there is nothing to abort yet.
  run.interrupt = () =>
    void group.run(async (signal) => {
      while (!settled && !(await engine.abort(session.id))) await sleep(io.clock, 20, signal)
    })
  if (run.interruption !== undefined) return interrupted(run.interruption)
  if (answers)
    void group.run(async (signal) => {
      try {
        await answers.read(io.stdin, signal)
      } catch (error) {
        // Nobody answers any more: the turn must not wait for it.
        if (!signal.aborted) await engine.abort(session.id)
        throw error
      }
    })
  const asks: AskMode = options.interactive ? "wait" : options.auto ? "auto" : "deny"
  const result = await engine.prompt({ sessionID: session.id, ...prompt, model, agent, asks })
  settled = true
  if (!result.ok) {
    if (!resumed) await engine.deleteSession(session.id)
    return setup(result.error)
  }
  const waiting = engine.inbox(session.id).length
  if (waiting > 0)
    run.reporter.note(`${plural(waiting, "prompt")} of this session still waiting: cairn session inbox ${session.id}`)
  return finished(run, result.value, answers?.unanswered ?? 0)
}

function finished(run: Run, outcome: TurnOutcome, unanswered: number): Ended {
  const message = outcomeMessage(run, outcome)
  return {
    end: {
      kind: "turn",
      outcome,
      unanswered,
      ...(run.interruption === undefined ? {} : { interruption: run.interruption }),
    },
    ...(message === undefined ? {} : { message }),
  }
}

/** What went wrong in a turn. An interruption is nothing that went wrong. */
function outcomeMessage(run: Run, { reason, error, errorClass }: TurnOutcome): string | undefined {
  if (reason === "aborted") return undefined
  const text = error && errorText(error)
  return reason === "error" && errorClass === undefined ? `${text ?? "internal error"}; the log is ${run.log}` : text
}
