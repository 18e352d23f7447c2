import { resolve } from "node:path"
import { Deadline } from "@cairn/kernel/deadline"
import type { Log } from "@cairn/kernel/log"
import type { Result } from "@cairn/kernel/result"
import type { Span } from "@cairn/kernel/span"
import { abortable, onAbort } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { ToolPart } from "@cairn/schema/part"
import type { Approval, Ask, Tool, ToolOutput } from "../tool/define.ts"
import type { Run } from "./run.ts"

/** How long a tool may take to stop after an interruption before it is given up, ms. */
const grace = 10_000
/** At most ten progress events a second for each call. */
const progressEvery = 100

export interface CallDeps {
  readonly run: Run
  readonly log: Log
  /** Of the step. */
  readonly span: Span
  readonly agent: string
  readonly directory: string
  readonly worktree: string
  /** The tool that a name means, and what the model is told when there is none. */
  find(name: string): { tool: Tool } | { unknown: string }
  /** Media that the model takes. */
  accepts(mime: string): boolean
  parse(tool: Tool, raw: string): Result<Record<string, unknown>, ToolFailure>
  ask(call: AskingCall, ask: Ask): Promise<Result<Approval, ToolFailure>>
  /** Bounds what the model gets; the whole text goes to a file that it is told of. */
  limit(callID: string, output: ToolOutput): Promise<ToolOutput>
}

/** Whose ask it is. */
export interface AskingCall {
  readonly messageID: string
  readonly callID: string
  readonly tool: string
  /** Of the call; the turn's when it is over. */
  readonly span?: Span
}

export interface SettledCall {
  readonly part: ToolPart
  readonly changedFile: boolean
  /** The user rejected it without a word: the turn ends. */
  readonly rejected: boolean
}

/**
 * Runs the calls of one step side by side. A call begins as soon as it is given, but waits for an earlier one that
 * writes the same path, or that is exclusive. `start` resolves when the call has settled, and it settles exactly
 * once: with the tool's result, its failure, or as interrupted; it never rejects except when the log cannot be written.
 */
export interface CallRunner {
  start(part: ToolPart, raw: string): Promise<SettledCall>
}

interface Started {
  readonly done: Promise<unknown>
  readonly exclusive: boolean
  readonly writes: ReadonlySet<string>
}

export function createCallRunner(deps: CallDeps): CallRunner {
  const earlier: Started[] = []
  return {
    start(part, raw) {
      const now = deps.run.clock.now()
      const found = deps.find(part.tool)
      if ("unknown" in found) return settleNow(deps, part, {}, { kind: "unknown_tool", message: found.unknown }, now)
      const parsed = deps.parse(found.tool, raw)
      if (!parsed.ok) return settleNow(deps, part, looseObject(raw), parsed.error, now)
      const tool = found.tool
      const call: Started = {
        done: Promise.resolve(),
        exclusive: tool.exclusive === true,
        writes: new Set(tool.writes?.(parsed.value).map((path) => resolve(deps.directory, path))),
      }
      const before = earlier.filter((other) => mustWait(call, other)).map((other) => other.done)
      put(deps, { ...part, state: { status: "running", input: parsed.value, time: { start: now } } })
      const settled = runCall(deps, part, tool, parsed.value, before, now)
      earlier.push({ ...call, done: settled.catch(() => undefined) })
      return settled
    },
  }
}

function mustWait(call: Started, other: Started): boolean {
  if (call.exclusive || other.exclusive) return true
  return [...call.writes].some((path) => other.writes.has(path))
}

async function runCall(
  deps: CallDeps,
  part: ToolPart,
  tool: Tool,
  input: Record<string, unknown>,
  before: readonly Promise<unknown>[],
  start: number,
): Promise<SettledCall> {
  using span = callSpan(deps, part, tool)
  const progress = createProgress(deps, part, input, start)
  const result = await outcomeOf({ ...deps, span }, part, tool, input, before, progress.update)
  progress.stop()
  if (!result.ok) span.fail(result.error.kind)
  const end = deps.run.clock.now()
  const state: ToolPart["state"] = result.ok
    ? {
        status: "completed",
        input,
        output: result.value.output,
        title: result.value.title,
        metadata: result.value.metadata,
        time: { start, end },
        ...(result.value.attachments && { attachments: withIDs(deps.run, part, result.value.attachments) }),
      }
    : {
        status: "error",
        input,
        error: withOutput(result.error, progress.metadata()),
        kind: result.error.kind,
        ...(progress.metadata() && { metadata: progress.metadata() }),
        time: { start, end },
      }
  const settled = { ...part, state }
  put(deps, settled)
  const changedFile = result.ok && (tool.writes?.(input).length ?? 0) > 0
  return { part: settled, changedFile, rejected: !result.ok && result.error.kind === "rejected" }
}

/** By OpenTelemetry's conventions, without what the call was given and gave. */
function callSpan({ span, run }: CallDeps, { callID }: ToolPart, { name }: Tool): Span {
  return span.span(`execute_tool ${name}`, {
    "cairn.kind": "tool",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": callID,
    "gen_ai.conversation.id": run.sessionID,
  })
}

async function outcomeOf(
  deps: CallDeps,
  part: ToolPart,
  tool: Tool,
  input: Record<string, unknown>,
  before: readonly Promise<unknown>[],
  progress: (update: ProgressUpdate) => void,
): Promise<Result<ToolOutput, ToolFailure>> {
  const { run, span } = deps
  const context = {
    sessionID: run.sessionID,
    messageID: part.messageID,
    callID: part.callID,
    agent: deps.agent,
    signal: run.signal,
    directory: deps.directory,
    worktree: deps.worktree,
    span,
    ask: (ask: Ask) => deps.ask({ messageID: part.messageID, callID: part.callID, tool: tool.name, span }, ask),
    accepts: (mime: string) => deps.accepts(mime),
    progress,
  }
  using late = new Deadline(run.clock, `stopping ${tool.name}`, Number.POSITIVE_INFINITY)
  const unlink = onAbort(run.signal, () => late.extend(grace))
  try {
    await abortable(Promise.all(before), run.signal)
    const result = await abortable(tool.execute(input, context), late.signal)
    return result.ok ? { ok: true, value: await deps.limit(part.callID, result.value) } : result
  } catch (error) {
    if (run.signal.aborted) return { ok: false, error: { kind: "interrupted", message: interruptedText } }
    deps.log.error("a tool threw", { tool: tool.name, callID: part.callID, error })
    const message = `The ${tool.name} tool failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`
    return { ok: false, error: { kind: "defect", message } }
  } finally {
    unlink()
  }
}

/** Characters of output that an interrupted call still tells the model. */
const lastWords = 4_000

/** An interrupted command has often said what matters already. */
function withOutput({ kind, message }: ToolFailure, metadata: Record<string, unknown> | undefined): string {
  const output = metadata?.["output"]
  if (kind !== "interrupted" || typeof output !== "string" || output.trim() === "") return message
  return `${message}\nIts output until then:\n${output.slice(-lastWords)}`
}

export const interruptedText = "[Tool execution was interrupted]"

interface ProgressUpdate {
  title?: string
  metadata?: Record<string, unknown>
}

/** Passes progress on to clients, the newest state at most every 100 ms. */
function createProgress(deps: CallDeps, part: ToolPart, input: Record<string, unknown>, start: number) {
  let state: ProgressUpdate = {}
  let timer: (() => void) | undefined
  let stopped = false
  let last = Number.NEGATIVE_INFINITY
  const send = () => {
    timer = undefined
    last = deps.run.clock.monotonic()
    const running = { ...part, state: { status: "running" as const, input, ...state, time: { start } } }
    const properties = { sessionID: deps.run.sessionID, part: running, time: deps.run.clock.now() }
    deps.run.publish({ type: "message.part.updated", properties })
  }
  return {
    update(update: ProgressUpdate) {
      // A tool that was given up may go on for a while: its call has settled.
      if (stopped) return
      state = { title: update.title ?? state.title, metadata: { ...state.metadata, ...update.metadata } }
      timer ??= deps.run.clock.timer(Math.max(0, last + progressEvery - deps.run.clock.monotonic()), send)
    },
    metadata: () => state.metadata,
    stop() {
      stopped = true
      timer?.()
    },
  }
}

function settleNow(
  deps: CallDeps,
  part: ToolPart,
  input: Record<string, unknown>,
  failure: ToolFailure,
  now: number,
): Promise<SettledCall> {
  const settled: ToolPart = {
    ...part,
    state: { status: "error", input, error: failure.message, kind: failure.kind, time: { start: now, end: now } },
  }
  put(deps, settled)
  return Promise.resolve({ part: settled, changedFile: false, rejected: false })
}

function put({ run }: CallDeps, part: ToolPart): void {
  run.write({ type: "message.part.updated", properties: { sessionID: run.sessionID, part, time: run.clock.now() } })
}

function withIDs(run: Run, part: ToolPart, files: NonNullable<ToolOutput["attachments"]>) {
  return files.map((file) => ({ ...file, id: run.partID(), sessionID: run.sessionID, messageID: part.messageID }))
}

/** What can be kept of arguments that did not fit: an object if it is one. */
function looseObject(raw: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {} // not JSON: the refusal quotes it
  }
}
