import type { Part, TextPart } from "@cairn/schema/part"
import { TestClock } from "@cairn/testkit/clock"
import type { StreamEvent } from "../src/store/stream-event.ts"
import { createViewStore } from "../src/store/view-store.ts"
import { Mirror } from "./mirror.ts"
import { ModelServer } from "./model-server.ts"
import { assistant, numbered, permission, question, session, text, tool, user, waiting } from "./values.ts"

/** One step of a random history: what happens, and to whom. */
export type Step = readonly [kind: number, pick: number]

export const limits = { page: 4, pages: 3, sessions: 3, closed: 1 }
const names = ["ses_a", "ses_b", "ses_c", "ses_d", "ses_e", "ses_f"] as const

/**
 * A server and a view of it, between which everything may happen that the protocol allows: late, coalesced and repeated
 * events, broken streams that go on or begin anew, reads of any moment, failures.
 */
export class RandomViews {
  readonly server = new ModelServer()
  readonly clock = new TestClock()
  readonly #flushes: (() => void)[] = []
  readonly store = createViewStore({
    ...{ source: this.server.source, clock: this.clock, limits },
    schedule: (flush) => void this.#flushes.push(flush),
  })
  readonly mirror = new Mirror(this.store)
  readonly #held = new Map<string, Disposable>()
  readonly #created = new Set<string>()
  #id = 0
  #last: number | undefined
  /** Deepest that memory has been in. */
  mostHeld = 0

  constructor() {
    for (const name of names) this.mirror.session(name)
    for (const name of names.slice(0, 2)) this.#create(name)
    this.#held.set(names[0], this.store.open(names[0]))
    this.#connect(0)
  }

  async step([kind, pick]: Step): Promise<void> {
    const steps: readonly (() => unknown)[] = [
      ...Array.from({ length: 10 }, () => () => this.#talk(pick)),
      ...Array.from({ length: 8 }, () => () => this.arrive(pick % 5)),
      () => this.#sessions(pick),
      () => this.#ask(pick),
      () => this.server.logTexts(),
      () => this.server.coalesce(),
      ...Array.from({ length: 4 }, () => () => this.#stream(pick)),
      ...Array.from({ length: 3 }, () => () => this.#connect(pick)),
      () => this.#break(),
      () => this.#view(pick),
      () => this.#view(pick),
      () => this.server.reads[pick % Math.max(1, this.server.reads.length)]?.capture(),
      () => this.server.reads[pick % Math.max(1, this.server.reads.length)]?.answer(),
      () => this.server.reads[pick % Math.max(1, this.server.reads.length)]?.fail(),
      () => this.clock.advance(pick % 400),
      () => this.flush(),
    ]
    steps[kind % steps.length]?.()
    await this.clock.advance(0)
    this.mostHeld = Math.max(this.mostHeld, ...names.map((name) => this.#heldOf(name)))
  }

  /** Lets everything come to its end: what is open goes on a little, every read is answered, everybody is told. */
  async rest(): Promise<void> {
    if (!this.server.wire) this.#connect(0)
    for (const piece of [".", "!"]) {
      for (const part of this.server.openTexts()) this.server.stream(part, piece)
      for (let n = 0; n < 3; n++) await this.#comeToRest(100)
      this.server.logTexts()
    }
    do await this.#comeToRest(40_000)
    while (this.server.reads.length > 0 || this.store.counts().loads > 0)
    this.flush()
  }

  async #comeToRest(ms: number): Promise<void> {
    this.arrive(Number.POSITIVE_INFINITY)
    for (const read of this.server.reads) read.answer()
    await this.clock.advance(ms)
  }

  opened(): string[] {
    return [...this.#held.keys()]
  }

  /** So many events come in, some of them twice. */
  arrive(count: number): void {
    const { wire } = this.server
    for (let n = 0; n < count; n++) {
      const event = wire?.shift()
      if (!event) return
      this.#take(event)
      if (n % 3 === 0) this.#take(event)
    }
  }

  flush(): void {
    for (const flush of this.#flushes.splice(0)) flush()
  }

  #take(event: StreamEvent): void {
    if (event.type !== "server.connected" && event.seq !== undefined) this.#last = event.seq
    this.store.take(structuredClone(event))
  }

  #connect(pick: number): void {
    if (this.server.wire) return
    // A client that is not sure how far it has come may go back, and one that knows nothing begins anew.
    const anew = pick % 3 === 2 || this.#last === undefined
    this.server.connect(anew ? undefined : Math.max(0, (this.#last ?? 0) - (pick % 3)))
    if (anew) this.#last = undefined
  }

  #break(): void {
    this.server.wire = undefined
    this.store.lost()
  }

  /** An id is never used again. */
  #create(name: string): void {
    if (this.#created.has(name)) return
    this.#created.add(name)
    this.server.append({ type: "session.created", properties: { sessionID: name, info: session(name, ++this.#id) } })
  }

  #sessions(pick: number): void {
    const name = names[pick % names.length] ?? names[0]
    const state = this.server.sessions.get(name)
    if (!state) return this.#create(name)
    if (pick % 23 === 22)
      return this.server.append({ type: "session.deleted", properties: { sessionID: name, info: state.info } })
    const info = { ...state.info, title: `t${pick}`, time: { created: 1, updated: ++this.#id } }
    this.server.append({ type: "session.updated", properties: { sessionID: name, info } })
  }

  #ask(pick: number): void {
    const sessionID = this.#some(pick)
    if (sessionID === undefined) return
    const [asked] = this.server.permissions
    const [questioned] = this.server.questions
    if (pick % 4 === 0)
      this.server.append({ type: "permission.asked", properties: permission(this.#next("per"), sessionID) })
    else if (pick % 4 === 1)
      this.server.append({ type: "question.asked", properties: question(this.#next("que"), sessionID) })
    else if (pick % 4 === 2 && asked)
      this.server.append({
        type: "permission.replied",
        properties: { sessionID: asked.sessionID, requestID: asked.id, reply: "once" },
      })
    else if (questioned)
      this.server.append({
        type: "question.rejected",
        properties: { sessionID: questioned.sessionID, requestID: questioned.id },
      })
  }

  #talk(pick: number): void {
    const sessionID = this.#some(pick)
    const state = sessionID === undefined ? undefined : this.server.sessions.get(sessionID)
    if (!state || sessionID === undefined) return
    const { server } = this
    const message = state.messages.at(-1 - (Math.trunc(pick / 7) % 3))
    const messageID = message?.info.id ?? ""
    const part = message?.parts.at(-1 - (Math.trunc(pick / 11) % 2))
    const put = (each: Part) =>
      server.append({ type: "message.part.updated", properties: { sessionID, part: each, time: 1 } })
    switch (pick % 13) {
      case 0:
      case 1:
      case 2: {
        const id = this.#next("msg")
        const info = pick % 2 === 0 ? user(id, sessionID) : assistant(id, sessionID)
        return server.append({ type: "message.updated", properties: { sessionID, info } })
      }
      case 3:
        if (message?.info.role !== "assistant") return
        return server.append({
          type: "message.updated",
          properties: { sessionID, info: { ...message.info, cost: ++this.#id } },
        })
      case 4:
      case 5:
        return message && put(text({ id: this.#next("prt"), messageID, sessionID }, ""))
      case 6:
        return message && put(tool({ id: this.#next("prt"), messageID, sessionID }, "running"))
      case 7:
        return this.#change(sessionID, messageID, 3 * pick + 2)
      case 8:
      case 9:
        if (part && isOpenText(part))
          return put({ ...part, text: server.fullText(part), time: { start: 1, end: ++this.#id } })
        if (part?.type === "tool" && part.state.status === "running")
          return put(tool({ id: part.id, messageID, sessionID }))
        return
      case 10:
        if (pick % 3 === 0 && message)
          return server.append({ type: "message.removed", properties: { sessionID, messageID } })
        return (
          part && server.append({ type: "message.part.removed", properties: { sessionID, messageID, partID: part.id } })
        )
      case 11:
        return this.#change(sessionID, messageID, pick)
      default:
        return this.#queue(sessionID, state.inbox.at(pick % 2)?.id, pick)
    }
  }

  #stream(pick: number): void {
    const open = this.server.openTexts()
    const part = open[pick % Math.max(1, open.length)]
    if (part) this.server.stream(part, `${pick} `)
  }

  #change(sessionID: string, messageID: string, pick: number): void {
    const runID = `run_${pick}`
    const turn = { sessionID, runID, time: pick }
    if (pick % 3 === 0) this.server.append({ type: "session.turn.started", properties: turn })
    else if (pick % 3 === 1) this.server.append({ type: "session.turn.ended", properties: { ...turn, reason: "done" } })
    else {
      const files = [{ file: `f${pick}`, additions: 1, deletions: 0, status: "modified" as const }]
      this.server.append({
        type: "session.step.changed",
        properties: { sessionID, messageID, parentID: messageID, files },
      })
    }
  }

  #queue(sessionID: string, inboxID: string | undefined, pick: number): void {
    const { server } = this
    if (pick % 4 === 0)
      return server.append({
        type: "todo.updated",
        properties: { sessionID, todos: [{ content: `todo ${pick}`, status: "pending", priority: "low" }] },
      })
    if (pick % 4 === 1 || inboxID === undefined)
      return server.append({
        type: "session.inbox.added",
        properties: { sessionID, item: waiting(this.#next("inb")) },
      })
    if (pick % 4 === 2)
      return server.append({
        type: "session.inbox.updated",
        properties: { sessionID, item: { ...waiting(inboxID), hold: true } },
      })
    server.append({ type: "session.inbox.removed", properties: { sessionID, inboxID, reason: "delivered" } })
  }

  #view(pick: number): void {
    const name = names[pick % names.length] ?? names[0]
    const held = this.#held.get(name)
    if (!held) return void this.#held.set(name, this.store.open(name))
    if (pick % 17 === 16) {
      held[Symbol.dispose]()
      return void this.#held.delete(name)
    }
    if (pick % 3 === 0) return this.store.older(name)
    if (pick % 7 === 0) return this.store.moreSessions()
    this.store.look(name, pick % 20, (pick % 20) + 3)
  }

  #some(pick: number): string | undefined {
    const all = [...this.server.sessions.keys()]
    return all[pick % Math.max(1, all.length)]
  }

  #next(prefix: string): string {
    return numbered(prefix, ++this.#id)
  }

  #heldOf(name: string): number {
    return this.store.transcript(name).ids.filter((id) => this.store.message(name, id)).length
  }
}

function isOpenText(part: Part): part is TextPart {
  return part.type === "text" && part.time !== undefined && part.time.end === undefined
}
