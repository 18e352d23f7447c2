import type { ServerResponse } from "node:http"
import { sleep, type Clock } from "@cairn/kernel/clock"
import { abortable } from "@cairn/kernel/task"
import type { CapturedRequest } from "./request.ts"
import { usageOf, type Step } from "./scenario.ts"
import type { Protocol, Wire } from "./wire/wire.ts"

interface Stage {
  readonly request: CapturedRequest
  readonly protocol: Protocol
  readonly outgoing: ServerResponse
  /** Destroys the socket. */
  cut(): void
  readonly clock: Clock
  /** Aborted when the client leaves or the server stops. */
  readonly signal: AbortSignal
}

const writeSize = 4_096
/** A reset overtakes bytes that the client has not read yet; this lets it read them first. */
const cutGrace = 20

/** Plays one reply into a response. Rejects with the signal's reason when it is interrupted. */
export async function play(steps: readonly Step[], stage: Stage): Promise<void> {
  const player = new Player(stage, steps)
  for (const step of steps) {
    stage.signal.throwIfAborted()
    if ((await player.step(step)) === "over") return
  }
  await player.end()
}

class Player {
  readonly #wire: Wire
  readonly #split: number | undefined
  #opened = false
  #finished = false
  #called = false

  constructor(
    private readonly stage: Stage,
    steps: readonly Step[],
  ) {
    this.#wire = stage.protocol.wire(stage.request, usageOf(steps))
    this.#split = steps.find((step) => step.type === "chunked")?.size
  }

  async step(step: Step): Promise<"over" | undefined> {
    switch (step.type) {
      case "usage":
      case "chunked":
        return
      case "text":
        return this.#content(() => this.#wire.text(step))
      case "reasoning":
        return this.#content(() => this.#wire.reasoning(step))
      case "redacted":
        return this.#content(() => this.#wire.redacted(step))
      case "tool":
        this.#called = true
        return this.#content(() => this.#wire.tool(step))
      case "ping":
        return this.#content(() => this.#wire.ping())
      case "finish":
        this.#finished = true
        return this.#content(() => this.#wire.finish(step.reason))
      case "raw":
        return this.#write([step.text])
      case "delay":
        return sleep(this.stage.clock, step.ms, this.stage.signal).then(() => undefined)
      case "wait":
        return abortable(step.until, this.stage.signal).then(() => undefined)
      case "headers":
        this.#headers()
        return
      case "error":
        await this.#content(() => this.#wire.error(step.message, step.kind))
        return this.#close()
      case "end":
        this.#headers()
        return this.#close()
      case "hang":
        if (step.headers) this.#headers()
        return abortable(new Promise<never>(() => {}), this.stage.signal)
      case "cut":
        this.#headers()
        await abortable(new Promise((resolve) => setTimeout(resolve, cutGrace)), this.stage.signal)
        this.stage.cut()
        return "over"
      case "status":
        return this.#status(step)
    }
  }

  /** The end that a reply without one gets. */
  async end(): Promise<void> {
    if (!this.#finished) await this.#content(() => this.#wire.finish(this.#called ? "tool-calls" : "stop"))
    this.#close()
  }

  /** The opening frames are made first: some protocols number their frames. */
  async #content(frames: () => string[]): Promise<undefined> {
    const opening = this.#opened ? [] : this.#wire.open()
    this.#opened = true
    await this.#write([...opening, ...frames()])
  }

  async #status(step: Extract<Step, { type: "status" }>): Promise<"over"> {
    const { outgoing, protocol } = this.stage
    outgoing.writeHead(step.status, { "content-type": "application/json", ...step.headers })
    outgoing.end(step.body ?? protocol.refusal(step.status, `scripted status ${step.status}`))
    return "over"
  }

  #headers(): void {
    const { outgoing, protocol } = this.stage
    if (outgoing.headersSent) return
    outgoing.writeHead(200, { ...protocol.headers, "request-id": `req_${this.stage.request.index}` })
    outgoing.flushHeaders()
  }

  #close(): "over" {
    this.stage.outgoing.end()
    return "over"
  }

  /** Frames leave together up to 4 kB a write, or cut into the scripted size; the client runs between writes. */
  async #write(frames: string[]): Promise<undefined> {
    this.#headers()
    for (const block of blocks(frames, this.#split)) {
      this.stage.signal.throwIfAborted()
      if (!this.stage.outgoing.write(block)) await abortable(drained(this.stage.outgoing), this.stage.signal)
      await turn()
    }
  }
}

function* blocks(frames: string[], split: number | undefined): Generator<Buffer> {
  if (split !== undefined) {
    const all = Buffer.from(frames.join(""))
    for (let at = 0; at < all.length; at += split) yield all.subarray(at, at + split)
    return
  }
  let text = ""
  for (const frame of frames) {
    if (text.length > 0 && text.length + frame.length > writeSize) {
      yield Buffer.from(text)
      text = ""
    }
    text += frame
  }
  if (text.length > 0) yield Buffer.from(text)
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const drained = (outgoing: ServerResponse): Promise<void> => new Promise((resolve) => outgoing.once("drain", resolve))
