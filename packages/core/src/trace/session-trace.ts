import type { DurableEvent, LogEntry } from "@cairn/schema/event"
import type { AssistantMessage } from "@cairn/schema/message"
import { addTokens, noTokens, type Spending } from "@cairn/schema/model"
import type { Part } from "@cairn/schema/part"
import type { SessionTrace, TraceSpan } from "@cairn/schema/trace"
import { close, type Draft, draft, failedBy } from "./draft.ts"
import { StepTrace } from "./step-trace.ts"

/**
 * What a session's log tells of where its time went, as a tree: turns, their steps and compactions, and in these the
 * model calls, tools, asks and waits. Pure. Nothing is guessed: what has no end in the log is open, and work that the log
 * does not tell of (processes, files) is not there.
 */
export function traceOf(sessionID: string, entries: Iterable<LogEntry>): SessionTrace {
  const turns: TraceSpan[] = []
  let turn: TurnTrace | undefined
  let title: string | undefined
  for (const { event, time } of entries) {
    if (event.type === "session.turn.started") {
      if (turn) turns.push(turn.unended("cut_off"))
      turn = new TurnTrace(event.properties.time)
    }
    turn?.see(event, time)
    if (event.type === "session.turn.ended" && turn) {
      turns.push(turn.ended(event.properties))
      turn = undefined
    }
    if (event.type !== "session.created" && event.type !== "session.updated") continue
    if (title !== undefined && title !== event.properties.info.title) turn?.titled(event.properties.info.title, time)
    title = event.properties.info.title
  }
  if (turn) turns.push(turn.unended("running"))
  return { sessionID, turns }
}

type TurnEnded = Extract<DurableEvent, { type: "session.turn.ended" }>["properties"]

class TurnTrace {
  readonly #span: Draft
  readonly #steps = new Map<string, StepTrace>()
  readonly #asks = new Map<string, Draft>()
  /** By the message that asks for the summary. */
  readonly #compactions = new Map<string, Draft>()
  /** When each event came: the last one before a restart is the last that is known. */
  readonly #times: number[] = []
  #step: StepTrace | undefined
  #title: Draft | undefined

  constructor(start: number) {
    this.#span = draft("turn", "", start)
  }

  see(event: DurableEvent, time: number): void {
    this.#times.push(time)
    switch (event.type) {
      case "message.updated":
        this.#span.name ||= event.properties.info.agent
        if (event.properties.info.role === "assistant") this.#message(event.properties.info)
        return
      case "message.part.updated":
        return this.#part(event.properties.part, event.properties.time)
      case "permission.asked":
        return this.#ask(event.properties.id, event.properties.permission, time, event.properties.tool)
      case "question.asked":
        return this.#ask(event.properties.id, "question", time, event.properties.tool)
      case "permission.replied":
        return this.#answer(event.properties.requestID, event.properties.reply, time)
      case "question.replied":
        return this.#answer(event.properties.requestID, "answered", time)
      case "question.rejected":
        return this.#answer(event.properties.requestID, "rejected", time)
      case "session.spent":
        return this.#spent(event.properties.spent)
      default:
        return
    }
  }

  /** A new title while the first answer is given is the model's. The one that came with the prompt is no work. */
  titled(title: string, time: number): void {
    if (!this.#step) return
    this.#title ??= this.#moment("title", "", time)
    this.#title.name = title
  }

  ended({ reason, time, error }: TurnEnded): TraceSpan {
    const restart = reason === "interrupted_by_restart"
    this.#span.outcome = reason
    if (error) failedBy(this.#span, error)
    this.#endCompactions()
    if (!restart) {
      this.#step?.settle(time, "ended")
      closeAll(this.#span, time)
      return this.#whole()
    }
    // What the restart closed ended nobody knows when: all that is certain is that it was under way.
    const last = this.#times.findLast((each) => each < time) ?? this.#span.start
    reopen(this.#span, time, last)
    return this.#whole()
  }

  /** The log ends in it; or another turn began, and its own end was never written (`cut_off`). */
  unended(open: "running" | "cut_off"): TraceSpan {
    this.#endCompactions()
    leaveOpen(this.#span, open, this.#times.at(-1) ?? this.#span.start)
    return this.#whole()
  }

  #message(info: AssistantMessage): void {
    const known = this.#steps.get(info.id)
    if (known) return known.updated(info)
    const { created } = info.time
    const summary = info.summary === true
    if (this.#step?.retrying && this.#step.summary === summary) {
      this.#step.continued(info)
      this.#steps.set(info.id, this.#step)
      return
    }
    this.#step?.settle(created, "goes on")
    this.#step = new StepTrace(info)
    this.#steps.set(info.id, this.#step)
    const parent = (summary && this.#compactions.get(info.parentID)) || this.#span
    parent.children.push(this.#step.span)
  }

  #part(part: Part, at: number): void {
    if (part.type === "compaction") return this.#compaction(part.messageID, part.auto ? "automatic" : "asked for", at)
    if (part.type === "tool" && part.state.status === "completed" && part.state.time.compacted === at)
      return this.#pruned(at)
    const step = this.#steps.get(part.messageID)
    if (!step) return
    switch (part.type) {
      case "text":
      case "reasoning":
        if (part.time) step.given(part.time.start)
        if (part.time?.end !== undefined) step.given(part.time.end)
        return
      case "tool":
        return step.tool(part, at)
      case "retry":
        return step.retry(part)
      case "step-finish":
        return step.finished(part, at)
      default:
        return
    }
  }

  #compaction(messageID: string, name: string, time: number): void {
    this.#step?.settle(time, "goes on")
    this.#step = undefined
    const span = draft("compaction", name, time)
    this.#compactions.set(messageID, span)
    this.#span.children.push(span)
  }

  /** All results that are cleared at once are one moment. */
  #pruned(at: number): void {
    const last = this.#span.children.at(-1)
    const known = last?.kind === "prune" && last.start === at ? last : this.#moment("prune", "0", at)
    known.name = String(Number(known.name) + 1)
  }

  /** The call for a title is no message: when it began is not in the log, what it cost is. */
  #spent({ agent, time, tokens, cost }: Spending): void {
    if (agent !== "title") return
    this.#title = this.#moment("title", "", time)
    Object.assign(this.#title, { tokens, cost })
  }

  #moment(kind: "prune" | "title", name: string, at: number): Draft {
    const span = draft(kind, name, at)
    close(span, at)
    this.#span.children.push(span)
    return span
  }

  #ask(id: string, name: string, time: number, by: { messageID: string; callID: string } | undefined): void {
    const span = draft("ask", name, time)
    span.id = id
    this.#asks.set(id, span)
    const tool = by && this.#steps.get(by.messageID)?.call(by.callID)
    // The loop guard asks about a call that is over.
    const parent = tool && tool.end === undefined ? tool : this.#span
    parent.children.push(span)
  }

  #answer(id: string, outcome: string, time: number): void {
    const span = this.#asks.get(id)
    if (!span) return
    span.outcome = outcome
    close(span, time)
  }

  /** The log has no event for the end of a compaction: it is that of its last step. */
  #endCompactions(): void {
    for (const span of this.#compactions.values()) {
      const last = span.children.at(-1)
      if (last?.end !== undefined) close(span, last.end)
      if (last?.error) span.error = last.error
    }
  }

  #whole(): TraceSpan {
    for (const span of this.#compactions.values()) sum(span)
    sum(this.#span)
    return this.#span
  }
}

function sum(span: Draft): void {
  const spent = span.children.filter((child) => child.tokens)
  if (spent.length === 0) return
  span.tokens = spent.reduce((all, child) => addTokens(all, child.tokens ?? noTokens()), noTokens())
  span.cost = spent.reduce((all, child) => all + (child.cost ?? 0), 0)
}

/** Everything ends with the turn at the latest, though the event of an answer was written a moment after. */
function closeAll(span: Draft, at: number): void {
  close(span, Math.min(span.end ?? at, at))
  for (const child of span.children) closeAll(child, at)
}

function leaveOpen(span: Draft, open: "running" | "cut_off", last: number): void {
  for (const child of span.children) leaveOpen(child, open, last)
  if (span.end !== undefined && !span.children.some((child) => child.open)) return
  delete span.end
  span.open = open
  span.last = Math.max(span.start, last)
}

function reopen(span: Draft, from: number, last: number): void {
  const forget = (each: Draft) => {
    if (each.end === undefined || each.end >= from) {
      delete each.end
      if (each !== span) {
        delete each.error
        delete each.outcome
      }
    }
    each.children.forEach(forget)
  }
  forget(span)
  leaveOpen(span, "cut_off", last)
}
