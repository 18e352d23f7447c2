import type { Clock } from "@cairn/kernel/clock"
import type { Part } from "@cairn/schema/part"
import type { InboxItem } from "@cairn/schema/prompt"
import type { Session, SessionStatus } from "@cairn/schema/session"
import type { Todo } from "@cairn/schema/todo"
import { type Ask, Asks } from "./asks.ts"
import type { MessageView } from "./body.ts"
import { Doings } from "./doings.ts"
import { type Load, Loads } from "./loads.ts"
import { type Notifier, type Schedule, type Topic, createNotifier } from "./notifier.ts"
import { OpenSessions, type TranscriptView } from "./open-sessions.ts"
import { Sessions } from "./sessions.ts"
import type { Source } from "./source.ts"
import { type StreamEvent, sessionOf } from "./stream-event.ts"
import type { TranscriptLimits } from "./transcript.ts"

export interface ViewStoreOptions {
  readonly source: Source
  readonly clock: Clock
  /** When listeners are told; in a microtask when absent. */
  readonly schedule?: Schedule
  /** Which of the sessions that events tell of belong into the list; all when absent. */
  readonly lists?: (session: Session) => boolean
  readonly limits?: Partial<ViewLimits>
}

export interface ViewLimits extends TranscriptLimits {
  /** Sessions that the list has at first, and by which it grows. */
  readonly sessions: number
  /** Transcripts that are kept although nobody has them open. */
  readonly closed: number
}

const usual: ViewLimits = { page: 200, pages: 3, sessions: 100, closed: 3 }

/** `connecting` until the stream has begun; `problem` while something cannot be read: it is tried again. */
export interface Connection {
  readonly state: "connecting" | "live" | "lost"
  readonly problem?: string
}

/** How much is held: what must stay bounded. */
export interface ViewCounts {
  readonly sessions: number
  readonly transcripts: number
  /** Messages that are known, and those whose contents are held. */
  readonly messages: number
  readonly held: number
  readonly heldParts: number
  readonly loads: number
  readonly listeners: number
}

/**
 * What clients show, kept up to date by a stream of events and, where events do not tell enough, by reading. All reads
 * are immediate; what they give is never changed afterwards, and is the same object until it has changed. Listeners are
 * told in batches.
 */
export interface ViewStore extends AsyncDisposable {
  /** Follows an event. To be called in the order of the stream. */
  take(event: StreamEvent): void
  /** How to stop is what it returns. */
  subscribe(topic: Topic, listener: () => void): () => void

  connection(): Connection
  /** The stream broke off; what is there stays as it is. */
  lost(): void

  /** `more`: there may be others, which `moreSessions` brings. */
  sessions(): { readonly ids: readonly string[]; readonly more: boolean }
  moreSessions(): void
  session(sessionID: string): Session | undefined
  status(sessionID: string): SessionStatus
  asks(): readonly Ask[]

  /** Holds a session open: its messages, todos and inbox are read and kept. Undefined ids are told as `missing`. */
  open(sessionID: string): Disposable
  transcript(sessionID: string): TranscriptView
  /** Reads what comes before the first message that is known. */
  older(sessionID: string): void
  /** Says which messages are looked at, by their places in `ids`; those that were dropped are read again. */
  look(sessionID: string, first: number, last: number): void
  /** Undefined: not known, or dropped. */
  message(sessionID: string, messageID: string): MessageView | undefined
  part(sessionID: string, messageID: string, partID: string): Part | undefined
  todos(sessionID: string): readonly Todo[]
  inbox(sessionID: string): readonly InboxItem[]

  counts(): ViewCounts
}

export function createViewStore(options: ViewStoreOptions): ViewStore {
  return new Views(options)
}

class Views implements ViewStore {
  readonly #notifier: Notifier
  readonly #loads: Loads
  readonly #open: OpenSessions
  readonly #sessions: Sessions
  readonly #doings: Doings
  readonly #asks: Asks
  #state: Connection["state"] = "connecting"
  #connection: Connection = { state: "connecting" }
  #seen = 0

  readonly #source: Source
  readonly #limits: ViewLimits

  constructor({ source, clock, schedule = queueMicrotask, lists = () => true, ...options }: ViewStoreOptions) {
    const limits = { ...usual, ...options.limits }
    this.#source = source
    this.#limits = limits
    this.#notifier = createNotifier(schedule)
    const { touch } = this.#notifier
    const isOpen = (id: string) => this.#open.has(id)
    this.#loads = new Loads(clock, () => this.#tell())
    this.#sessions = new Sessions(limits.sessions, touch, isOpen, lists)
    this.#doings = new Doings(touch, isOpen)
    this.#asks = new Asks(() => touch("asks"))
    const parts = { loads: this.#loads, sessions: this.#sessions, doings: this.#doings }
    this.#open = new OpenSessions({ source, limits, touch, ...parts })
  }

  take(event: StreamEvent): void {
    if (event.type === "server.connected") return this.#begin(event.properties.resync)
    if (event.seq !== undefined) {
      if (event.seq <= this.#seen) return
      this.#seen = event.seq
    }
    this.#loads.follow(event)
    this.#sessions.follow(event)
    this.#doings.follow(event)
    this.#asks.follow(event)
    const sessionID = sessionOf(event)
    if (sessionID !== undefined) this.#open.follow(sessionID, event)
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    return this.#notifier.subscribe(topic, listener)
  }

  connection() {
    return this.#connection
  }

  lost(): void {
    this.#state = "lost"
    this.#tell()
  }

  sessions() {
    return { ids: this.#sessions.ids, more: this.#sessions.more }
  }

  moreSessions(): void {
    if (!this.#sessions.more) return
    this.#sessions.limit += this.#limits.sessions
    this.#loads.forget((key) => key === "sessions")
    this.#readSessions()
  }

  session(sessionID: string): Session | undefined {
    return this.#sessions.get(sessionID)
  }

  status(sessionID: string): SessionStatus {
    return this.#doings.status(sessionID)
  }

  asks(): readonly Ask[] {
    return this.#asks.list
  }

  open(sessionID: string): Disposable {
    return this.#open.open(sessionID)
  }

  transcript(sessionID: string): TranscriptView {
    return this.#open.view(sessionID)
  }

  older(sessionID: string): void {
    this.#open.older(sessionID)
  }

  look(sessionID: string, first: number, last: number): void {
    this.#open.look(sessionID, first, last)
  }

  message(sessionID: string, messageID: string): MessageView | undefined {
    return this.#open.get(sessionID)?.message(messageID)
  }

  part(sessionID: string, messageID: string, partID: string): Part | undefined {
    return this.#open.get(sessionID)?.part(messageID, partID)
  }

  todos(sessionID: string): readonly Todo[] {
    return this.#doings.todos(sessionID)
  }

  inbox(sessionID: string): readonly InboxItem[] {
    return this.#doings.inbox(sessionID)
  }

  counts(): ViewCounts {
    return {
      ...this.#open.counts,
      sessions: this.#sessions.size,
      loads: this.#loads.size,
      listeners: this.#notifier.size,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#notifier.close()
    await this.#loads[Symbol.asyncDispose]()
  }

  /** The stream has begun. With a gap nothing of before is trusted: everything is read again. */
  #begin(gap: boolean): void {
    this.#state = "live"
    if (gap) {
      this.#seen = 0
      this.#loads.forget()
      this.#readSessions()
      this.#readAsks()
      this.#open.begin()
    } else this.#loads.hurry()
    // Between two tries of a model call nothing durable says so.
    this.#readStatuses()
    this.#tell()
  }

  #readSessions(): void {
    const { limit } = this.#sessions
    this.#read(
      "sessions",
      (signal) => this.#source.sessions(limit, signal),
      ({ sessions, more }) => this.#sessions.put(sessions, more),
      (event) => this.#sessions.follow(event),
    )
  }

  #readStatuses(): void {
    this.#read(
      "statuses",
      (signal) => this.#source.statuses(signal),
      (statuses) => this.#doings.putStatuses(statuses),
      (event) => this.#doings.follow(event),
    )
  }

  #readAsks(): void {
    const again = (event: StreamEvent) => this.#asks.follow(event)
    this.#read(
      "permissions",
      (signal) => this.#source.permissions(signal),
      (requests) => this.#asks.put("permission", requests),
      again,
    )
    this.#read(
      "questions",
      (signal) => this.#source.questions(signal),
      (requests) => this.#asks.put("question", requests),
      again,
    )
  }

  #read<T>(key: string, read: Load<T>["read"], take: Load<T>["take"], again: Load<T>["again"]): void {
    this.#loads.begin({ key, concerns: () => true, read, take, again })
  }

  #tell(): void {
    const { problem } = this.#loads
    const { state, problem: before } = this.#connection
    if (state === this.#state && problem === before) return
    this.#connection = { state: this.#state, ...(problem !== undefined && { problem }) }
    this.#notifier.touch("connection")
  }
}
