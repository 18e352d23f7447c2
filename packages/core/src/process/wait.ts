import type { Clock } from "@cairn/kernel/clock"
import { Deadline, DeadlineExceeded } from "@cairn/kernel/deadline"
import { abortable, TaskGroup, until } from "@cairn/kernel/task"

/** How the wait for a process ended. */
export type Ending = "exited" | "timeout" | "stopped" | "interrupted"

/** The three reasons not to wait for a process any longer: its time is over, its reader has enough, the turn was interrupted. */
export class Stopped implements Disposable {
  readonly #deadline: Deadline
  readonly #scope: TaskGroup

  constructor(
    clock: Clock,
    timeoutMs: number,
    readonly signal: AbortSignal,
  ) {
    this.#deadline = new Deadline(clock, "the command", timeoutMs, signal)
    this.#scope = new TaskGroup(this.#deadline.signal)
  }

  stop(): void {
    this.#scope.cancel()
  }

  /** Waits for `exited`, which never rejects, or for the first of the reasons. */
  async wait(exited: Promise<unknown>): Promise<Ending> {
    try {
      await abortable(exited, this.#scope.signal)
      return "exited"
    } catch {
      if (this.signal.aborted) return "interrupted"
      return this.#scope.signal.reason instanceof DeadlineExceeded ? "timeout" : "stopped"
    }
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]()
  }
}

/** Gives each chunk to `take`, one after the other, until the stream ends or the signal aborts; an aborted stream is closed. */
export async function drain(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const chunk of until(stream, signal)) await take(chunk)
}

/** True when `promise`, which never rejects, resolved within `ms`. */
export async function waitFor(promise: Promise<unknown>, clock: Clock, ms: number): Promise<boolean> {
  using deadline = new Deadline(clock, "the wait", ms)
  // Awaited here: the deadline must not be disposed before it can fire.
  return await abortable(promise, deadline.signal).then(
    () => true,
    () => false,
  )
}
