import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { systemClock, type Clock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup, abortable } from "@cairn/kernel/task"
import { capture, follow, readBody } from "./capture.ts"
import { play } from "./play.ts"
import type { CapturedRequest, WireProtocol } from "./request.ts"
import type { Reply, Scenario, Step } from "./scenario.ts"
import { anthropicProtocol } from "./wire/anthropic.ts"
import { chatProtocol } from "./wire/chat.ts"
import { googleProtocol } from "./wire/google.ts"
import { responsesProtocol } from "./wire/responses.ts"
import type { Protocol } from "./wire/wire.ts"

const protocols: readonly Protocol[] = [chatProtocol, anthropicProtocol, responsesProtocol, googleProtocol]

/** A request that the scenario did not provide for. It was answered with an error status. */
export interface UnexpectedRequest {
  readonly method: string
  readonly path: string
  readonly reason: string
}

/** A scripted model behind real HTTP on 127.0.0.1. Disposing frees every waiting reply and closes every socket. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` without a path. */
  readonly url: string
  /** What a provider's `baseURL` is set to. */
  baseURL(protocol: WireProtocol): string
  /** Every model request so far, in order of arrival. */
  readonly requests: readonly CapturedRequest[]
  /** Resolves with request `index` as soon as it has arrived. */
  received(index: number): Promise<CapturedRequest>
  /** Requests beyond the script, to unknown paths, that the real service refuses, or whose scenario function threw. A good test ends with none. */
  readonly unexpected: readonly UnexpectedRequest[]
}

export interface ServerOptions {
  /** Times `delay` steps. Default: the system's. */
  readonly clock?: Clock
  /** Takes histories that the real service refuses with 400, such as a call without its result. */
  readonly lenient?: boolean
}

/** Starts a server that answers by the scenario, in the order in which requests come. */
export async function startModelServer(scenario: Scenario, options: ServerOptions = {}): Promise<ModelServer> {
  const state = new Script(scenario, options)
  const http = createServer((incoming, outgoing) => state.accept(incoming, outgoing))
  Object.assign(http, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, timeout: 0 })
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject)
    http.listen(0, "127.0.0.1", resolve)
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    url,
    baseURL: (protocol) => url + protocolNamed(protocol).base,
    requests: state.requests,
    unexpected: state.unexpected,
    received: (index) => state.received(index),
    async [Symbol.asyncDispose]() {
      const closed = close(http)
      await state[Symbol.asyncDispose]()
      http.closeAllConnections()
      await closed
    },
  }
}

class Script implements AsyncDisposable {
  readonly requests: CapturedRequest[] = []
  readonly unexpected: UnexpectedRequest[] = []
  readonly #group = new TaskGroup()
  readonly #arrivals: PromiseWithResolvers<CapturedRequest>[] = []

  constructor(
    private readonly scenario: Scenario,
    private readonly options: ServerOptions,
  ) {}

  accept(incoming: IncomingMessage, outgoing: ServerResponse): void {
    incoming.socket.setNoDelay(true)
    if (this.#group.signal.aborted) return void incoming.socket.destroy()
    void this.#group.run(async (signal) => {
      try {
        await this.#serve(incoming, outgoing, signal)
      } catch (error) {
        outgoing.destroy()
        if (!(error instanceof Interrupted)) this.#miss(incoming, `the scripted server failed: ${String(error)}`)
      }
    })
  }

  received(index: number): Promise<CapturedRequest> {
    const present = this.requests[index]
    return present === undefined
      ? (this.#arrivals[index] ??= Promise.withResolvers()).promise
      : Promise.resolve(present)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#group[Symbol.asyncDispose]()
  }

  /** Answers one request; ends when the answer is complete, the client has left, or the server stops. */
  async #serve(incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
    await using scope = new TaskGroup(signal)
    const connection = follow(outgoing, scope, signal)
    const text = await abortable(readBody(incoming), scope.signal)
    const path = new URL(incoming.url ?? "/", "http://127.0.0.1").pathname
    const protocol = protocols.find((candidate) => candidate.route.test(path))
    if (protocol === undefined || incoming.method !== "POST") {
      this.#miss(incoming, "no protocol answers this path")
      return refuse(outgoing, 404, JSON.stringify({ error: { message: `no route ${incoming.method} ${path}` } }))
    }
    const request = capture(incoming, path, text, protocol, this.requests.length, connection)
    const steps = this.#reply(request)
    this.requests.push(request)
    this.#arrivals[request.index]?.resolve(request)
    const fault = this.options.lenient ? undefined : protocol.check(request.body)
    if (fault !== undefined) {
      await steps.catch(() => undefined)
      this.#miss(incoming, fault)
      return refuse(outgoing, 400, protocol.refusal(400, fault))
    }
    try {
      const { cut } = connection
      await play(await steps, {
        request,
        protocol,
        outgoing,
        cut,
        clock: this.options.clock ?? systemClock,
        signal: scope.signal,
      })
    } catch (error) {
      if (scope.signal.aborted) return void outgoing.destroy()
      const message = error instanceof Error ? error.message : String(error)
      this.#miss(incoming, message)
      refuse(outgoing, 500, protocol.refusal(500, message))
    }
  }

  async #reply(request: CapturedRequest): Promise<readonly Step[]> {
    if (typeof this.scenario === "function") return asSteps(await this.scenario(request, request.index))
    const entry = this.scenario[request.index]
    if (entry === undefined) {
      throw new Error(`the scenario has ${this.scenario.length} replies, this is request ${request.index + 1}`)
    }
    return asSteps(typeof entry === "function" ? entry(request) : entry)
  }

  #miss(incoming: IncomingMessage, reason: string): void {
    this.unexpected.push({ method: incoming.method ?? "", path: incoming.url ?? "", reason })
  }
}

const asSteps = (reply: Reply): readonly Step[] => ("type" in reply ? [reply] : reply)

function refuse(outgoing: ServerResponse, status: number, body: string): void {
  if (outgoing.headersSent) return void outgoing.destroy()
  outgoing.writeHead(status, { "content-type": "application/json" })
  outgoing.end(body)
}

function protocolNamed(name: WireProtocol): Protocol {
  const protocol = protocols.find((candidate) => candidate.name === name)
  if (protocol === undefined) throw new Error(`the scripted server does not speak ${name}`)
  return protocol
}

const close = (http: Server): Promise<void> => new Promise((resolve) => http.close(() => resolve()))
