import type { Clock } from "@cairn/kernel/clock"
import { onAbort, type TaskGroup } from "@cairn/kernel/task"
import type { Fetch, Net } from "../net/net.ts"
import type { ModelTimeouts } from "./define.ts"

/** Why we gave a call up. `code` is what the classifier reads. */
export class CallFailure extends Error {
  override readonly name = "CallFailure"
  constructor(
    readonly code: "timeout_first_byte" | "timeout_silence" | "timeout_total" | "stream_cut" | "web_page",
    message: string,
  ) {
    super(message)
  }
}

export interface WatchOptions {
  readonly clock: Clock
  readonly timeouts: ModelTimeouts
  /** The call's scope: cancelled with the failure when a watchdog bites. */
  readonly group: TaskGroup
  readonly probe: Net["probe"]
}

/**
 * A `fetch` under the watchdogs of one call:
 *
 *     sent ──► connect ms without headers ──► one TCP probe: fails → give up, else wait on
 *     sent ──► firstByte ms without a byte of the body → give up
 *     byte ──► silence ms without the next one, while somebody waits for it → give up
 *
 * Giving up cancels the group, which aborts the request whatever signal the package passed.
 */
export function watchedFetch(send: Fetch, { clock, timeouts, group, probe }: WatchOptions): Fetch {
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
      if (!response.body) stopFirst()
      return watchBody(response, stopFirst, () =>
        after(timeouts.silence, () => give("timeout_silence", `went silent for ${seconds(timeouts.silence)}`)),
      )
    } catch (error) {
      stopConnect()
      stopFirst()
      throw error
    }
  }
  return Object.assign(call, { preconnect: () => {} })
}

/** The silence timer runs only while a read waits, so that a slow reader is not taken for a silent provider. */
function watchBody(response: Response, stopFirst: () => void, startSilence: () => () => void): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  let first = true
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const stopSilence = first ? () => {} : startSilence()
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } finally {
          stopSilence()
          stopFirst()
          first = false
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
