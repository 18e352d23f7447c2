import type { Clock } from "./clock.ts"
import { onAbort } from "./task.ts"

/** The reason of a signal that ran out of time. `ms` is the limit that passed. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded"
  constructor(
    readonly what: string,
    readonly ms: number,
  ) {
    super(`${what} took longer than ${ms} ms`)
  }
}

/**
 * A signal that aborts with `DeadlineExceeded` after `ms`, or with the parent's reason before that.
 * `extend` starts the time anew (an idle watchdog), with another length if one is given. Disposing
 * stops the timer and lets the parent go; the signal then never aborts.
 */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #unlink: () => void
  #cancel: () => void = () => {}
  #disposed = false

  constructor(
    readonly clock: Clock,
    readonly what: string,
    private ms: number,
    parent?: AbortSignal,
  ) {
    this.#unlink = parent ? onAbort(parent, () => this.#abort(parent.reason)) : () => {}
    this.extend()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  extend(ms: number = this.ms): void {
    if (this.#disposed || this.signal.aborted) return
    this.ms = ms
    this.#cancel()
    this.#cancel = Number.isFinite(ms)
      ? this.clock.timer(ms, () => this.#abort(new DeadlineExceeded(this.what, ms)))
      : () => {}
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    this.#cancel()
    this.#unlink()
  }

  #abort(reason: unknown): void {
    this.#cancel()
    if (!this.#disposed) this.#controller.abort(reason)
  }
}
