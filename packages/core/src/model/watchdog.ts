import type { Clock } from "@cairn/kernel/clock"
import { onAbort, type TaskGroup } from "@cairn/kernel/task"
import type { Fetch, Net } from "../net/net.ts"
import { CallFailure } from "./call-failure.ts"
import type { ModelTimeouts } from "./define.ts"
import type { StreamEnd } from "./stream-end.ts"
import { createStreamStart } from "./stream-start.ts"

export interface WatchOptions {
  readonly clock: Clock
  readonly timeouts: ModelTimeouts
  /** The call's scope: cancelled with the failure when a watchdog bites. */
  readonly group: TaskGroup
  readonly probe: Net["probe"]
  /** Ends an answer where its protocol does; asked for one with each request. */
  streamEnd?(): StreamEnd | undefined
}

/** What may still come behind the content of an answer comes within this. Ms. */
const linger = 5_000

/**
 * A `fetch` under the watchdogs of one call:
 *
 *     sent ──► connect ms without headers ──► one TCP probe: fails → give up, else wait on
 *     sent ──► firstByte ms without a byte of the body → give up
 *     first bytes ──► no events (a web page, an error object, nothing) → give up
 *     byte ──► silence ms without the next one, while somebody waits for it → give up
 *     end of the content ──► a while without the end of the stream → the answer is whole
 *
 * Giving up cancels the group, which aborts the request whatever signal the package passed.
 */
export function watchedFetch(send: Fetch, { clock, timeouts, group, probe, streamEnd }: WatchOptions): Fetch {
  const running = new Set<() => void>()
  const after = (ms: number | false, fire: () => void) => {
    if (ms === false || group.signal.aborted) return () => {}
    const cancel = clock.timer(ms, fire)
    running.add(cancel)
    return () => {
      running.delete(cancel)
      cancel()
    }
  }
  // A request may ignore its signal and never settle; its timers must not outlive the call.
  onAbort(group.signal, () => running.forEach((cancel) => cancel()))

  const call = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input)
    const { host } = new URL(url)
    const give = (code: CallFailure["code"], text: string) => group.cancel(new CallFailure(code, `${host} ${text}`))
    const stopConnect = after(timeouts.connect, () => {
      void group.run(async (signal) => {
        const result = await probe(url, signal)
        if (!result.ok) group.cancel(result.error)
      })
    })
    const stopFirst = after(timeouts.firstByte, () =>
      give("timeout_first_byte", `sent nothing within ${seconds(timeouts.firstByte)}`),
    )
    try {
      const response = await send(input, { ...init, signal: group.signal })
      stopConnect()
      if (response.ok && response.headers.get("content-type")?.startsWith("text/html"))
        throw new CallFailure("web_page", `${host} answered with a web page`)
      if (response.ok && !response.body)
        throw new CallFailure("no_events", `${host} answered with HTTP ${response.status} and nothing more`)
      if (!response.body) stopFirst()
      return watchBody(response, {
        stopFirst,
        startSilence: () =>
          after(timeouts.silence, () => give("timeout_silence", `went silent for ${seconds(timeouts.silence)}`)),
        startLinger: (stop) => after(linger, () => void group.run(stop)),
        host,
        giveUp: (failure) => group.cancel(failure),
        interrupted: () => group.signal.aborted,
        end: response.ok ? streamEnd?.() : undefined,
      })
    } catch (error) {
      stopConnect()
      stopFirst()
      throw error
    }
  }
  return Object.assign(call, { preconnect: () => {} })
}

interface BodyWatch {
  readonly host: string
  stopFirst(): void
  startSilence(): () => void
  startLinger(stop: () => Promise<void>): () => void
  giveUp(failure: CallFailure): void
  interrupted(): boolean
  readonly end: StreamEnd | undefined
}

/**
 * The silence timer runs only while a read waits, so that a slow reader is not taken for a silent provider. What is no
 * stream of events is given up, not passed on.
 */
function watchBody(response: Response, watch: BodyWatch): Response {
  const { host, stopFirst, startSilence, startLinger, giveUp, interrupted, end } = watch
  if (!response.body) return response
  const reader = response.body.getReader()
  const binary = response.headers.get("content-type")?.includes("amazon.eventstream") === true
  let start = response.ok && !binary ? createStreamStart(host, response.headers.get("content-type")) : undefined
  let first = true
  const read = async () => {
    const stopSilence = first ? () => {} : end?.closed ? startLinger(() => reader.cancel()) : startSilence()
    try {
      return await reader.read()
    } catch (error) {
      // The answer is whole, whatever becomes of the connection.
      if (!end?.closed || interrupted()) throw error
      return { done: true as const, value: undefined }
    } finally {
      stopSilence()
      stopFirst()
      first = false
    }
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (true) {
          const { done, value } = await read()
          const begun = start?.(done ? undefined : value) ?? { kind: "begun" as const }
          if (begun.kind === "failure") {
            giveUp(begun.failure)
            return controller.error(begun.failure)
          }
          if (begun.kind === "unclear") continue
          start = undefined
          const bytes = begun.kind === "events" ? begun.bytes : value
          const kept = bytes && end ? end.take(bytes) : bytes
          if (kept && kept.byteLength > 0) controller.enqueue(kept)
          if (!done && kept?.byteLength === 0) continue
          const rest = done ? end?.rest() : undefined
          if (rest && rest.byteLength > 0) controller.enqueue(rest)
          if (done) controller.close()
          return
        }
      },
      cancel(reason) {
        stopFirst()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

function seconds(ms: number | false): string {
  return `${Math.round(Number(ms) / 1000)} s`
}
