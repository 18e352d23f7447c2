import type { Clock } from "@cairn/kernel/clock"
import type { LogEntry } from "@cairn/schema/event"
import type { PromptPart } from "@cairn/schema/prompt"
import { TestClock } from "@cairn/testkit/clock"
import { checkLog } from "@cairn/testkit/log-checker"
import type { WireProtocol } from "@cairn/testkit/request"
import type { Scenario } from "@cairn/testkit/scenario"
import { type ModelServer, startModelServer } from "@cairn/testkit/server"
import { type TempWorkspace, tempWorkspace } from "@cairn/testkit/workspace"
import { createEngine } from "../../src/app.ts"
import type { AskMode } from "@cairn/schema/permission"
import type { Engine, TurnOutcome } from "@cairn/schema/engine"
import type { EngineOptions } from "../../src/engine-options.ts"
import { openDatabase } from "../../src/store/database.ts"
import { verify } from "../../src/store/verify.ts"

export interface Bench extends AsyncDisposable {
  readonly server: ModelServer
  readonly workspace: TempWorkspace
  /** What an engine of this workspace is made with. */
  readonly options: EngineOptions
  readonly model: string
  /** The engine that is open now. */
  engine: Engine
  /** Closes the engine and opens another one on the same data, as a restart does. */
  restart(): Promise<Engine>
  /** Sends a prompt to the end of its turn. `provider`: `test`, or chat, claude, gpt, gemini for one of the protocols. */
  prompt(text: string, options?: PromptOptions): Promise<TurnOutcome>
  /** The durable log of a session, read by a connection of its own. */
  log(sessionID: string): LogEntry[]
}

interface PromptOptions {
  readonly sessionID?: string
  readonly asks?: AskMode
  readonly agent?: string
  readonly provider?: string
  /** `blind` is the same model, but takes text alone. */
  readonly model?: "scripted" | "blind"
  readonly files?: readonly PromptPart[]
}

export interface BenchOptions {
  readonly protocol?: WireProtocol
  readonly files?: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, unknown>>
  /** Merged into the test provider's options. */
  readonly provider?: Readonly<Record<string, unknown>>
  /** Merged into the test model's definition. */
  readonly model?: Readonly<Record<string, unknown>>
  /** More models of every provider, by id; each is the test model but for what is said here. */
  readonly models?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly clock?: Clock
  /** More variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
}

const packages: Record<WireProtocol, string> = {
  chat: "@ai-sdk/openai-compatible",
  anthropic: "@ai-sdk/anthropic",
  responses: "@ai-sdk/openai",
  google: "@ai-sdk/google",
}

/** An engine on a temporary workspace, with a scripted model behind real HTTP. */
export async function bench(scenario: Scenario, options: BenchOptions = {}): Promise<Bench> {
  const protocol = options.protocol ?? "chat"
  const server = await startModelServer(scenario)
  const workspace = await tempWorkspace({ files: options.files ?? {}, git: true })
  const limit = { context: 200_000, output: 8_000 }
  const cost = { input: 1, output: 2, cache_read: 0.1, cache_write: 1.25 }
  const definition = { name: "Scripted", tool_call: true, limit, cost, ...options.model }
  const more = Object.fromEntries(
    Object.entries(options.models ?? {}).map(([id, own]) => [id, { ...definition, ...own }]),
  )
  const provider = (spoken: WireProtocol) => ({
    npm: packages[spoken],
    options: { baseURL: server.baseURL(spoken), apiKey: "test-key", ...options.provider },
    models: {
      scripted: definition,
      blind: { ...definition, attachment: false, modalities: { input: ["text"] } },
      ...more,
    },
  })
  const { chat, anthropic, responses, google } = {
    chat: provider("chat"),
    anthropic: provider("anthropic"),
    responses: provider("responses"),
    google: provider("google"),
  }
  const config = {
    model: "test/scripted",
    provider: { test: provider(protocol), chat, claude: anthropic, gpt: responses, gemini: google },
    ...options.config,
  }
  const engineOptions: EngineOptions = {
    directory: workspace.dir,
    env: { ...workspace.env, CAIRN_CONFIG_CONTENT: JSON.stringify(config), ...options.env },
    home: workspace.home,
    version: "test",
    ...(options.clock && { clock: options.clock }),
  }
  const open = async (): Promise<Engine> => {
    const engine = await createEngine(engineOptions)
    if (!engine.ok) throw new Error(engine.error.message)
    return engine.value
  }
  const made: Bench = {
    server,
    workspace,
    options: engineOptions,
    model: "test/scripted",
    engine: await open(),
    async restart() {
      await made.engine[Symbol.asyncDispose]()
      made.engine = await open()
      return made.engine
    },
    async prompt(
      text,
      { sessionID, asks = "deny", agent, provider: providerID = "test", model: modelID = "scripted", files = [] } = {},
    ) {
      const session = sessionID ?? (await made.engine.createSession({})).id
      const parts: PromptPart[] = [{ type: "text", text }, ...files]
      const model = { providerID, modelID }
      const outcome = await made.engine.prompt({
        sessionID: session,
        parts,
        model,
        asks,
        ...(agent !== undefined && { agent }),
      })
      if (!outcome.ok) throw new Error(`${outcome.error.kind}: ${outcome.error.message}`)
      return outcome.value
    },
    log: (sessionID) => readLog(made.engine.paths.database, sessionID),
    async [Symbol.asyncDispose]() {
      await closing(made.engine, options.clock)
      await server[Symbol.asyncDispose]()
      await workspace[Symbol.asyncDispose]()
    },
  }
  return made
}

/** A clock that stands still would not let stopped processes be waited for. */
async function closing(engine: Engine, clock: Clock | undefined): Promise<void> {
  let over = false
  const close = async () => {
    try {
      await engine[Symbol.asyncDispose]()
    } finally {
      over = true
    }
  }
  const closed = close()
  while (clock instanceof TestClock && !over) {
    await clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
}

/** Every entry of a session's log, straight from the file. */
export function readLog(file: string, sessionID: string): LogEntry[] {
  const opened = openDatabase({ file, now: () => 0 })
  if (!opened.ok) throw new Error(opened.error.message)
  using database = opened.value.database
  const rows = database
    .query<{ seq: number; id: string; session_id: string; time: number; type: string; properties: string }, [string]>(
      "SELECT * FROM event WHERE session_id = ? ORDER BY seq",
    )
    .all(sessionID)
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    sessionID: row.session_id,
    time: row.time,
    event: { type: row.type, properties: JSON.parse(row.properties) } as LogEntry["event"],
  }))
}

/** Every violation in the session's log, and every row that a replay does not give. Empty is good. */
export function problemsOf(made: Bench, sessionID: string): string[] {
  return [
    ...checkLog(made.log(sessionID)),
    ...verifyFile(made.engine.paths.database),
    ...made.server.unexpected.map((each) => each.reason),
  ]
}

function verifyFile(file: string): readonly string[] {
  const opened = openDatabase({ file, now: () => 0 })
  if (!opened.ok) throw new Error(opened.error.message)
  using database = opened.value.database
  return verify(database).problems
}
