import type { MessageError } from "@cairn/schema/error"
import type { TurnEnd } from "@cairn/schema/event"
import type { MessageWithParts } from "@cairn/schema/message"
import type { TurnOutcome } from "@cairn/schema/engine"
import { loopGuardReminder, malformedReminder, stepLimitReminder, structuredReminder } from "../prompt/reminder.ts"
import { LeaseLost } from "../store/lease.ts"
import type { Store } from "../store/store.ts"
import { admit } from "./admit.ts"
import { attemptStep, type Failure, overspent } from "./attempt.ts"
import { closeMessage, isOpen } from "./closing.ts"
import { isWhole, makeRoom, nothingToCompact } from "./compaction.ts"
import { defectText } from "./defect.ts"
import { type Loop, type LoopGuard, createLoopGuard } from "./loop-guard.ts"
import { settleAsks } from "./recovery.ts"
import { remind } from "./remind.ts"
import { fitsBarely, isFull } from "./request-size.ts"
import { stepFiles } from "./step-files.ts"
import { answeredBy, fallOver, hasHeir, settleModel } from "./take-over.ts"
import { type SettledCall, interruptedText } from "./tool-run.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"

/**
 * Runs a turn to its end: model calls and tools, until the model has nothing left to do. The last event is
 * `session.turn.ended`, and it is appended in the same tick in which the turn is found to be over, so that a prompt
 * is either seen by this turn or finds the session idle. Interruption ends it as `aborted`, after every tool has settled.
 */
export const runTurn = (deps: TurnDeps, turn: Turn): Promise<TurnOutcome> => ending(deps, turn, () => loop(deps, turn))

/** Gives the work an end that is recorded, however it breaks off. */
export async function ending(deps: TurnDeps, turn: Turn, work: () => Promise<TurnOutcome>): Promise<TurnOutcome> {
  try {
    return await work()
  } catch (error) {
    if (turn.run.signal.aborted) {
      const message = "The turn was interrupted."
      const aborted = { name: "MessageAbortedError" as const, data: { message } }
      return finish(deps, turn, "aborted", { error: aborted, class: "aborted" })
    }
    if (error instanceof LeaseLost) throw error
    turn.log.error("a turn failed", { sessionID: turn.run.sessionID, error })
    const message = defectText(error)
    return finish(deps, turn, "error", { error: { name: "UnknownError", data: { message } } })
  }
}

/** Compacts the conversation because the user wants it: a run without a prompt. Interruption leaves everything as it was. */
export async function runCompaction(deps: TurnDeps, turn: Turn): Promise<TurnOutcome> {
  return await ending(deps, turn, async () => {
    const spent = overspent(turn)
    if (spent) return finish(deps, turn, "budget", spent)
    if (nothingToCompact(deps, turn)) return { ...finish(deps, turn, "done"), note: nothingToDo }
    while (true) {
      await settleModel(deps, turn)
      const problem = await makeRoom(deps, turn, "asked")
      turn.run.signal.throwIfAborted()
      if (!problem) return finish(deps, turn, "done")
      const failure = fallOver(deps, turn, problem)
      if (failure) return finish(deps, turn, "error", failure)
    }
  })
}

const nothingToDo = "There is nothing to compact yet: the last messages stay as they are, and nothing came before them."

async function loop(deps: TurnDeps, turn: Turn): Promise<TurnOutcome> {
  const guard = createLoopGuard()
  let empty = 0
  let wrappedUp = false
  while (true) {
    turn.run.signal.throwIfAborted()
    if (deliverSteer(deps, turn)) {
      guard.reset()
      turn.structured?.reset()
      turn.steps = 0
    }
    const last = turn.agent.steps !== undefined && turn.steps >= turn.agent.steps
    if (last && !wrappedUp) remind(turn, stepLimitReminder(turn.agent.steps ?? 0, turn.structured !== undefined))
    wrappedUp = last
    await settleModel(deps, turn)
    const spent = overspent(turn)
    if (spent) return finish(deps, turn, "budget", spent)
    const auto = deps.compaction.auto !== false
    if (auto && isFull(deps, turn) && !(fitsBarely(turn) && isWhole(deps, turn))) {
      const problem = await makeRoom(deps, turn, "limit")
      turn.run.signal.throwIfAborted()
      const failure = problem && fallOver(deps, turn, problem)
      if (failure) return finish(deps, turn, "error", failure)
      if (problem) continue
    }
    const compacts = (kind: Failure["class"]) => auto && kind === "overflow"
    const attempt = await attemptStep(deps, turn, {
      tools: !last || (turn.structured ? "result" : false),
      ahead: (failure) => compacts(failure.class) || hasHeir(deps, turn, failure),
    })
    turn.run.signal.throwIfAborted()
    if (!attempt.ok) {
      const problem = compacts(attempt.failure.class)
        ? await afterOverflow(deps, turn, attempt.failure)
        : attempt.failure
      const failure = problem && fallOver(deps, turn, problem)
      if (failure) return finish(deps, turn, "error", failure)
      continue
    }
    turn.steps++
    answeredBy(deps, turn)
    turn.compactions = 0
    const { calls, malformed } = attempt
    const answered = calls.length > 0 || (malformed === undefined && saysSomething(deps.store, attempt.messageID))
    if (calls.some((call) => call.rejected)) return finish(deps, turn, "rejected")
    if (last && !steerWaits(deps, turn)) return finish(deps, turn, "step_limit")
    if (turn.structured?.answer() && !steerWaits(deps, turn)) return finish(deps, turn, "done")
    const steered = steerWaits(deps, turn)
    const refused = turn.structured?.judge(calls, answered && calls.length === 0 && !steered)
    if (refused) return finish(deps, turn, "error", noResult(deps, turn, attempt.messageID, refused))
    const circle = findLoop(guard, calls, turn.structured?.tool.name)
    if (circle && !(await mayGoOn(deps, circle, calls))) return finish(deps, turn, "loop_guard")
    if (circle) {
      guard.reset()
      remind(turn, loopGuardReminder(circle.why))
    }
    turn.run.signal.throwIfAborted()
    empty = answered ? 0 : empty + 1
    if (calls.length > 0 || steerWaits(deps, turn)) continue
    if (answered && !turn.structured) return finish(deps, turn, "done")
    if (answered) remind(turn, structuredReminder())
    if (empty > 1) return finish(deps, turn, "error", emptyAnswer(turn, malformed))
    if (malformed !== undefined) remind(turn, malformedReminder(malformed))
  }
}

/**
 * The provider says that the request is too long. Undefined when it is to be sent again: smaller, or once more as it is
 * when nothing can be taken from it, since some providers say so when they only are busy.
 */
async function afterOverflow(deps: TurnDeps, turn: Turn, refused: Failure): Promise<Failure | undefined> {
  turn.overflows++
  const failure = await makeRoom(deps, turn, "overflow")
  turn.run.signal.throwIfAborted()
  if (!failure || turn.overflows === 1) return undefined
  return failure.class === "overflow" ? refused : failure
}

/** Takes waiting prompts into the turn as user messages. True when there was one. */
function deliverSteer(deps: TurnDeps, turn: Turn): boolean {
  const { run } = turn
  if (!steerWaits(deps, turn)) return false
  const taken: MessageWithParts[] = []
  run.derive(() =>
    steering(deps, turn).flatMap((item) => {
      const { message, events } = admit(run, item, { now: run.clock.now(), steer: true })
      taken.push(message)
      const removed = { sessionID: run.sessionID, inboxID: item.id, reason: "delivered" as const }
      return [...events, { type: "session.inbox.removed" as const, properties: removed }]
    }),
  )
  for (const message of taken) turn.context.push(message)
  turn.parentID = taken.at(-1)?.info.id ?? turn.parentID
  return taken.length > 0
}

const steering = (deps: TurnDeps, turn: Turn) =>
  deps.store.read.inbox(turn.run.sessionID).filter((item) => item.delivery === "steer" && item.hold !== true)

const steerWaits = (deps: TurnDeps, turn: Turn): boolean => steering(deps, turn).length > 0

/** `own`: a tool that counts for itself. */
function findLoop(guard: LoopGuard, calls: readonly SettledCall[], own: string | undefined): Loop | undefined {
  let found: Loop | undefined
  for (const { part, changedFile } of calls) {
    const { state } = part
    if (part.tool === own) continue
    if (state.status !== "completed" && state.status !== "error") continue
    const failed = state.status === "error"
    const result = failed ? state.error : state.output
    found = guard.record({ tool: part.tool, input: state.input, result, failed, changedFile }) ?? found
  }
  return found
}

async function mayGoOn(deps: TurnDeps, circle: Loop, calls: readonly SettledCall[]): Promise<boolean> {
  const call = calls.at(-1)!.part
  const answer = await deps.ask(
    { messageID: call.messageID, callID: call.callID, tool: call.tool },
    {
      permission: "doom_loop",
      patterns: [circle.tool],
      always: [circle.tool],
      metadata: { tool: circle.tool, reason: circle.why },
    },
  )
  return answer.ok
}

/** Thoughts alone are no answer: the user would get nothing, and the model would not see them again. */
const saysSomething = (store: Store, messageID: string): boolean =>
  store.read
    .parts(messageID)
    .some((part) => part.type === "tool" || (part.type === "text" && !part.ignored && part.text.trim() !== ""))

function emptyAnswer({ model }: Turn, malformed: string | undefined): Failure {
  const what =
    malformed === undefined
      ? "gave no answer twice: nothing, or thoughts alone"
      : `gave no answer twice; now the provider could not read its tool call (${malformed})`
  const message = `${model.ref.providerID}/${model.ref.modelID} ${what}. Try again, or use another model.`
  return { error: { name: "APIError", data: { message, isRetryable: false } }, class: "fatal" }
}

/** The model's last message says why it is no result. */
function noResult({ store }: TurnDeps, { run }: Turn, messageID: string, error: MessageError): Failure {
  const { sessionID } = run
  const info = store.read.message(messageID)
  if (info?.role === "assistant")
    run.write({ type: "message.updated", properties: { sessionID, info: { ...info, error } } })
  run.publish({ type: "session.error", properties: { sessionID, error } })
  return { error, class: "fatal" }
}

/** Closes what is open, appends the turn's last event, and gives the lease back. */
export function finish(deps: TurnDeps, turn: Turn, end: TurnEnd, failure?: Failure): TurnOutcome {
  const { run } = turn
  const reason = failure?.end ?? end
  const now = run.clock.now()
  const open = currentMessage(deps.store, turn)
  const closing =
    open && closeMessage(open, { toolError: interruptedText, now, ...(failure && { error: failure.error }) })
  const files = open && isOpen(open.info) ? stepFiles(deps.store, open.info, run.partID) : []
  const ended = {
    sessionID: run.sessionID,
    runID: run.runID,
    time: now,
    reason,
    ...(failure && { error: failure.error }),
  }
  run.end(...settleAsks(deps.store, run.sessionID, "the turn ended"), ...(closing ?? []), ...files, {
    type: "session.turn.ended",
    properties: ended,
  })
  return {
    sessionID: run.sessionID,
    reason,
    ...(turn.messageID !== undefined && { messageID: turn.messageID }),
    text: answerOf(currentMessage(deps.store, turn)),
    ...resultOf(currentMessage(deps.store, turn)),
    tokens: turn.purse.tokens,
    cost: turn.purse.cost,
    ...(failure && { error: failure.error, ...(failure.class && { errorClass: failure.class }) }),
    denied: turn.denied,
  }
}

function currentMessage(store: Store, turn: Turn): MessageWithParts | undefined {
  const info = turn.messageID === undefined ? undefined : store.read.message(turn.messageID)
  return info && { info, parts: store.read.parts(info.id) }
}

const resultOf = (message: MessageWithParts | undefined): Pick<TurnOutcome, "structured"> =>
  message?.info.role === "assistant" && message.info.structured !== undefined
    ? { structured: message.info.structured }
    : {}

function answerOf(message: MessageWithParts | undefined): string {
  if (message?.info.role === "assistant" && message.info.summary) return ""
  const texts = message?.parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored) ?? []
  return texts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n")
}
