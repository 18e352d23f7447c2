import type { Store } from "@cairn/core/store/store"
import { silentLog } from "@cairn/kernel/log"
import type { TextPart } from "@cairn/schema/part"
import type { Random } from "@cairn/testkit/random"
import { createEventHub, type EventHub } from "../../src/event/hub.ts"
import * as make from "./events.ts"
import { connect, type Heard, type Listener, settled } from "./listener.ts"
import { type TestSource, type TestSources, testSources } from "./sources.ts"
import { plain, projection, take, type View } from "./view.ts"

interface Writer {
  readonly directory: string
  readonly store: Store
  /** Undefined: another process, which publishes nothing here. */
  readonly source: TestSource | undefined
}

interface Running {
  readonly writer: Writer
  readonly runID: string
  text: { readonly part: TextPart; sent: string; stored: number } | undefined
}

/** A client with its view, which it keeps while it is away. */
class Client {
  readonly cursors: string[] = []
  readonly problems: string[] = []
  view: View
  connected = false
  /** Entries that it was told of, and should not be told of again. */
  readonly #known = new Set<string>()
  readonly #reread: () => View
  #listener: Listener | undefined

  constructor(
    readonly directory: string | undefined,
    reread: () => View,
  ) {
    this.#reread = reread
    this.view = reread()
  }

  get listener(): Listener {
    if (!this.#listener) throw new Error("never connected")
    return this.#listener
  }

  connect(hub: EventHub, after = this.cursors.at(-1)): void {
    const ids = new Set<string>()
    this.connected = true
    // Who has no place to go on from reads everything.
    if (after === undefined) this.view = this.#reread()
    this.#listener = connect(hub, { directory: this.directory, after }, (heard) => this.#hear(heard, ids))
  }

  async leave(): Promise<void> {
    if (!this.connected) return
    this.connected = false
    this.listener.resume()
    await this.listener.leave()
    await settled()
  }

  /** It comes back, and goes on from the last cursor that it had, or from an older one. */
  async return(hub: EventHub, after?: string): Promise<void> {
    await this.leave()
    if (after !== undefined) this.#known.clear()
    this.connect(hub, after)
  }

  #hear({ cursor, event }: Heard, ids: Set<string>): void {
    if (cursor !== undefined) this.cursors.push(cursor)
    if (ids.has(event.id)) this.problems.push(`${event.type} ${event.id} was told twice`)
    ids.add(event.id)
    if (event.type === "server.connected" && event.properties.resync) {
      this.view = this.#reread()
      this.#known.clear()
    }
    if (cursor !== undefined && !event.type.startsWith("server.")) {
      if (this.#known.has(event.id)) this.problems.push(`${event.type} ${event.id} was told again after ${cursor}`)
      this.#known.add(event.id)
    }
    const problem = take(this.view, event)
    if (problem !== undefined) this.problems.push(problem)
  }
}

/**
 * Two engines of one process and one of another on the same database, whose sessions do things at random, and clients that
 * come, go, hang and come back at random.
 */
export class World implements Disposable {
  readonly sources: TestSources = testSources()
  readonly hub: EventHub
  readonly clients: Client[] = []
  readonly #writers: Writer[]
  readonly #sessions = new Map<string, Writer>()
  readonly #running = new Map<string, Running>()
  readonly #asks = new Map<string, string>()
  readonly #random: Random
  #count = 0

  constructor(random: Random) {
    this.#random = random
    this.hub = createEventHub({ instances: this.sources, clock: this.sources.clock, log: silentLog })
    const [a, b] = [this.sources.open("/a"), this.sources.open("/b")]
    this.#writers = [
      { directory: "/a", store: a.store, source: a },
      { directory: "/b", store: b.store, source: b },
      { directory: "/z", store: this.sources.elsewhere(), source: undefined },
    ]
  }

  [Symbol.dispose](): void {
    this.hub[Symbol.dispose]()
    this.sources[Symbol.dispose]()
  }

  /** One thing happens in a session. */
  happen(): void {
    const doings = [
      () => this.#create(),
      () =>
        this.#withSession((id, writer) => writer.store.append(id, [make.renamed(id, writer.directory, this.#id("t"))])),
      () => this.#withSession((id, writer) => this.#begin(id, writer)),
      () => this.#withRunning((id, running) => this.#open(id, running)),
      () => this.#withRunning((id, running) => this.#write(id, running)),
      () => this.#withRunning((id, running) => this.#write(id, running)),
      () => this.#withRunning((id, running) => this.#save(id, running)),
      () => this.#withRunning((id, running) => this.#close(id, running)),
      () => this.#withRunning((id, running) => this.#end(id, running)),
      () => this.#withSession((id, writer) => this.#ask(id, writer)),
      () => this.#reply(),
      () => this.#withSession((id, writer) => this.#delete(id, writer)),
    ]
    this.#random.pick(doings)()
  }

  /** A client comes, that has read everything before it listens. */
  join(where = this.#random.pick(["everywhere", "/a", "/b", "/z"])): Client {
    const directory = where === "everywhere" ? undefined : where
    const client = new Client(directory, () => this.#projection(directory))
    client.connect(this.hub)
    this.clients.push(client)
    return client
  }

  /** Something happens to a client. */
  async disturb(client: Client): Promise<void> {
    const doing = this.#random.pick(["leave", "return", "return", "pause", "resume", "jump"] as const)
    if (doing === "pause") client.listener.pause()
    if (doing === "resume") client.listener.resume()
    if (doing === "leave") await client.leave()
    if (doing === "return") await client.return(this.hub)
    if (doing === "jump") await client.return(this.hub, this.#random.pick([...client.cursors, "0.nothing"]))
  }

  /** Everything has come to everybody. */
  async settle(): Promise<void> {
    for (const client of this.clients) {
      if (!client.connected) client.connect(this.hub)
      client.listener.resume()
    }
    await this.sources.clock.advance(300)
    await settled()
  }

  /** What clients see that is not so. */
  differences(): string[] {
    return this.clients.flatMap((client, place) => {
      const [seen, is] = [plain(client.view), plain(this.#projection(client.directory))]
      const differs = Bun.deepEquals(seen, is) ? [] : [`${JSON.stringify(seen)}\nis not ${JSON.stringify(is)}`]
      return [...client.problems, ...differs].map((text) => `client ${place}: ${text}`)
    })
  }

  #projection(directory: string | undefined): View {
    const sources = this.#writers.flatMap(({ source }) => (source ? [source] : []))
    return projection(sources, new Set(this.#running.keys()), directory)
  }

  #id(prefix: string): string {
    return `${prefix}_${String((this.#count += 1)).padStart(6, "0")}`
  }

  #withSession(work: (id: string, writer: Writer) => void): void {
    if (this.#sessions.size === 0) return this.#create()
    const [id, writer] = this.#random.pick([...this.#sessions])
    work(id, writer)
  }

  #withRunning(work: (id: string, running: Running) => void): void {
    if (this.#running.size === 0) return this.#withSession((id, writer) => this.#begin(id, writer))
    const [id, running] = this.#random.pick([...this.#running])
    work(id, running)
  }

  #create(): void {
    const writer = this.#random.pick(this.#writers)
    const id = this.#id("ses")
    writer.store.append(id, [make.created(id, writer.directory)])
    this.#sessions.set(id, writer)
  }

  #delete(id: string, { store, directory }: Writer): void {
    if (this.#running.has(id)) return
    store.append(id, [make.deleted(id, directory)])
    this.#sessions.delete(id)
    for (const [ask, sessionID] of this.#asks) if (sessionID === id) this.#asks.delete(ask)
  }

  #begin(id: string, writer: Writer): void {
    if (this.#running.has(id)) return
    const runID = this.#id("run")
    writer.store.begin(id, runID, [make.turnStarted(id, runID), make.message(make.assistant(id, this.#id("msg")))])
    this.#running.set(id, { writer, runID, text: undefined })
    writer.source?.running.set(id, { type: "busy" })
    writer.source?.store.publish(make.status(id, "busy"))
  }

  #open(id: string, running: Running): void {
    if (running.text) return
    const { store } = running.writer
    const message = store.read.messages(id).at(-1)
    if (!message) throw new Error("a turn without a message")
    const part = make.growing(id, message.info.id, this.#id("prt"))
    store.append(id, [make.part(part)], running.runID)
    running.text = { part, sent: "", stored: 0 }
  }

  #write(id: string, running: Running): void {
    if (!running.text) return this.#open(id, running)
    const words = this.#id("word ").repeat(1 + this.#random.below(50))
    const { part, sent } = running.text
    running.text.sent += words
    running.writer.source?.store.publish(make.piece(part, words, sent.length))
    if (!running.writer.source) this.#save(id, running)
  }

  #save(id: string, { writer, runID, text }: Running): void {
    if (!text || text.stored === text.sent.length) return
    writer.store.append(id, [make.piece(text.part, text.sent.slice(text.stored), text.stored)], runID)
    text.stored = text.sent.length
  }

  #close(id: string, running: Running): void {
    if (!running.text) return
    const { part, sent } = running.text
    running.writer.store.append(id, [make.part({ ...part, text: sent, time: { start: 1, end: 2 } })], running.runID)
    running.text = undefined
  }

  #end(id: string, running: Running): void {
    this.#close(id, running)
    const { writer, runID } = running
    writer.source?.running.delete(id)
    this.#running.delete(id)
    writer.store.end(id, runID, [make.turnEnded(id, runID)])
    writer.source?.store.publish(make.status(id, "idle"))
    writer.source?.store.publish({ type: "session.idle", properties: { sessionID: id } })
  }

  #ask(id: string, { store }: Writer): void {
    const ask = this.#id("per")
    store.append(id, [make.asked(id, ask)])
    this.#asks.set(ask, id)
  }

  #reply(): void {
    if (this.#asks.size === 0) return
    const [ask, id] = this.#random.pick([...this.#asks])
    this.#sessions.get(id)?.store.append(id, [make.replied(id, ask)])
    this.#asks.delete(ask)
  }
}
