import type { Clock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import type { Log } from "@cairn/kernel/log"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Happening, WireEvent } from "@cairn/schema/wire-event"
import { type Failure, failure } from "../failure.ts"
import { EventClient, type Stretch } from "./client.ts"
import { type Elsewhere, Feed, type Sources } from "./feed.ts"
import { busy } from "./follow-up.ts"
import { type Audience, type Form, Told } from "./told.ts"

/** How often every client hears that the connection works. ms */
const heartbeatMs = 10_000
/** How long a client may take nothing although something waits. ms */
const patienceMs = 30_000
/** How long text is gathered before it is sent on, once some was sent. ms */
const gatherMs = 16
/** How many streams there may be. */
const mostStreams = 2_000
/** How many entries of the log a client may be behind to be told of them. */
const mostBehind = 20_000
/** How many entries are read at a time for a client. */
const pageSize = 100

const encoder = new TextEncoder()

export interface HubOptions {
  readonly instances: Sources
  readonly clock: Clock
  readonly log: Log
  readonly mostStreams?: number
}

export interface StreamWanted {
  /** Absent: of all directories. */
  readonly directory?: string | undefined
  /** `Last-Event-ID`: where an earlier stream broke off. */
  readonly after?: string | undefined
  /** The stream is over; `by` the client, or by us: then it may not have taken all of it yet. Called once. */
  readonly ended: (by: "client" | "server") => void
}

/** All clients that listen to events. As long as there are none, it does nothing. */
export interface EventHub extends Disposable {
  /** Number of streams. */
  readonly size: number
  open(wanted: StreamWanted): Result<ReadableStream<Uint8Array>, Failure>
  /** Tells what no engine knows of. */
  publish(event: Happening, to: Audience): void
}

export const createEventHub = (options: HubOptions): EventHub => new Hub(options)

/** Who is told the same. */
interface Channel {
  readonly directory: string | undefined
  readonly form: Form
  readonly clients: Set<EventClient>
}

class Hub implements EventHub {
  readonly #options: HubOptions
  readonly #ids: Ids
  readonly #channels = new Map<string | undefined, Channel>()
  #feed: Feed | undefined
  #queue: Told[] = []
  #size = 0
  #stopBeating = () => {}
  #stopGathering: (() => void) | undefined
  #scheduled = false
  #flushing = false
  #disposed = false

  constructor(options: HubOptions) {
    this.#options = options
    this.#ids = new Ids(options.clock)
  }

  get size(): number {
    return this.#size
  }

  open({ directory, after, ended }: StreamWanted): Result<ReadableStream<Uint8Array>, Failure> {
    const { clock, log, mostStreams: most = mostStreams } = this.#options
    if (this.#disposed) return err(failure("UnavailableError", "The server is stopping."))
    if (this.#size >= most) return err(failure("UnavailableError", `There are ${most} event streams already.`))
    const feed = this.#start()
    const { head } = feed.now()
    const from = after === undefined ? undefined : beginAt(feed, after, head)
    const seq = from ?? head
    const resync = after !== undefined && from === undefined
    const channel = this.#channelOf(directory)
    const client = new EventClient(
      {
        ...{ directory, clock },
        read: (reader) => this.#read(feed, reader),
        failed: (reader, error) => {
          log.error("events could not be read for a client", { error })
          reader.end(this.#ending("stopped", "The events cannot be read at the moment."))
        },
        ended: (gone, by) => {
          this.#left(channel, gone)
          ended(by)
        },
      },
      { seq, first: [this.#connected(feed, seq, resync)] },
    )
    channel.clients.add(client)
    this.#size += 1
    return ok(client.stream)
  }

  publish(event: Happening, to: Audience): void {
    if (this.#feed) this.#tell(new Told(this.#named(event), { to }))
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    this.#flush()
    const last = this.#ending("stopped", "The server stops.")
    for (const client of this.#clients()) client.end(last)
  }

  #start(): Feed {
    if (this.#feed) return this.#feed
    const { instances, log } = this.#options
    this.#beat()
    return (this.#feed = new Feed({
      ...{ instances, log },
      tell: (told) => this.#tell(told),
      gone: (directory) => this.#gone(directory),
    }))
  }

  #left(channel: Channel, client: EventClient): void {
    channel.clients.delete(client)
    if (channel.clients.size === 0) this.#channels.delete(channel.directory)
    this.#size -= 1
    if (this.#size > 0) return
    this.#feed?.[Symbol.dispose]()
    this.#feed = undefined
    this.#queue = []
    this.#stopBeating()
    this.#stopGathering?.()
    this.#stopGathering = undefined
  }

  #clients(): EventClient[] {
    return [...this.#channels.values()].flatMap(({ clients }) => [...clients])
  }

  #channelOf(directory: string | undefined): Channel {
    const known = this.#channels.get(directory)
    if (known) return known
    const channel: Channel = { directory, form: directory === undefined ? "global" : "local", clients: new Set() }
    this.#channels.set(directory, channel)
    return channel
  }

  #beat(): void {
    this.#stopBeating = this.#options.clock.timer(heartbeatMs, () => {
      this.#beat()
      for (const client of this.#clients()) if (client.stuckFor >= patienceMs) client.end(this.#ending("slow", tooSlow))
      const seq = this.#feed?.head
      // Who was told nothing for long goes on from here too.
      const more = this.#feed && seq !== undefined ? { seq, cursor: this.#feed.cursorAt(seq) } : {}
      if (this.#feed) this.#tell(new Told(this.#named({ type: "server.heartbeat", properties: {} }), more))
    })
  }

  #gone(directory: string): void {
    this.#tell(
      new Told(this.#named({ type: "server.instance.disposed", properties: { directory } }), { to: { directory } }),
    )
    this.#flush()
    for (const client of this.#channels.get(directory)?.clients ?? []) client.end()
  }

  /** What happens in one tick goes out together; text waits a little for more of it, once some went out. */
  #tell(told: Told): void {
    this.#queue.push(told)
    const isText = told.event.type === "message.part.delta"
    if (this.#scheduled || (isText && this.#stopGathering)) return
    this.#scheduled = true
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const told = this.#queue
    if (told.length === 0) return
    this.#queue = []
    this.#flushing = true
    for (const channel of this.#channels.values()) send(channel, told)
    this.#flushing = false
    if (this.#stopGathering || !told.some(({ event }) => event.type === "message.part.delta")) return
    this.#stopGathering = this.#options.clock.timer(gatherMs, () => {
      this.#stopGathering = undefined
      this.#flush()
    })
  }

  /** The next stretch for a client that reads the log, until it has come to where all others are. */
  #read(feed: Feed, client: EventClient): Stretch {
    const head = feed.head ?? 0
    if (client.seq < head && feed.log) {
      const entries = feed.log.entries(client.seq, { limit: pageSize, upTo: head, deltas: false })
      const told = entries.flatMap((entry) => feed.tellings(entry)).filter((one) => one.isFor(client.directory))
      const last = entries.length < pageSize ? undefined : entries.at(-1)
      return { told, seq: last?.seq ?? head, live: false }
    }
    const { head: now, elsewhere } = feed.now()
    // What others were told up to this moment they have now, so that what comes next comes to all.
    if (!this.#flushing) this.#flush()
    if (now > client.seq || this.#queue.length > 0) return { told: [], seq: client.seq, live: false }
    return { told: this.#present(feed, elsewhere).filter((one) => one.isFor(client.directory)), seq: now, live: true }
  }

  /** What an entry of the log does not say: what runs, what is open in it, and what waits for an answer. */
  #present(feed: Feed, elsewhere: Elsewhere): Told[] {
    const { engines } = feed
    const statuses = engines.flatMap((engine) => Object.entries(engine.statuses()))
    const parts = [...engines.flatMap((engine) => engine.openParts()), ...elsewhere.parts]
    const time = this.#options.clock.now()
    const events: Happening[] = [
      ...statuses.map(
        ([sessionID, status]) => ({ type: "session.status", properties: { sessionID, status } }) as const,
      ),
      ...elsewhere.sessions.map(busy),
      ...parts.map(
        (part) => ({ type: "message.part.updated", properties: { sessionID: part.sessionID, part, time } }) as const,
      ),
      ...engines.flatMap((engine) =>
        engine.pendingAsks().map((ask) => ({ type: "permission.asked", properties: ask }) as const),
      ),
      ...engines.flatMap((engine) =>
        engine.pendingQuestions().map((ask) => ({ type: "question.asked", properties: ask }) as const),
      ),
    ]
    return events.map((event) => new Told(this.#named(event), { to: feed.audienceOf(event) }))
  }

  #connected(feed: Feed, seq: number, resync: boolean): Told {
    const event = this.#named({ type: "server.connected", properties: resync ? { resync } : {} })
    return new Told(event, feed.head === undefined ? {} : { seq, cursor: feed.cursorAt(seq) })
  }

  #ending(reason: "slow" | "stopped", message: string): Told {
    return new Told(this.#named({ type: "server.stream.ended", properties: { reason, message } }))
  }

  #named(event: Happening): WireEvent {
    return { id: this.#ids.next("event"), ...event }
  }
}

const tooSlow = `Nothing was taken for ${patienceMs / 1000} s while events waited. Connect again to go on from the last one.`

/** The number to go on from. Undefined: not of this file, not there yet, or too long ago to be told. */
function beginAt(feed: Feed, cursor: string, head: number): number | undefined {
  const seq = feed.seqOf(cursor)
  return seq === undefined || seq > head || head - seq > mostBehind ? undefined : seq
}

/** Written down once, and only when somebody can take it as it is. */
function send({ directory, form, clients }: Channel, all: readonly Told[]): void {
  const told = all.filter((one) => one.isFor(directory))
  if (told.length === 0) return
  let bytes: Uint8Array | undefined
  const chunk = () => (bytes ??= encoder.encode(told.map((one) => one.frame(form)).join("")))
  for (const client of clients) client.offer(told, chunk)
}
