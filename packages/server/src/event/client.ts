import type { Clock } from "@cairn/kernel/clock"
import { createPending, type Pending } from "./pending.ts"
import type { Form, Told } from "./told.ts"

/** What a client is given to begin or to go on with. */
export interface Stretch {
  readonly told: readonly Told[]
  /** Everything up to here is in it, or was before. */
  readonly seq: number
  /** What comes from now on is told as it happens. */
  readonly live: boolean
}

export interface ClientOptions {
  /** Undefined: of all directories. */
  readonly directory: string | undefined
  readonly clock: Pick<Clock, "monotonic">
  /** The events after a number of the log, some at a time. Throws what the log throws. */
  readonly read: (client: EventClient) => Stretch
  /** The stream is over; `by` the client, or by us. Called once. */
  readonly ended: (client: EventClient, by: "client" | "server") => void
  /** What `read` threw. */
  readonly failed: (client: EventClient, error: unknown) => void
}

/** Bytes that wait in the stream before the client counts as slow. */
const inStream = 64 * 1024
/** Bytes that wait behind the stream before they are let go, to be read from the log again. */
const mostPending = 256 * 1024

const encoder = new TextEncoder()

/**
 * One connection. While it takes what it is given, chunks that are shared with all others go through it. Otherwise its
 * events wait here, text in larger pieces; and when too many wait, they are let go.
 *
 *     reading ──all is read──► live ◄──► slow (events wait)
 *        ▲                                │ more than 256 KB wait
 *        └────────────────────────────────┘ reads on from the last entry that it was given
 */
export class EventClient {
  readonly directory: string | undefined
  readonly form: Form
  readonly stream: ReadableStream<Uint8Array>
  readonly #options: ClientOptions
  readonly #pending: Pending
  /** Of a chunk that was too large to be given at once. */
  #rest: Uint8Array | undefined
  #reading = true
  #seq: number
  #tookAt: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(options: ClientOptions, { first, seq }: { readonly first: readonly Told[]; readonly seq: number }) {
    this.directory = options.directory
    this.form = options.directory === undefined ? "global" : "local"
    this.#options = options
    this.#pending = createPending(this.form)
    this.#seq = seq
    this.#tookAt = options.clock.monotonic()
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          this.#give(encoder.encode(this.#text(first)))
        },
        pull: () => this.#pull(),
        cancel: () => this.#end("client"),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: inStream }),
    )
  }

  /** Number of the last entry that it was given. */
  get seq(): number {
    return this.#seq
  }

  /** How long it has taken nothing although something waits. ms */
  get stuckFor(): number {
    const waits = this.#reading || this.#rest !== undefined || this.#pending.bytes > 0
    return waits ? this.#options.clock.monotonic() - this.#tookAt : 0
  }

  /** Events that just happened, all of them for this client; `chunk` has them written down. */
  offer(told: readonly Told[], chunk: () => Uint8Array): void {
    if (this.#reading || !this.#controller) return
    if (this.#pending.bytes === 0 && !this.#rest && this.#hasRoom()) {
      this.#give(chunk())
      this.#seq = lastSeq(told) ?? this.#seq
      return
    }
    if (this.#pending.bytes === 0 && !this.#rest) this.#tookAt = this.#options.clock.monotonic()
    for (const one of told) this.#pending.push(one)
    if (this.#pending.bytes <= mostPending) return
    this.#pending.clear()
    this.#reading = true
  }

  /** Gives it what waits, and a last event if there is one, and ends the stream. */
  end(last?: Told): void {
    if (!this.#controller) return
    const text = this.#pending.take().text + this.#text(last ? [last] : [])
    if (this.#rest) this.#controller.enqueue(this.#rest)
    if (text !== "") this.#controller.enqueue(encoder.encode(text))
    this.#controller.close()
    this.#end("server")
  }

  #end(by: "client" | "server"): void {
    if (!this.#controller) return
    this.#controller = undefined
    this.#pending.clear()
    this.#rest = undefined
    this.#options.ended(this, by)
  }

  #pull(): void {
    if (!this.#controller) return
    this.#tookAt = this.#options.clock.monotonic()
    if (this.#rest) return this.#give(this.#rest)
    if (this.#reading) return this.#read()
    if (this.#pending.bytes === 0) return
    const { text, seq } = this.#pending.take()
    this.#seq = seq ?? this.#seq
    this.#give(encoder.encode(text))
  }

  #read(): void {
    try {
      const { told, seq, live } = this.#options.read(this)
      this.#reading = !live
      this.#seq = seq
      // Nothing of what was read was for it: a comment, so that the stream asks for more.
      this.#give(encoder.encode(this.#text(told) || (live ? "" : ":\n\n")))
    } catch (error) {
      this.#options.failed(this, error)
    }
  }

  #text(told: readonly Told[]): string {
    return told.map((one) => one.frame(this.form)).join("")
  }

  #give(bytes: Uint8Array): void {
    this.#rest = bytes.byteLength > inStream ? bytes.subarray(inStream) : undefined
    const now = this.#rest ? bytes.subarray(0, inStream) : bytes
    if (now.byteLength > 0) this.#controller?.enqueue(now)
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0
  }
}

const lastSeq = (told: readonly Told[]): number | undefined => told.findLast(({ seq }) => seq !== undefined)?.seq
