import { err, ok } from "@cairn/kernel/result"
import type { DurableEvent } from "@cairn/schema/event"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Part, TextPart } from "@cairn/schema/part"
import type { PermissionRequest } from "@cairn/schema/permission"
import type { InboxItem } from "@cairn/schema/prompt"
import type { QuestionRequest } from "@cairn/schema/question"
import type { Session, SessionStatus } from "@cairn/schema/session"
import type { Todo } from "@cairn/schema/todo"
import type { Read, Source } from "../src/store/source.ts"
import type { StreamEvent } from "../src/store/stream-event.ts"

interface SessionState {
  info: Session
  messages: MessageWithParts[]
  todos: Todo[]
  inbox: InboxItem[]
  status: SessionStatus
}

/** A read whose answer a test decides on: first of which moment it is, then when it comes. */
interface PendingRead {
  capture(): void
  readonly captured: boolean
  answer(): void
  fail(): void
}

type Durable = Exclude<DurableEvent, { type: "message.part.delta" }>

/**
 * What a server promises, as a plain model: a log with projections, streams that break off and go on, copies of what is
 * open, text that clients see before the log has it, and reads that are of any moment while they last.
 */
export class ModelServer {
  readonly sessions = new Map<string, SessionState>()
  permissions: PermissionRequest[] = []
  questions: QuestionRequest[] = []
  /** What the log does not have yet of open texts. */
  readonly #unlogged = new Map<string, string>()
  #log: { seq: number; event: Durable }[] = []
  #seq = 0
  /** What was sent and has not arrived; undefined while nobody is connected. */
  wire: StreamEvent[] | undefined
  reads: PendingRead[] = []

  /** Events stand in the log, count, and are sent. */
  append(...events: readonly Durable[]): void {
    for (const event of events) {
      const entry = { seq: ++this.#seq, event: structuredClone(event) }
      this.#log.push(entry)
      this.#project(entry.event)
      this.#tell(entry)
    }
  }

  /** An entry of the log, and before it the rows that it changed without a word of them, as they are now. */
  #tell({ seq, event }: { seq: number; event: Durable }): void {
    if (event.type === "session.step.changed") {
      const { sessionID, parentID } = event.properties
      const state = this.sessions.get(sessionID)
      const info = state?.messages.find((each) => each.info.id === parentID)?.info
      const updated = { sessionID, info: structuredClone(state?.info) }
      if (updated.info) this.send({ type: "session.updated", properties: { ...updated, info: updated.info } })
      if (info) this.send({ type: "message.updated", properties: { sessionID, info: structuredClone(info) } })
    }
    this.send({ seq, ...structuredClone(event) })
  }

  send(event: StreamEvent): void {
    this.wire?.push(event)
  }

  /** Text for an open part, which the log does not have yet. */
  stream(part: TextPart, delta: string): void {
    const unlogged = this.#unlogged.get(part.id) ?? ""
    this.#unlogged.set(part.id, unlogged + delta)
    const { sessionID, messageID, id: partID } = part
    const offset = part.text.length + unlogged.length
    this.send({
      type: "message.part.delta",
      properties: { sessionID, messageID, partID, field: "text", offset, delta },
    })
  }

  /** The log has all text by now. It says so to nobody. */
  logTexts(): void {
    for (const part of this.openTexts()) {
      const unlogged = this.#unlogged.get(part.id)
      if (unlogged === undefined) continue
      part.text += unlogged
      this.#unlogged.delete(part.id)
      this.#seq++
    }
  }

  openTexts(): TextPart[] {
    const parts = [...this.sessions.values()].flatMap(({ messages }) => messages.flatMap((each) => each.parts))
    return parts.flatMap((part) => (part.type === "text" && part.time && part.time.end === undefined ? [part] : []))
  }

  /** All that was written, in the log or not. */
  fullText(part: TextPart): string {
    return part.text + (this.#unlogged.get(part.id) ?? "")
  }

  /** Goes on after an entry of the log, or begins without one. */
  connect(after?: number): void {
    this.wire = [{ type: "server.connected", properties: { resync: after === undefined } }]
    for (const request of this.permissions)
      this.send({ type: "permission.asked", properties: structuredClone(request) })
    for (const request of this.questions) this.send({ type: "question.asked", properties: structuredClone(request) })
    if (after === undefined) return
    for (const entry of this.#log) if (entry.seq > after) this.#tell(entry)
    for (const part of this.openTexts()) {
      const { sessionID, messageID, id: partID } = part
      this.send({ type: "message.part.updated", properties: { sessionID, part: structuredClone(part), time: 1 } })
      const delta = this.#unlogged.get(partID)
      if (delta === undefined) continue
      const offset = part.text.length
      const properties = { sessionID, messageID, partID, field: "text", offset, delta }
      this.send({ type: "message.part.delta", properties })
    }
  }

  /** Deltas of one part that follow each other become one. */
  coalesce(): void {
    const merged: StreamEvent[] = []
    for (const event of this.wire ?? []) {
      const last = merged.at(-1)
      if (
        last?.type === "message.part.delta" &&
        event.type === "message.part.delta" &&
        last.properties.partID === event.properties.partID
      )
        merged[merged.length - 1] = {
          ...last,
          properties: { ...last.properties, delta: last.properties.delta + event.properties.delta },
        }
      else merged.push(event)
    }
    this.wire &&= merged
  }

  readonly source: Source = {
    sessions: (limit) =>
      this.#read(() => {
        const all = [...this.sessions.values()].map(({ info }) => info).toSorted(byUse)
        return ok({ sessions: all.slice(0, limit), more: all.length > limit })
      }),
    session: (id) => this.#of(id, ({ info }) => info),
    messages: (id, { limit, before }) =>
      this.#read(() => {
        const messages = this.sessions.get(id)?.messages
        const end = before === undefined ? messages?.length : messages?.findIndex(({ info }) => info.id === before)
        if (!messages || end === undefined || end < 0) return err({ kind: "missing", message: "not there" })
        const start = Math.max(0, end - limit)
        return ok({ messages: messages.slice(start, end), more: start > 0 })
      }),
    message: (id, messageID) =>
      this.#read(() => {
        const found = this.sessions.get(id)?.messages.find(({ info }) => info.id === messageID)
        return found ? ok(found) : err({ kind: "missing", message: "not there" })
      }),
    todos: (id) => this.#of(id, ({ todos }) => todos),
    inbox: (id) => this.#of(id, ({ inbox }) => inbox),
    statuses: () =>
      this.#read(() => ok(Object.fromEntries([...this.sessions].map(([id, { status }]) => [id, status] as const)))),
    permissions: () => this.#read(() => ok(this.permissions)),
    questions: () => this.#read(() => ok(this.questions)),
  }

  #of<T>(id: string, get: (state: SessionState) => T): Read<T> {
    return this.#read(() => {
      const state = this.sessions.get(id)
      return state ? ok(get(state)) : err({ kind: "missing", message: "not there" })
    })
  }

  #read<T>(read: () => Awaited<Read<T>>): Read<T> {
    const { promise, resolve } = Promise.withResolvers<Awaited<Read<T>>>()
    let result: Awaited<Read<T>> | undefined
    const pending: PendingRead = {
      capture: () => void (result ??= structuredClone(read())),
      get captured() {
        return result !== undefined
      },
      answer: () => {
        pending.capture()
        this.#settled(pending)
        if (result) resolve(result)
      },
      fail: () => {
        this.#settled(pending)
        resolve(err({ kind: "failed", message: "no answer" }))
      },
    }
    this.reads.push(pending)
    return promise
  }

  #settled(pending: PendingRead): void {
    this.reads = this.reads.filter((each) => each !== pending)
  }

  #project(event: Durable): void {
    if (event.type === "project.updated") return
    const { sessionID } = event.properties
    if (event.type === "session.created") {
      const { info } = event.properties
      this.sessions.set(sessionID, { info, messages: [], todos: [], inbox: [], status: { type: "idle" } })
      return
    }
    const state = this.sessions.get(sessionID)
    if (!state) throw new Error(`no session ${sessionID}`)
    this.#projectAsk(event)
    this.#projectMessage(state, event)
    if (event.type === "session.updated") state.info = event.properties.info
    if (event.type === "session.deleted") {
      this.sessions.delete(sessionID)
      this.#log = this.#log.filter((each) => each.event === event || idOf(each.event) !== sessionID)
    }
    if (event.type === "session.turn.started") state.status = { type: "busy" }
    if (event.type === "session.turn.ended") state.status = { type: "idle" }
    if (event.type === "todo.updated") state.todos = event.properties.todos
    if (event.type === "session.inbox.added") state.inbox.push(event.properties.item)
    if (event.type === "session.inbox.updated") {
      const { item } = event.properties
      state.inbox = state.inbox.map((each) => (each.id === item.id ? item : each))
    }
    if (event.type === "session.inbox.removed") {
      const { inboxID } = event.properties
      state.inbox = state.inbox.filter(({ id }) => id !== inboxID)
    }
  }

  #projectAsk(event: Durable): void {
    if (event.type === "permission.asked") this.permissions.push(event.properties)
    if (event.type === "question.asked") this.questions.push(event.properties)
    const gone = "requestID" in event.properties ? event.properties.requestID : undefined
    const ended = event.type === "session.deleted" ? event.properties.sessionID : undefined
    const stays = ({ id, sessionID }: { id: string; sessionID: string }) => id !== gone && sessionID !== ended
    this.permissions = this.permissions.filter(stays)
    this.questions = this.questions.filter(stays)
  }

  #projectMessage(state: SessionState, event: Durable): void {
    const find = (id: string) => state.messages.find(({ info }) => info.id === id)
    switch (event.type) {
      case "message.updated": {
        const { info } = event.properties
        const found = find(info.id)
        if (found) found.info = info
        else state.messages.push({ info, parts: [] })
        return
      }
      case "message.removed":
        state.messages = state.messages.filter(({ info }) => info.id !== event.properties.messageID)
        return
      case "message.part.updated": {
        const { part } = event.properties
        const parts: Part[] = find(part.messageID)?.parts ?? []
        const place = parts.findIndex(({ id }) => id === part.id)
        if (place < 0) parts.push(part)
        else parts[place] = part
        this.#unlogged.delete(part.id)
        return
      }
      case "message.part.removed": {
        const found = find(event.properties.messageID)
        if (found) found.parts = found.parts.filter(({ id }) => id !== event.properties.partID)
        return
      }
      case "session.step.changed": {
        const before = state.info.summary ?? { additions: 0, deletions: 0, files: 0 }
        state.info = { ...state.info, summary: { ...before, additions: before.additions + 1 } }
        const asked = find(event.properties.parentID)
        if (asked?.info.role !== "user") return
        const diffs = [...(asked.info.summary?.diffs ?? []), ...event.properties.files]
        asked.info = { ...asked.info, summary: { diffs } }
        return
      }
      default:
        return
    }
  }
}

const idOf = ({ properties }: Durable) => ("sessionID" in properties ? properties.sessionID : undefined)

function byUse(a: Session, b: Session): number {
  return b.time.updated - a.time.updated || (a.id < b.id ? -1 : 1)
}
