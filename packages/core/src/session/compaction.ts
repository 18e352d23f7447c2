import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { Span } from "@cairn/kernel/span"
import type { DurableEvent } from "@cairn/schema/event"
import type { AssistantMessage, MessageWithParts } from "@cairn/schema/message"
import { agentReminder } from "../prompt/reminder.ts"
import { continueFragment } from "../prompt/summary.ts"
import { type Failure, attemptStep } from "./attempt.ts"
import { type Context, createContext } from "./context.ts"
import { messageTokens } from "./estimate.ts"
import { historyOf, isCompaction, wordsOf } from "./history.ts"
import { loadedIn } from "./loaded.ts"
import { prunable } from "./prune.ts"
import { remind } from "./remind.ts"
import { isFull, roomFor, usableOf } from "./request-size.ts"
import { shorten } from "./shorten.ts"
import { tailBudget, tailStart } from "./tail.ts"
import { answeredBy, hasHeir } from "./take-over.ts"
import type { Target } from "./target.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"

/** Compactions in a row that did not help before it is given up. */
const strikes = 3

/** Why room is needed: the request would not fit, the provider refused it, or the user wants it. */
export type Need = "limit" | "overflow" | "asked"

/** The turn's context anew from what is stored: at its start, and when a compaction or a prune begins a new epoch. */
export function buildContext(target: Target, stored: readonly MessageWithParts[], usable: number): Context {
  return createContext(target, historyOf(stored, roomFor(usable)))
}

/**
 * Makes the next request smaller: first by clearing old tool results, then by a summary. Undefined when that worked. A
 * compaction that does not shrink the request is a failure, and so is the fourth one in a row.
 */
export async function makeRoom(deps: TurnDeps, turn: Turn, need: Need): Promise<Failure | undefined> {
  if (need === "limit" && prune(deps, turn)) return undefined
  if (++turn.compactions > strikes) return tooLong("it was compacted three times and is still too long")
  return await compact(deps, turn, need)
}

/** Clears old tool results. True when that is enough. */
function prune(deps: TurnDeps, turn: Turn): boolean {
  if (deps.compaction.prune === false) return false
  const { run } = turn
  const usable = usableOf(deps, turn)
  const parts = prunable(deps.store.read.messages(run.sessionID), usable)
  if (parts.length === 0) return false
  const now = run.clock.now()
  const events = parts.map((part): DurableEvent => {
    const state =
      part.state.status === "completed" ? { ...part.state, time: { ...part.state.time, compacted: now } } : part.state
    return {
      type: "message.part.updated",
      properties: { sessionID: run.sessionID, part: { ...part, state }, time: now },
    }
  })
  run.write(...events)
  const stored = deps.store.read.messages(run.sessionID)
  turn.context = createContext(turn.target, historyOf(stored, roomFor(usable)), { counted: false })
  deps.instructions.restore(run.sessionID, loadedIn(stored))
  return !isFull(deps, turn)
}

/** True when the user may ask for a compaction, but everything would stay as it is. */
export function nothingToCompact(deps: TurnDeps, turn: Turn): boolean {
  const { stored, head } = headOf(deps, turn, "asked")
  const { tail, since } = historyOf(stored, 0)
  const sent = new Set([...tail, ...since])
  return !head.some((message) => sent.has(message))
}

/** True when there is nothing that a summary could stand for: the request is what the user wants now. */
export const isWhole = (deps: TurnDeps, turn: Turn): boolean => headOf(deps, turn, "limit").head.length === 0

/** What a summary would stand for, and where the tail begins that stays beside it. */
function headOf(deps: TurnDeps, turn: Turn, need: Need) {
  const stored = deps.store.read.messages(turn.run.sessionID)
  const wanted = tailBudget(usableOf(deps, turn), deps.compaction.preserve_recent_tokens)
  // A provider counts otherwise than we estimate (other scripts), or knows a lower limit: of what is too long by its
  // count, a quarter is small by any.
  const budget = need === "asked" ? wanted : Math.min(wanted, messageTokens(turn.context.messages()) / 4)
  const start = tailStart(stored, turn.target, budget)
  return { stored, start, head: stored.slice(0, start).filter((message) => !isCompaction(message)) }
}

async function compact(deps: TurnDeps, turn: Turn, need: Need): Promise<Failure | undefined> {
  const { run, target } = turn
  const usable = usableOf(deps, turn)
  const { stored, start, head } = headOf(deps, turn, need)
  if (head.length === 0) return tooLong("nothing of it can be summed up")

  using span = turn.span.span("compaction", { "cairn.kind": "compaction", "cairn.compaction.need": need })
  const request = askForSummary(turn, stored[start]?.info.id, need)
  const summed = await summarise(deps, turn, request, { need, span })
  if (!("message" in summed)) span.fail(summed.class ?? summed.error.name)
  if (!("message" in summed)) return summed
  const before = messageTokens(turn.context.messages())
  const shortened = deps.store.read.messages(run.sessionID)
  const after = buildContext(target, shortened, usable)
  if (messageTokens(after.messages()) >= before) return discard(turn, summed.message, need)
  turn.context = after
  deps.instructions.restore(run.sessionID, loadedIn(shortened))
  if (need !== "asked") goOn(turn, stored, start)
  run.publish({ type: "session.compacted", properties: { sessionID: run.sessionID } })
  return undefined
}

/** The stored request for a summary: no part of the conversation, but it says where the tail begins. */
function askForSummary(turn: Turn, tail: string | undefined, need: Need): string {
  const { run, agent } = turn
  const model = turn.lineUp[0].ref
  const { sessionID } = run
  const now = run.clock.now()
  const id = run.messageID()
  const info = { id, sessionID, role: "user" as const, time: { created: now }, agent: agent.name, model }
  const part = {
    ...{ id: run.partID(), sessionID, messageID: id, type: "compaction" as const },
    auto: need !== "asked",
    ...(need === "overflow" && { overflow: true }),
    ...(tail !== undefined && { tail_start_id: tail }),
  }
  run.write(
    { type: "message.updated", properties: { sessionID, info } },
    { type: "message.part.updated", properties: { sessionID, part, time: now } },
  )
  return id
}

/**
 * Asks for the summary with the prompt as it is, so that the provider's cache serves it; when that does not fit, with
 * long results cut, then with the older half left out, and again.
 */
async function summarise(
  deps: TurnDeps,
  turn: Turn,
  parentID: string,
  { need, span }: { need: Need; span: Span },
): Promise<Failure | { readonly message: AssistantMessage }> {
  const task: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: deps.compaction.prompt }] }
  let last: Failure | undefined
  for (let cut = need === "overflow" ? 1 : 0; cut <= 4; cut++) {
    const messages = [...shorten(turn.context.messages(), cut), task]
    const attempt = await attemptStep(deps, turn, {
      tools: false,
      ahead: (failure) => failure.class === "overflow" || hasHeir(deps, turn, failure),
      summary: { parentID, messages, span },
    })
    if (attempt.ok) {
      answeredBy(deps, turn)
      const info = deps.store.read.message(attempt.messageID)
      const text = deps.store.read
        .parts(attempt.messageID)
        .some((part) => part.type === "text" && part.text.trim() !== "")
      if (text && info?.role === "assistant") return { message: info }
      return tooLong("the model gave no summary")
    }
    last = attempt.failure
    if (last.class !== "overflow") return last
  }
  return last ?? tooLong("no summary came")
}

/** A summary that makes nothing shorter is kept for the record only. */
function discard(turn: Turn, message: AssistantMessage, need: Need): Failure {
  const failure = need === "asked" ? overflow(noGain) : tooLong("its summary is not shorter than itself")
  const info = { ...message, error: failure.error }
  turn.run.write({ type: "message.updated", properties: { sessionID: turn.run.sessionID, info } })
  return failure
}

/** Tells the model what it must still know when the compaction came in the middle of its work. */
function goOn(turn: Turn, stored: readonly MessageWithParts[], start: number): void {
  const parent = stored.findIndex((message) => message.info.id === turn.parentID)
  if (stored.at(-1)?.info.role !== "user" && parent >= 0)
    remind(turn, continueFragment(parent >= start ? undefined : wordsOf(stored[parent]!)))
  const own = turn.agent.reminder === undefined ? undefined : agentReminder(turn.agent.reminder)
  if (own !== undefined && !stored.slice(start).some((message) => says(message, own))) remind(turn, own)
}

const says = ({ parts }: MessageWithParts, text: string): boolean =>
  parts.some((part) => part.type === "text" && part.text === text)

const noGain =
  "The summary came out longer than what it would stand for, so the session stays as it is. Compact it when it is longer."

const tooLong = (why: string): Failure =>
  overflow(
    `The conversation is too long for the model, and ${why}. Start a new session, or choose a model with a larger context.`,
  )

const overflow = (message: string): Failure => ({
  error: { name: "ContextOverflowError", data: { message } },
  class: "overflow",
})
