import type { DurableEvent, LogEntry } from "@cairn/schema/event"
import type { Message } from "@cairn/schema/message"
import { PartChecker } from "./part-checker.ts"

type SessionEvent = Exclude<DurableEvent, { type: "project.updated" }>
type Report = (problem: string) => void

/**
 * The violations in a durable log whose runs have all ended; empty when it is good. Knows what must hold after any
 * interruption, crash or failure: see the rules at each check. Entries of several sessions may be mixed.
 */
export function checkLog(entries: readonly LogEntry[]): string[] {
  const problems: string[] = []
  const sessions = new Map<string, SessionChecker>()
  let last = Number.NEGATIVE_INFINITY
  for (const { seq, sessionID, event } of entries) {
    const report: Report = (problem) => void problems.push(`seq ${seq} (${event.type}): ${problem}`)
    if (seq <= last) report(`the sequence does not increase after ${last}`)
    last = Math.max(last, seq)
    if (event.type === "project.updated") continue
    const checker = sessions.get(sessionID) ?? new SessionChecker(sessionID)
    sessions.set(sessionID, checker)
    checker.see(event, report)
  }
  for (const [sessionID, checker] of sessions)
    checker.end((problem) => void problems.push(`end of ${sessionID}: ${problem}`))
  return problems
}

/** Events that only a run may write, a prompt that nobody answers aside. Removal is left out: an undo between two runs removes. */
const runOnly = new Set<DurableEvent["type"]>([
  "message.updated",
  "message.part.updated",
  "message.part.delta",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
  "todo.updated",
])

class SessionChecker {
  readonly #parts = new PartChecker()
  readonly #messages = new Map<string, Message>()
  readonly #asks = new Asks("permission")
  readonly #questions = new Asks("question")
  readonly #inbox = new Map<string, "waits" | "removed">()
  readonly #runs = new Set<string>()
  #run: string | undefined
  #deleted = false
  #lastMessage = ""

  constructor(private readonly sessionID: string) {}

  see(event: SessionEvent, report: Report): void {
    if (event.properties.sessionID !== this.sessionID) report(`names another session, ${event.properties.sessionID}`)
    if (this.#deleted) report("after the session was deleted")
    if (this.#run === undefined && this.#runs.size > 0 && runOnly.has(event.type) && !this.#isNote(event))
      report("after the turn had ended")
    switch (event.type) {
      case "session.turn.started":
        return this.#started(event.properties.runID, report)
      case "session.turn.ended":
        return this.#ended(event.properties.runID, report)
      case "session.deleted":
        this.#deleted = true
        return
      case "message.updated":
        return this.#message(event.properties.info, report)
      case "message.removed":
        return this.#removed(event.properties.messageID, report)
      case "message.part.updated":
        this.#known(event.properties.part.messageID, report)
        if (event.properties.part.sessionID !== this.sessionID) report("the part names another session")
        return this.#parts.updated(event.properties.part, report)
      case "message.part.delta":
        this.#known(event.properties.messageID, report)
        return this.#parts.delta(event.properties, report)
      case "message.part.removed":
        return this.#parts.removed(event.properties.partID, report)
      default:
        return this.#exchange(event, report)
    }
  }

  /** What the end of the log adds: no run is open. */
  end(report: Report): void {
    if (this.#run !== undefined && !this.#deleted) report(`run ${this.#run} has not ended`)
  }

  #exchange(event: SessionEvent, report: Report): void {
    switch (event.type) {
      case "permission.asked":
        return this.#asks.asked(event.properties.id, report)
      case "permission.replied":
        return this.#asks.answered(event.properties.requestID, report)
      case "question.asked":
        return this.#questions.asked(event.properties.id, report)
      case "question.replied":
      case "question.rejected":
        return this.#questions.answered(event.properties.requestID, report)
      case "session.inbox.added":
        if (this.#inbox.has(event.properties.item.id)) report(`inbox item ${event.properties.item.id} is added twice`)
        this.#inbox.set(event.properties.item.id, "waits")
        return
      case "session.inbox.updated":
        return this.#waits(event.properties.item.id, report)
      case "session.inbox.removed":
        this.#waits(event.properties.inboxID, report)
        this.#inbox.set(event.properties.inboxID, "removed")
        return
      default:
        return
    }
  }

  #waits(id: string, report: Report): void {
    const state = this.#inbox.get(id)
    if (state === undefined) report(`inbox item ${id} was never added`)
    if (state === "removed") report(`inbox item ${id} was already removed`)
  }

  /** A message of the user that nobody answers, or a part of one: it may come between two runs. */
  #isNote(event: SessionEvent): boolean {
    if (event.type === "message.updated") return event.properties.info.role === "user"
    if (event.type !== "message.part.updated") return false
    return this.#messages.get(event.properties.part.messageID)?.role === "user"
  }

  #started(runID: string, report: Report): void {
    if (this.#run !== undefined) report(`run ${runID} starts inside run ${this.#run}`)
    if (this.#runs.has(runID)) report(`run ${runID} starts a second time`)
    this.#runs.add(runID)
    this.#run = runID
  }

  #ended(runID: string, report: Report): void {
    if (this.#run === undefined) return report(`run ${runID} ends but none is open`)
    if (this.#run !== runID) report(`run ${runID} ends inside run ${this.#run}`)
    this.#run = undefined
    this.#parts.turnEnded(report)
    this.#asks.turnEnded(report)
    this.#questions.turnEnded(report)
    for (const message of this.#messages.values()) {
      if (message.role === "assistant" && message.time.completed === undefined) {
        report(`assistant message ${message.id} is not completed at the turn's end`)
      }
    }
  }

  #message(info: Message, report: Report): void {
    if (info.sessionID !== this.sessionID) report("the message names another session")
    const known = this.#messages.get(info.id)
    if (known !== undefined && known.role !== info.role) report(`message ${info.id} changes its role`)
    if (known === undefined) {
      if (info.id <= this.#lastMessage)
        report(`message ${info.id} is not greater than the one before it, ${this.#lastMessage}`)
      if (info.id > this.#lastMessage) this.#lastMessage = info.id
      if (info.role === "assistant") this.#known(info.parentID, report)
    }
    this.#messages.set(info.id, info)
  }

  #removed(messageID: string, report: Report): void {
    this.#known(messageID, report)
    this.#messages.delete(messageID)
    this.#parts.messageRemoved(messageID, report)
  }

  #known(messageID: string, report: Report): void {
    if (!this.#messages.has(messageID)) report(`message ${messageID} does not exist`)
  }
}

/** Every ask has exactly one answer, by the turn's end. */
class Asks {
  readonly #state = new Map<string, "open" | "answered">()

  constructor(private readonly what: string) {}

  asked(id: string, report: Report): void {
    if (this.#state.has(id)) report(`${this.what} ${id} is asked twice`)
    this.#state.set(id, "open")
  }

  answered(id: string, report: Report): void {
    const state = this.#state.get(id)
    if (state === undefined) report(`${this.what} ${id} was never asked`)
    if (state === "answered") report(`${this.what} ${id} is answered twice`)
    this.#state.set(id, "answered")
  }

  turnEnded(report: Report): void {
    for (const [id, state] of this.#state)
      if (state === "open") report(`${this.what} ${id} is unanswered at the turn's end`)
  }
}
