import type { Clock } from "@cairn/kernel/clock"
import { Deadline } from "@cairn/kernel/deadline"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Log } from "@cairn/kernel/log"
import { abortable, TaskGroup } from "@cairn/kernel/task"
import type { Fetch } from "../net/net.ts"
import { otlpJson, type EndedSpan } from "./otlp-json.ts"
import type { OtlpSettings } from "./settings.ts"

/** Sends ended spans to a collector, in batches, one request at a time. Nothing here throws. */
export interface Exporter {
  /** Takes a span, or drops it when the collector does not keep up. */
  add(span: EndedSpan): void
  /** Sends what is left and gives up after a second; says in the log what was lost. */
  close(): Promise<void>
}

export interface ExporterOptions extends Pick<OtlpSettings, "url" | "headers" | "resource"> {
  readonly version: string
  readonly send: Fetch
  readonly clock: Clock
  readonly log: Log
}

/** Spans that wait at most, and in one request. */
const mostWaiting = 2_048
const batchSize = 256
/** Between two batches, and between two tries while the collector fails. ms */
const interval = 5_000
const longestPause = 60_000
/** For one request. ms */
const patience = 10_000
/** For the last ones, when the engine closes. ms */
const farewell = 1_000
/** Of an answer. Bytes. */
export const answerBytes = 65_536

type Sent = "taken" | "refused" | "later"

export const createExporter = (options: ExporterOptions): Exporter => new OtlpExporter(options)

class OtlpExporter implements Exporter {
  readonly #waiting: EndedSpan[] = []
  readonly #group = new TaskGroup()
  #sending: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #pause = interval
  #failing = false
  #closing = false
  /** Never sent, and refused. */
  #lost = 0

  constructor(private readonly options: ExporterOptions) {}

  add(span: EndedSpan): void {
    if (this.#closing || this.#waiting.length >= mostWaiting) {
      this.#lost++
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= batchSize && !this.#failing) this.#send()
    else this.#later()
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#cancelTimer?.()
    const { clock, log } = this.options
    using deadline = new Deadline(clock, "sending the last traces", farewell)
    try {
      await abortable(this.#sending ?? Promise.resolve(), deadline.signal)
      if (this.#waiting.length > 0)
        await abortable(
          this.#group.run(() => this.#sendAll()),
          deadline.signal,
        )
    } catch (error) {
      log.debug("traces were given up", { error })
    }
    this.#group.cancel(new Interrupted("the engine is closing"))
    await this.#group[Symbol.asyncDispose]()
    this.#lost += this.#waiting.length
    if (this.#lost > 0) log.warn("traces were lost", { spans: this.#lost, host: this.options.url.host })
  }

  #later(): void {
    this.#cancelTimer ??= this.options.clock.timer(this.#pause, () => this.#send())
  }

  #send(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#sending || this.#closing) return
    this.#sending = this.#group
      .run(() => this.#sendAll())
      .finally(() => {
        this.#sending = undefined
        if (this.#waiting.length > 0 && !this.#closing) this.#later()
      })
  }

  /** Batch after batch, until nothing waits or the collector wants none now. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchSize)
      const sent = await this.#request(batch)
      this.#failing = sent === "later"
      if (sent === "later") {
        this.#pause = Math.min(this.#pause * 3, longestPause)
        return
      }
      this.#pause = interval
      if (sent === "refused") this.#lost += batch.length
      this.#waiting.splice(0, batch.length)
    }
  }

  async #request(batch: readonly EndedSpan[]): Promise<Sent> {
    const { url, headers, resource, version, send, clock, log } = this.options
    using deadline = new Deadline(clock, "a request to the collector", patience, this.#group.signal)
    const { signal } = deadline
    try {
      const response = await abortable(
        send(url, {
          method: "POST",
          headers: { "user-agent": `cairn/${version}`, ...headers, "content-type": "application/json" },
          body: JSON.stringify(otlpJson(batch, resource, version)),
          signal,
        }),
        signal,
      )
      const text = await abortable(response.text(), signal)
      if (response.ok) {
        this.#partly(text)
        return "taken"
      }
      const again = [429, 502, 503, 504].includes(response.status)
      if (!this.#failing) log.warn("the collector refused traces", { host: url.host, status: response.status, again })
      return again ? "later" : "refused"
    } catch (error) {
      if (!this.#failing && !this.#group.signal.aborted)
        log.warn("traces could not be sent", { host: url.host, error: error instanceof Error ? error.message : error })
      return "later"
    }
  }

  /** A collector may take a batch and say that it left some spans out. */
  #partly(text: string): void {
    const { rejectedSpans, errorMessage } = partialSuccess(text)
    const rejected = Number(rejectedSpans ?? 0)
    if (!(rejected > 0)) return
    this.#lost += rejected
    this.options.log.warn("the collector left spans out", { spans: rejected, why: errorMessage })
  }
}

function partialSuccess(text: string): { rejectedSpans?: unknown; errorMessage?: unknown } {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== "object" || answer === null || !("partialSuccess" in answer)) return {}
    const { partialSuccess: part } = answer
    return typeof part === "object" && part !== null ? part : {}
  } catch {
    return {} // some collectors answer with nothing, or with a word
  }
}
