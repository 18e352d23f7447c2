import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import type { Result } from "@cairn/kernel/result"
import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { MessageWithParts } from "@cairn/schema/message"
import { noTokens, type Tokens } from "@cairn/schema/model"
import type { Agent } from "../agent/define.ts"
import type { TurnOutcome } from "@cairn/schema/engine"
import type { ModelRequest } from "../model/call.ts"
import { tracedCall } from "../model/call-span.ts"
import type { Cooldowns } from "../model/cooldown.ts"
import type { ResolvedModel } from "../model/define.ts"
import type { Instructions } from "../instruction/instructions.ts"
import { usableTokens } from "../model/limits.ts"
import { costOf } from "../model/usage.ts"
import { editFormatOf } from "../model/edit-format.ts"
import { isSmall } from "../prompt/base.ts"
import type { Asks } from "../permission/asks.ts"
import type { Store } from "../store/store.ts"
import type { Tool, ToolOutput } from "../tool/define.ts"
import type { Output } from "../tool/output.ts"
import { type Seen, entriesFrom } from "../workspace/seen.ts"
import type { Admission } from "./admit.ts"
import { buildContext } from "./compaction.ts"
import { conversationOf } from "./conversation.ts"
import type { Begun } from "./coordinator.ts"
import { sessionsAbove } from "./inherited-rules.ts"
import { type LineUp, takes } from "./fallback.ts"
import { loadedIn } from "./loaded.ts"
import { allTokens } from "./budget.ts"
import { createPurses } from "./purse.ts"
import { withTotals } from "./sessions.ts"
import { openStructured } from "./structured.ts"
import { roomFor } from "./request-size.ts"
import { type SystemPrompts, factsOf } from "./system-prompts.ts"
import { askTitle } from "./title.ts"
import { createToolbox } from "./toolbox.ts"
import { runCompaction, runTurn } from "./turn.ts"
import { type CompactionSettings, type Footing, newTurn, type Turn, type TurnDeps } from "./turn-state.ts"

export interface Prepared {
  readonly agent: Agent
  readonly lineUp: LineUp
  /** What the user should know of it, though it can work. */
  readonly notes: readonly string[]
}

export interface TurnRunnerDeps {
  readonly store: Store
  readonly log: Log
  readonly asks: Asks
  readonly seen: Seen
  readonly output: Output
  readonly directory: string
  readonly worktree: string
  /** Every tool of the engine, in the order in which the model gets them. */
  readonly tools: readonly Tool[]
  readonly titleByModel: boolean
  readonly compaction: CompactionSettings
  readonly clock: Clock
  readonly budget: Config["budget"]
  readonly cooldowns: Cooldowns
  random(): number
  prepare(sessionID: string, admission: Pick<Admission, "agent" | "model">): Result<Prepared, SetupError>
  /** Blocks of the system prompt: the same bytes for the same session, agent and model while the process lives. */
  readonly system: SystemPrompts
  readonly instructions: Pick<Instructions, "restore">
  titlePrompt(): string
  call(model: ResolvedModel, request: ModelRequest, signal: AbortSignal): AsyncIterable<LanguageModelV4StreamPart>
}

/** Makes what a turn needs of a prompt that began a run, and runs it. */
export function createTurnRunner(deps: TurnRunnerDeps): (begun: Begun) => Promise<TurnOutcome> {
  const openPurse = createPurses(deps)
  return async (begun) => {
    const { run } = begun
    const prepared = deps.prepare(run.sessionID, begun.admission)
    if (!prepared.ok) return refuse(begun, prepared.error)
    const { agent, lineUp } = prepared.value
    const [model] = lineUp
    const usable = usableTokens(model.limits, deps.compaction.reserved)
    const history = conversationOf(deps.store.read, run.sessionID, roomFor(usable))
    deps.seen.restore(run.sessionID, seenIn(history))
    deps.instructions.restore(run.sessionID, loadedIn(history))
    const structured = await openStructured(begun.admission.format)
    if (!structured.ok) return refuse(begun, structured.error)
    using purse = openPurse(run.sessionID)
    const footing = (wanted: ResolvedModel) => footingOf(deps, begun, { agent, result: structured.value?.tool }, wanted)
    const first = await footing(model)
    const turn = newTurn({
      ...first,
      run,
      log: deps.log,
      span: begun.span,
      agent,
      lineUp,
      context: buildContext(first.target, history, usable),
      structured: structured.value,
      callIDs: new Set(callIDsOf(history)),
      purse,
      parentID: begun.messageID ?? lastUser(history),
    })
    const within = { ...turnDeps(deps, begun, turn), footing }
    if (begun.messageID === undefined) return await runCompaction(within, turn)
    if (begun.shell !== undefined) return await runCommand(deps, within, turn, begun.shell)
    if (deps.titleByModel && history.length === 1)
      nameSession(deps, begun, {
        model: plain(deps, begun, lineUp.find((each) => !deps.cooldowns.resting(each)) ?? model),
        purse,
      })
    return await runTurn(within, turn)
  }
}

/** A command that the user typed, by the same tool as the model's. */
async function runCommand(
  { tools }: TurnRunnerDeps,
  within: TurnDeps,
  turn: Turn,
  command: string,
): Promise<TurnOutcome> {
  const tool = tools.find(({ name }) => name === "bash")
  if (!tool) throw new Error("the engine has no shell")
  const { runShell } = await import("./shell-turn.ts")
  return await runShell(within, turn, { command, tool })
}

/** The model without the variant that the work is done with: a title needs no long thought. */
function plain(deps: TurnRunnerDeps, { run, admission }: Begun, model: ResolvedModel): ResolvedModel {
  const { variant, ...ref } = model.ref
  const prepared = variant === undefined ? undefined : deps.prepare(run.sessionID, { ...admission, model: ref })
  return prepared?.ok ? prepared.value.lineUp[0] : model
}

/** The agent as it works with a model: how it is told, what it may call, what it can see. */
async function footingOf(
  deps: TurnRunnerDeps,
  { run, admission, asks }: Begun,
  { agent, result }: { agent: Agent; result: Tool | undefined },
  model: ResolvedModel,
): Promise<Footing> {
  const toolbox = createToolbox(deps.tools, agent.rules, {
    result,
    format: editFormatOf(model.apiID),
    attending: asks === "wait",
    small: isSmall(factsOf(model)),
  })
  const accepts = (mime: string) => takes(model, mime)
  return {
    model,
    target: {
      ...{ providerID: model.ref.providerID, modelID: model.ref.modelID, accepts },
      ...(model.callIDs && { callIDs: model.callIDs }),
    },
    system: await deps.system(run.sessionID, agent, model, admission, run.signal),
    tools: toolbox.specs,
    find: toolbox.find,
    parse: toolbox.parse,
    accepts,
  }
}

function turnDeps(deps: TurnRunnerDeps, begun: Begun, turn: Turn): Omit<TurnDeps, "footing"> {
  const { run, asks: mode } = begun
  const { sessionID, signal } = run
  const parents = sessionsAbove(deps.store.read, sessionID)
  const ask: TurnDeps["ask"] = (call, what) =>
    deps.asks.ask(what, {
      sessionID,
      agent: turn.agent.name,
      parents,
      rules: turn.agent.rules,
      mode,
      worktree: deps.worktree,
      signal,
      tool: { messageID: call.messageID, callID: call.callID },
      span: call.span ?? turn.span,
      // The loop guard has an end of its own.
      onUnanswered: (request) => void (turn.denied += request.permission === "doom_loop" ? 0 : 1),
    })
  return {
    ...deps,
    ask,
    limit: (callID, output) => limit(deps, sessionID, callID, output),
  }
}

/** Tools that may be long bound themselves, and say so in their metadata; the rest is bounded here. */
async function limit(deps: TurnRunnerDeps, sessionID: string, callID: string, output: ToolOutput): Promise<ToolOutput> {
  if (output.metadata["truncated"] !== undefined) return output
  const fitted = await deps.output.fit(output.output, { sessionID, callID })
  return fitted.truncated
    ? { ...output, output: fitted.text, metadata: { ...output.metadata, truncated: true } }
    : output
}

/** Lets the model name a new session beside the first step; the turn does not wait for it. */
function nameSession(
  deps: TurnRunnerDeps,
  { run, admission, group, span }: Begun,
  { model, purse }: Pick<Turn, "model" | "purse">,
): void {
  const { sessionID } = run
  const { store } = deps
  const first = store.read.session(sessionID)
  const text = admission.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  const { providerID, modelID } = model.ref
  const counted = (tokens: Tokens) => {
    if (allTokens(tokens) === 0) return
    const now = run.clock.now()
    const cost = costOf(tokens, model.cost)
    const known = model.cost ? {} : { unpriced: true as const }
    const spent = { time: now, agent: "title", providerID, modelID, tokens, cost, ...known }
    purse.add(tokens, cost)
    store.derive(sessionID, () => [
      { type: "session.spent", properties: { sessionID, spent } },
      ...withTotals(store.read.session(sessionID), { now, tokens, cost }),
    ])
  }
  void group.run(async (signal) => {
    if (purse.stop(model.cost !== undefined) !== undefined) return
    using within = span.span("title", { "cairn.kind": "title" })
    const call = (request: ModelRequest, until: AbortSignal) =>
      tracedCall(within, { sessionID, clock: run.clock, model, request }, deps.call(model, request, until))
    const title = await askTitle(call, { system: deps.titlePrompt(), text, log: deps.log, counted }, signal)
    store.derive(sessionID, () => {
      const session = store.read.session(sessionID)
      // A person may have named it meanwhile.
      if (title === undefined || !session || session.title !== first?.title) return []
      return [{ type: "session.updated", properties: { sessionID, info: { ...session, title } } }]
    })
  })
}

/** The model or agent of a queued prompt is gone: the turn ends before it began, and says why. */
function refuse({ run }: Begun, problem: SetupError): TurnOutcome {
  const { sessionID, runID } = run
  const error = { name: "UnknownError" as const, data: { message: problem.message } }
  run.end({
    type: "session.turn.ended",
    properties: { sessionID, runID, time: run.clock.now(), reason: "error", error },
  })
  return { sessionID, reason: "error", text: "", tokens: noTokens(), cost: 0, error, denied: 0 }
}

const lastUser = (history: readonly MessageWithParts[]): string =>
  history.findLast(({ info }) => info.role === "user")?.info.id ?? ""

function* seenIn(history: readonly MessageWithParts[]) {
  for (const { parts } of history)
    for (const part of parts)
      if (part.type === "tool" && part.state.status === "completed") yield* entriesFrom(part.state.metadata)
}

function* callIDsOf(history: readonly MessageWithParts[]) {
  for (const { parts } of history) for (const part of parts) if (part.type === "tool") yield part.callID
}
