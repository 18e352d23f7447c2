import { type Result, err, ok } from "@cairn/kernel/result"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { Deadline } from "@cairn/kernel/deadline"
import { abortable, TaskGroup } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"
import { createApp } from "./app.ts"
import { createEventHub, type EventHub } from "./event/hub.ts"
import { type Credentials, createAuthentication } from "./guard/authentication.ts"
import { bracketed, isLoopback } from "./guard/host.ts"
import { createTuiRelay, type TuiRelay } from "./tui-relay.ts"
import { createInstances, type Instances, type OpenEngine } from "./instances.ts"

export interface ServerOptions {
  /** A name or address of this machine. */
  readonly hostname: string
  /** 0: one that is free. */
  readonly port: number
  /** The directory of a call that names none. */
  readonly directory: string
  readonly version: string
  /** Empty: nobody is asked. Only on loopback. */
  readonly credentials: Credentials
  /** Origins of pages that may use the server, beside its own. */
  readonly origins: readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly openEngine: OpenEngine
  readonly idleMs?: number
  /** How many clients may listen to events at once. */
  readonly mostStreams?: number
}

export interface RunningServer extends AsyncDisposable {
  readonly url: URL
  /** Whether a call needs the token or the password. */
  readonly secured: boolean
  readonly instances: Instances
  /** Takes no more calls, interrupts what runs and records its end, answers what waits, and closes. At most 5 s. */
  stop(): Promise<void>
}

/** How long a server may take to end. ms */
const stopMs = 4_000
/** Seconds without a byte after which a connection is closed, unless its operation is long. */
const idleSeconds = 30
/** Bodies are bounded by what each operation takes, so that a larger one gets an answer in JSON. Bytes. */
const largestBody = 2 ** 45

/** Starts a server, or says what has to be mended first. */
export function startServer(options: ServerOptions): Result<RunningServer, SetupError> {
  const { hostname, port, credentials, clock, log } = options
  const refused = refusal(options)
  if (refused) return err({ kind: "usage", message: refused })
  const instances = createInstances(options)
  const events = createEventHub(
    options.mostStreams === undefined
      ? { instances, clock, log }
      : { instances, clock, log, mostStreams: options.mostStreams },
  )
  const scope = new TaskGroup()
  const background = createBackground(instances, scope, log)
  const tui = createTuiRelay(clock)
  const authentication = createAuthentication(credentials, clock)
  const app = createApp({ ...options, instances, events, tui, background, authentication })
  let server: Bun.Server<undefined>
  try {
    server = Bun.serve({
      ...{ hostname, port, idleTimeout: idleSeconds, maxRequestBodySize: largestBody },
      fetch: (request, bun) =>
        app.fetch(request, {
          address: bun.requestIP(request)?.address ?? "",
          keepOpen: () => bun.timeout(request, 0),
          closeIn: (seconds) => bun.timeout(request, seconds),
        }),
    })
  } catch (error) {
    return err({ kind: "usage", message: cannotListen(hostname, port, error) })
  }
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= close({ server, instances, events, tui, scope, clock, log }))
  const secured = credentials.token !== undefined || credentials.password !== undefined
  return ok({ url: addressOf(hostname, server), secured, instances, stop, [Symbol.asyncDispose]: stop })
}

function refusal({ hostname, credentials }: ServerOptions): string | undefined {
  if (isLoopback(hostname)) return undefined
  if (credentials.password !== undefined) return undefined
  return `Serving ${hostname} would let others in: set CAIRN_SERVER_PASSWORD first, or bind to 127.0.0.1.`
}

function cannotListen(hostname: string, port: number, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `The server cannot listen on ${bracketed(hostname)}:${port}: ${why}`
}

function addressOf(hostname: string, server: Bun.Server<undefined>): URL {
  return new URL(`http://${bracketed(hostname)}:${server.port}`)
}

function createBackground(instances: Instances, scope: TaskGroup, log: Log) {
  return (directory: string, what: string, work: () => Promise<void>): void => {
    void scope.run(async () => {
      try {
        const lease = await instances.open(directory)
        using _ = lease.ok ? lease.value : undefined
        await work()
      } catch (error) {
        log.error(`${what} failed`, { directory, error })
      }
    })
  }
}

interface Closing {
  readonly server: Bun.Server<undefined>
  readonly instances: Instances
  readonly events: EventHub
  readonly tui: TuiRelay
  readonly scope: TaskGroup
  readonly clock: Clock
  readonly log: Log
}

/** The turns are closed first, so that those who wait for them still get their answers. */
async function close({ server, instances, events, tui, scope, clock, log }: Closing): Promise<void> {
  using deadline = new Deadline(clock, "stopping the server", stopMs)
  const orderly = async () => {
    // It resolves when what is under way has been answered to the last byte.
    const answered = server.stop(false)
    tui[Symbol.dispose]()
    await instances[Symbol.asyncDispose]()
    events[Symbol.dispose]()
    await scope.join()
    await answered
  }
  try {
    await abortable(orderly(), deadline.signal)
  } catch (error) {
    log.warn("the server did not end by itself", { error })
  } finally {
    await server.stop(true)
  }
}
