import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { sleep } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Span } from "@cairn/kernel/span"
import type { ErrorClass, MessageError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { AssistantMessage, MessageWithParts } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import { tracedCall } from "../model/call-span.ts"
import { type Classified, classify, toMessageError } from "../model/errors.ts"
import { retryDelay } from "../model/retry.ts"
import { finishOf } from "../model/usage.ts"
import { closeParts } from "./closing.ts"
import { toolTokens } from "./estimate.ts"
import { mostAnswer, requestTokens } from "./request-size.ts"
import type { Run } from "./run.ts"
import { withTotals } from "./sessions.ts"
import { type StepResult, takeStep } from "./step.ts"
import { type StepCost, stepCost } from "./step-cost.ts"
import { currentSnapshot, stepFiles } from "./step-files.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"
import { type SettledCall, createCallRunner, interruptedText } from "./tool-run.ts"

export interface Failure {
  readonly error: MessageError
  /** Absent: our own fault. */
  readonly class?: ErrorClass
  /** How it ends the turn, if not as an error. */
  readonly end?: "budget"
  /** The model's failure, where that is what it is. */
  readonly cause?: Classified
}

export type Attempted =
  | {
      readonly ok: true
      readonly messageID: string
      readonly calls: readonly SettledCall[]
      /** The provider's word for a call that the model wrote and it could not read. */
      readonly malformed?: string
    }
  | { readonly ok: false; readonly failure: Failure }

/** A wait that is longer is not worth it where another model can go on. Ms. */
const longestWait = 60_000

/** What a step is for. */
export interface StepPlan {
  /** May the model call tools, or only give its result? They are sent in any case, since they begin the prompt. */
  readonly tools: boolean | "result"
  /** The caller deals with this failure: it ends the message, but is not yet an error of the turn. */
  ahead?(failure: Classified): boolean
  /** The answer sums up: it is recorded as a summary that answers `parentID`, and is no part of the conversation. */
  readonly summary?: SummaryPlan
}

interface SummaryPlan {
  readonly parentID: string
  readonly messages: readonly LanguageModelV4Message[]
  /** Of the compaction. */
  readonly span: Span
}

/**
 * One step, tried again as its errors allow. What a broken stream had finished stays in the history, its calls count
 * as made, and the next try goes on from there. Returns early when interrupted: the caller looks at the signal.
 */
export async function attemptStep(deps: TurnDeps, turn: Turn, plan: StepPlan): Promise<Attempted> {
  const spent = overspent(turn)
  if (spent) return { ok: false, failure: spent }
  using span = stepSpan(turn, plan)
  const attempted = await attempts(deps, turn, plan, span).catch((error: unknown) => {
    span.fail(turn.run.signal.aborted ? "interrupted" : "defect")
    throw error
  })
  if (!attempted.ok) span.fail(attempted.failure.class ?? attempted.failure.error.name)
  return attempted
}

const stepSpan = (turn: Turn, { summary }: StepPlan): Span =>
  (summary?.span ?? turn.span).span("step", {
    "cairn.kind": "step",
    "cairn.step": summary ? undefined : turn.steps + 1,
    "gen_ai.conversation.id": turn.run.sessionID,
  })

async function attempts(deps: TurnDeps, turn: Turn, plan: StepPlan, span: Span): Promise<Attempted> {
  let message = beginMessage(deps, turn, plan)
  for (let attempt = 1; ; attempt++) {
    const step = await callOnce(deps, turn, message, plan, span)
    if (turn.run.signal.aborted) {
      if (!step.failure) countInterrupted(deps, turn, message, step, plan)
      throw new Interrupted()
    }
    if (!step.failure) return settleStep(deps, turn, message, step, plan)
    const { ref, providerName, keySource, baseURL } = turn.model
    const classified = classify(step.failure.error, {
      providerID: ref.providerID,
      ...{ providerName, keySource },
      ...(baseURL !== undefined && { baseURL }),
      now: turn.run.clock.now(),
    })
    const delay = retryDelay(attempt, classified, deps.random())
    if (delay === undefined || delay > longestWait) {
      const ahead = plan.ahead?.(classified) === true
      if (delay === undefined || ahead) return giveUp(deps, turn, message, step, { attempt, classified, ahead })
    }
    noteRetry(deps, turn, message, step, { attempt, classified, delay })
    if (step.calls.some((call) => call.rejected)) return { ok: true, messageID: message.id, calls: step.calls }
    await pause(turn, delay, span.span("retry", { "cairn.kind": "retry", "cairn.retry.attempt": attempt }))
    turn.run.publish({
      type: "session.status",
      properties: { sessionID: turn.run.sessionID, status: { type: "busy" } },
    })
    const overrun = overspent(turn)
    if (overrun) return { ok: false, failure: overrun }
    if (step.answered) message = beginMessage(deps, turn, plan)
  }
}

async function pause({ run }: Turn, ms: number, span: Span): Promise<void> {
  using _ = span
  await sleep(run.clock, ms, run.signal)
}

/** Why the budget allows no further call; undefined while it does. */
export function overspent({ purse, model }: Turn): Failure | undefined {
  const message = purse.stop(model.cost !== undefined)
  return message === undefined ? undefined : { error: { name: "UnknownError", data: { message } }, end: "budget" }
}

/** A new assistant message of the turn, stored. */
export function beginMessage(deps: TurnDeps, turn: Turn, { summary }: StepPlan): AssistantMessage {
  const { run, agent, model } = turn
  const { sessionID } = run
  const now = run.clock.now()
  const info: AssistantMessage = {
    id: run.messageID(),
    sessionID,
    role: "assistant",
    time: { created: now },
    parentID: summary?.parentID ?? turn.parentID,
    modelID: model.ref.modelID,
    providerID: model.ref.providerID,
    ...(model.ref.variant !== undefined && { variant: model.ref.variant }),
    mode: summary ? "compaction" : agent.name,
    agent: summary ? "compaction" : agent.name,
    ...(summary && { summary: true }),
    ...(turn.standsInFor && { fallback: turn.standsInFor }),
    path: { cwd: deps.directory, root: deps.worktree },
    cost: 0,
    tokens: noTokens(),
  }
  turn.messageID = info.id
  const snapshot = currentSnapshot(deps.store, sessionID)
  const part = { id: run.partID(), sessionID, messageID: info.id, type: "step-start" as const, snapshot }
  run.write(
    { type: "message.updated", properties: { sessionID, info } },
    { type: "message.part.updated", properties: { sessionID, part, time: now } },
  )
  return info
}

function callOnce(
  deps: TurnDeps,
  turn: Turn,
  message: AssistantMessage,
  plan: StepPlan,
  span: Span,
): Promise<StepResult> {
  const { run, model, agent, log, parse, accepts } = turn
  const request = {
    system: turn.system,
    cacheKey: run.sessionID,
    messages: plan.summary?.messages ?? turn.context.messages(),
    tools: turn.tools,
    toolChoice: { type: plan.tools ? ("auto" as const) : ("none" as const) },
    maxOutputTokens: mostAnswer(turn, plan.summary?.messages),
    ...(agent.temperature !== undefined && { temperature: agent.temperature }),
    ...(agent.topP !== undefined && { topP: agent.topP }),
  }
  // Some models call tools although they are told not to, and some providers let them.
  const find = findFor(turn, plan)
  const runner = createCallRunner({ ...deps, find, parse, accepts, run, span, agent: agent.name })
  const nameOf = (name: string): string => {
    const found = turn.find(name)
    return "tool" in found ? found.tool.name : name
  }
  return takeStep(
    { run, log, messageID: message.id, runner, callIDs: turn.callIDs, nameOf },
    tracedCall(
      span,
      { sessionID: run.sessionID, clock: run.clock, model, request },
      deps.call(model, request, run.signal),
    ),
  )
}

function findFor({ structured, find }: Turn, { tools }: StepPlan): Turn["find"] {
  if (tools === true) return find
  if (tools === false || !structured) return () => ({ unknown: "No tools can be called now. Answer in words." })
  const { tool } = structured
  return (name) => (name === tool.name ? { tool } : { unknown: `Only ${tool.name} can be called now.` })
}

type Finished = Exclude<StepResult, { failure: { error: unknown } }>

/** Closes a step that ended well, with what it cost. */
function settleStep(deps: TurnDeps, turn: Turn, message: AssistantMessage, step: Finished, plan: StepPlan): Attempted {
  const { run } = turn
  const { sessionID } = run
  const now = run.clock.now()
  const finish = finishOf(step.finish.finishReason)
  const paid = costOfStep(deps, turn, message, step, plan)
  const { tokens, cost } = paid
  const cutOff =
    "The call was cut off before its arguments were complete. Send it again, in smaller pieces if it is long."
  const open = closeParts({ info: message, parts: deps.store.read.parts(message.id) }, { toolError: cutOff, now })
  const cut = cutCalls(open)
  const malformed = plan.summary || cut.length > 0 ? undefined : malformedCall(step)
  const failure = malformed === undefined ? failureOf(finish, step, cut) : undefined
  if (!plan.summary && step.calls.length === 0) turn.structured?.read(deps.store.read.parts(message.id))
  const result = plan.summary ? undefined : turn.structured?.answer()
  const info: AssistantMessage = {
    ...message,
    time: { ...message.time, completed: now },
    finish,
    ...paid,
    ...measured(turn, plan),
    ...(result && { structured: result.value }),
    ...(failure && { error: failure.error }),
  }
  const part = {
    id: run.partID(),
    sessionID,
    messageID: message.id,
    type: "step-finish" as const,
    reason: finish,
    snapshot: currentSnapshot(deps.store, sessionID),
    cost,
    tokens,
  }
  turn.purse.add(tokens, cost)
  run.derive(() => [
    ...open,
    { type: "message.part.updated", properties: { sessionID, part, time: now } },
    { type: "message.updated", properties: { sessionID, info } },
    ...withTotals(deps.store.read.session(sessionID), { now, tokens, cost }),
    ...stepFiles(deps.store, info, run.partID),
  ])
  if (!plan.summary) turn.context.push({ info, parts: deps.store.read.parts(message.id) })
  if (failure) return { ok: false, failure }
  return {
    ok: true,
    messageID: message.id,
    calls: [...step.calls, ...cut],
    ...(malformed !== undefined && { malformed }),
  }
}

const costOfStep = (
  { store }: TurnDeps,
  turn: Turn,
  { id }: AssistantMessage,
  { finish }: Finished,
  { summary }: StepPlan,
): StepCost =>
  stepCost(
    turn,
    finish.usage,
    () => requestTokens(turn, summary?.messages),
    () => store.read.parts(id),
  )

/** An answer whose tools were interrupted has been paid for. Its message is still open: whoever ends the turn closes it. */
function countInterrupted(deps: TurnDeps, turn: Turn, message: AssistantMessage, step: Finished, plan: StepPlan): void {
  const { run, purse } = turn
  const { sessionID } = run
  const paid = costOfStep(deps, turn, message, step, plan)
  const { tokens, cost } = paid
  const info = { ...message, ...paid }
  purse.add(tokens, cost)
  run.derive(() => [
    { type: "message.updated", properties: { sessionID, info } },
    ...withTotals(deps.store.read.session(sessionID), { now: run.clock.now(), tokens, cost }),
  ])
}

/** Calls that the stream began and did not finish: settled as errors, and the model may answer to that. */
function cutCalls(closed: readonly DurableEvent[]): SettledCall[] {
  return closed.flatMap((event) =>
    event.type === "message.part.updated" && event.properties.part.type === "tool"
      ? [{ part: event.properties.part, changedFile: false, rejected: false }]
      : [],
  )
}

/** Packages map such ends to `error` or to `other`; with calls that were read, the model learns from their results. */
function malformedCall({ calls, finish }: Finished): string | undefined {
  const raw = finish.finishReason.raw ?? ""
  return calls.length === 0 && /malformed|unexpected_tool/i.test(raw) ? raw.slice(0, 100) : undefined
}

/** Ends that are failures although the stream was whole. With calls the model goes on, and reads which of them were cut. */
function failureOf(
  finish: string,
  step: Finished,
  cut: readonly SettledCall[],
): { error: MessageError; class: ErrorClass } | undefined {
  if (finish === "content-filter") {
    const message = "The provider's content filter stopped the answer. Rephrase the request, or use another model."
    return { error: { name: "ContentFilterError", data: { message } }, class: "content_filter" }
  }
  if (step.calls.length > 0) return undefined
  if (finish === "length" && cut.length === 0)
    return { error: { name: "MessageOutputLengthError", data: {} }, class: "fatal" }
  const { raw } = step.finish.finishReason
  if (finish === "error") {
    const named =
      raw === undefined || /^(error|other|unknown)$/i.test(raw)
        ? "an error and did not say which"
        : `the error ${raw.slice(0, 100)}`
    const message = `The provider ended the answer with ${named}. Try again, or use another model.`
    return { error: { name: "APIError", data: { message, isRetryable: false } }, class: "fatal" }
  }
  return undefined
}

/** The size of the tools that were sent, when the agent's request before had other ones. */
function measured(turn: Turn, { summary }: StepPlan): Pick<AssistantMessage, "toolTokens"> {
  if (!summary && turn.measuredTools === turn.tools) return {}
  if (!summary) turn.measuredTools = turn.tools
  return { toolTokens: toolTokens(turn.tools) }
}

/** Closes the parts of a try that failed and says when the next one is. A try that gave something ends its message. */
function noteRetry(
  deps: TurnDeps,
  turn: Turn,
  message: AssistantMessage,
  step: StepResult,
  retry: { attempt: number; classified: Classified; delay: number },
): void {
  const { run } = turn
  const { sessionID } = run
  const now = run.clock.now()
  run.write(...closeBroken(deps, message, now, true), retryEvent(run, message, retry))
  if (step.answered) {
    const info = { ...message, finish: "error", time: { ...message.time, completed: now } }
    run.write({ type: "message.updated", properties: { sessionID, info } }, ...stepFiles(deps.store, info, run.partID))
    turn.context.push({ info, parts: deps.store.read.parts(message.id) })
  }
  const status = {
    type: "retry" as const,
    attempt: retry.attempt,
    message: retry.classified.message,
    next: now + retry.delay,
  }
  run.publish({ type: "session.status", properties: { sessionID, status } })
}

function giveUp(
  deps: TurnDeps,
  turn: Turn,
  message: AssistantMessage,
  step: StepResult,
  end: { attempt: number; classified: Classified; ahead: boolean },
): Attempted {
  const { run } = turn
  const { sessionID } = run
  const now = run.clock.now()
  const error = toMessageError(end.classified)
  const quiet = end.ahead
  const info = { ...message, ...(quiet ? { finish: "error" } : { error }), time: { ...message.time, completed: now } }
  run.write(
    ...closeBroken(deps, message, now, quiet),
    ...(quiet ? [retryEvent(run, message, end)] : []),
    { type: "message.updated", properties: { sessionID, info } },
    ...stepFiles(deps.store, info, run.partID),
  )
  if (step.answered) turn.context.push({ info, parts: deps.store.read.parts(message.id) })
  if (!quiet) run.publish({ type: "session.error", properties: { sessionID, error } })
  // Whoever goes on must not overrule the user.
  if (quiet && step.calls.some((call) => call.rejected)) return { ok: true, messageID: message.id, calls: step.calls }
  return { ok: false, failure: { error, class: end.classified.class, cause: end.classified } }
}

function retryEvent(
  run: Run,
  message: AssistantMessage,
  retry: { attempt: number; classified: Classified; delay?: number },
): DurableEvent {
  const { sessionID } = run
  const now = run.clock.now()
  const base = { id: run.partID(), sessionID, messageID: message.id, type: "retry" as const }
  const time = { created: now, ...(retry.delay !== undefined && { next: Math.ceil(now + retry.delay) }) }
  const part = { ...base, attempt: retry.attempt, error: apiError(retry.classified), time }
  return { type: "message.part.updated", properties: { sessionID, part, time: now } }
}

/** Closes what a broken stream left open. */
function closeBroken(deps: TurnDeps, message: AssistantMessage, now: number, again: boolean): DurableEvent[] {
  const whole: MessageWithParts = { info: message, parts: deps.store.read.parts(message.id) }
  return closeParts(whole, { toolError: interruptedText, now, again })
}

function apiError(classified: Classified) {
  const error = toMessageError(classified)
  if (error.name === "APIError") return error
  return { name: "APIError" as const, data: { message: classified.message, isRetryable: true } }
}
