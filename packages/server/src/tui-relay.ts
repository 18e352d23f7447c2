import type { Clock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { abortable } from "@cairn/kernel/task"
import type { TuiRequest } from "@cairn/schema/tui"

/** Calls that wait for a client to fetch them; the oldest give way. */
const most = 100
/** How long after its last question a client still counts as one that fetches. ms */
const memoryMs = 60_000

/** Hands calls of `/tui/…` to the clients of a directory that fetch them, each to one of them. */
export interface TuiRelay extends Disposable {
  /** Kept only where somebody fetches: a client that comes much later is not told of old times. */
  send(directory: string, request: TuiRequest): void
  /** Rejects when the client goes, and when the server stops. */
  next(directory: string, gone: AbortSignal): Promise<TuiRequest>
}

interface Line {
  readonly requests: TuiRequest[]
  readonly waiting: Set<PromiseWithResolvers<TuiRequest>>
  asked: number
}

export function createTuiRelay(clock: Pick<Clock, "monotonic">): TuiRelay {
  const lines = new Map<string, Line>()
  return {
    send(directory, request) {
      const line = lines.get(directory)
      if (!line) return
      const [first] = line.waiting
      if (first) {
        line.waiting.delete(first)
        first.resolve(request)
      } else if (clock.monotonic() - line.asked <= memoryMs) {
        line.requests.push(request)
        line.requests.splice(0, line.requests.length - most)
      } else lines.delete(directory)
    },
    async next(directory, gone) {
      const line = lines.get(directory) ?? { requests: [], waiting: new Set(), asked: 0 }
      lines.set(directory, line)
      line.asked = clock.monotonic()
      const waits = line.requests.shift()
      if (waits) return waits
      const answer = Promise.withResolvers<TuiRequest>()
      line.waiting.add(answer)
      try {
        return await abortable(answer.promise, gone)
      } finally {
        line.waiting.delete(answer)
        line.asked = clock.monotonic()
      }
    },
    [Symbol.dispose]() {
      for (const { waiting } of lines.values())
        for (const answer of waiting) answer.reject(new Interrupted("the server is stopping"))
    },
  }
}
