import type { Log } from "@cairn/kernel/log"
import type { Engine } from "@cairn/schema/engine"
import type { BusEvent, LogEntry } from "@cairn/schema/event"
import type { EventLog } from "@cairn/schema/event-log"
import type { Happening, WireEvent } from "@cairn/schema/wire-event"
import { followUps } from "./follow-up.ts"
import { createPlaces, type Places } from "./places.ts"
import { type Audience, Told } from "./told.ts"

/** What of an engine is told of. */
export type Source = Pick<
  Engine,
  "directory" | "follow" | "log" | "session" | "message" | "statuses" | "openParts" | "pendingAsks" | "pendingQuestions"
>

/** The engines that come and go. */
export interface Sources {
  observe(observer: {
    opened(source: Source): void
    closing(source: Source): void
    closed(directory: string): void
  }): () => void
}

export interface FeedOptions {
  readonly instances: Sources
  readonly log: Log
  /** Takes each event in its order. */
  readonly tell: (told: Told) => void
  /** The engine of a directory has gone. */
  readonly gone: (directory: string) => void
}

/** Sessions that other processes run, and what is open in them. */
export type Elsewhere = Pick<ReturnType<EventLog["elsewhere"]>, "sessions" | "parts">

/** What goes on at one moment: everything up to `head` was told before. */
interface Moment {
  readonly head: number
  readonly elsewhere: Elsewhere
}

/** How many entries are read at a time. */
const pageSize = 200

/**
 * Everything that happens in the engines of this process, and in other processes on the same database, as one sequence: the
 * entries of the log in its order, each once, and what is only published where it came between them. An engine tells its own
 * events in the tick in which they are stored. When one of its numbers does not follow the last, others wrote in between,
 * and the log has what they wrote: numbers are given in the order of the commits.
 */
export class Feed implements Disposable {
  readonly #places: Places
  readonly #options: FeedOptions
  readonly #engines = new Map<string, Source>()
  readonly #stops = new Map<string, () => void>()
  readonly #stopObserving: () => void
  /** Told already, and so not told again when the engine publishes it. */
  readonly #anticipated = new Set<string>()
  #head: number | undefined
  #logID = ""
  #unwatch = () => {}
  #reader: Source | undefined

  constructor(options: FeedOptions) {
    this.#options = options
    this.#places = createPlaces((sessionID) => this.#reader?.session(sessionID))
    this.#stopObserving = options.instances.observe({
      opened: (engine) => this.#opened(engine),
      closing: (engine) => this.#closing(engine),
      closed: (directory) => this.#closed(directory),
    })
  }

  /** Number of the last entry that was told. Undefined as long as there has been no engine. */
  get head(): number | undefined {
    return this.#head
  }

  get engines(): readonly Source[] {
    return [...this.#engines.values()]
  }

  /** Any engine's view of the file; undefined when there is no engine. */
  get log(): EventLog | undefined {
    return this.#reader?.log
  }

  /** Who is told of it: by its session, or else by the engine that says so. */
  audienceOf(event: Happening, by?: Source): Audience {
    return this.#places.of(event) ?? (by ? { directory: by.directory } : "global")
  }

  /** What a client that was told everything up to an entry can go on from. */
  cursorAt(seq: number): string {
    return `${seq}.${this.#logID}`
  }

  /** The number in a cursor of this file. Undefined for anything else. */
  seqOf(cursor: string): number | undefined {
    const [, digits = "", id] = /^(\d{1,15})\.(\w+)$/.exec(cursor) ?? []
    return digits !== "" && id === this.#logID ? Number(digits) : undefined
  }

  /** Tells what others wrote until now, and says what goes on at that moment. */
  now(): Moment {
    const log = this.#reader?.log
    if (!log) return { head: this.#head ?? 0, elsewhere: { sessions: [], parts: [] } }
    const elsewhere = log.elsewhere()
    this.#catchUp(log, elsewhere.seq)
    return { head: this.#head ?? elsewhere.seq, elsewhere }
  }

  /** An entry of the log as clients are told of it; `by` is the engine that says so, if one does. */
  tellings({ seq, id, event }: Pick<LogEntry, "seq" | "id" | "event">, by?: Source): Told[] {
    const to = this.audienceOf(event, by)
    const rows = by ?? this.#reader
    const before = rows ? followUps({ id, event }, rows) : []
    return [
      ...before.map((one) => new Told(one, { to })),
      new Told({ id, ...event }, { to, seq, cursor: this.cursorAt(seq) }),
    ]
  }

  [Symbol.dispose](): void {
    this.#stopObserving()
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
    this.#engines.clear()
    this.#read(undefined)
  }

  #opened(engine: Source): void {
    this.#engines.set(engine.directory, engine)
    this.#stops.set(
      engine.directory,
      engine.follow((event) => this.#heard(engine, event)),
    )
    if (this.#reader === undefined) this.#read(engine)
  }

  /** It goes on telling until it has gone, but must not be read from then on. */
  #closing(engine: Source): void {
    this.#engines.delete(engine.directory)
    if (this.#reader === engine) this.#read(this.engines[0])
  }

  #closed(directory: string): void {
    this.#stops.get(directory)?.()
    this.#stops.delete(directory)
    this.#options.gone(directory)
  }

  #read(engine: Source | undefined): void {
    this.#unwatch()
    this.#unwatch = () => {}
    this.#reader = engine
    if (!engine) return
    this.#guarded(() => {
      this.#logID = engine.log.id
      this.#unwatch = engine.log.watch(() => this.#guarded(() => this.#catchUp(engine.log)))
      if (this.#head === undefined) this.#head = engine.log.last()
      else this.#catchUp(engine.log)
    })
  }

  #heard(engine: Source, event: BusEvent): void {
    if (event.seq === undefined) return this.#published(engine, event)
    const { seq } = event
    this.#head ??= seq - 1
    if (seq <= this.#head) return
    if (seq > this.#head + 1) this.#catchUp(engine.log, seq - 1)
    this.#head = seq
    // It was published before, in smaller pieces.
    if (event.type === "message.part.delta") return
    for (const told of this.tellings({ seq, id: event.id, event }, engine)) {
      const key = told.seq === undefined ? keyOf(told.event) : undefined
      if (key !== undefined) this.#anticipated.add(key)
      this.#options.tell(told)
    }
  }

  #published(engine: Source, event: BusEvent & { seq?: undefined }): void {
    const key = keyOf(event)
    if (key !== undefined && this.#anticipated.delete(key)) return
    this.#options.tell(new Told(event, { to: this.audienceOf(event, engine) }))
  }

  /** Tells the entries after the head, which others wrote. */
  #catchUp(log: EventLog, upTo?: number): void {
    for (;;) {
      const after = this.#head ?? 0
      const entries = log.entries(after, { limit: pageSize, ...(upTo !== undefined && { upTo }) })
      for (const entry of entries) {
        this.#head = entry.seq
        for (const told of this.#readElsewhere(entry)) this.#options.tell(told)
      }
      if (entries.length < pageSize) break
    }
    if (upTo !== undefined && upTo > (this.#head ?? 0)) this.#head = upTo
  }

  /** Text comes as it is stored, since nobody here heard it published. */
  #readElsewhere(entry: LogEntry): Told[] {
    const { event, id } = entry
    if (event.type !== "message.part.delta") return this.tellings(entry)
    return [new Told({ id, ...event }, { to: this.audienceOf(event) })]
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.log.error("events of other processes could not be read", { error })
    }
  }
}

/** What an entry of the log says of a session before its engine does. */
function keyOf({ type, properties }: WireEvent): string | undefined {
  if (type === "session.idle") return `${properties.sessionID} done`
  return type === "session.status" ? `${properties.sessionID} ${properties.status.type}` : undefined
}
