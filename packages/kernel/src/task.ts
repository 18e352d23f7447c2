import { Interrupted } from "./interrupted.ts"

/** What a child of a group receives: the group's signal, aborted when the group is cancelled or a sibling failed. */
export type Work<T> = (signal: AbortSignal) => Promise<T>

/**
 * A scope for concurrent work. Children are joined before the scope ends, and the first failure
 * cancels the siblings. Interrupting the parent signal cancels every child.
 *
 *     await using group = new TaskGroup(parentSignal)
 *     const value = group.run(signal => work(signal))
 *     await group.join()
 *
 * Leaving the scope by `await using` cancels what still runs and waits for it.
 */
export class TaskGroup implements AsyncDisposable {
  readonly #controller = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #unlink: () => void
  #failure: { error: unknown } | undefined
  #closed = false

  constructor(parent?: AbortSignal) {
    this.#unlink = parent ? onAbort(parent, () => this.cancel(parent.reason)) : () => {}
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Number of children that have not settled. */
  get size(): number {
    return this.#running.size
  }

  /**
   * Starts a child and returns its result. A rejection of the child cancels the group and is thrown
   * again by `join`, so the returned promise may be dropped. Throws when the scope has ended.
   */
  run<T>(work: Work<T>): Promise<T> {
    if (this.#closed) throw new Error("TaskGroup.run: the scope has ended")
    const result = Promise.resolve().then(() => {
      this.signal.throwIfAborted()
      return work(this.signal)
    })
    const settled: Promise<void> = result.then(
      () => void this.#running.delete(settled),
      (error: unknown) => {
        this.#running.delete(settled)
        this.#fail(error)
      },
    )
    this.#running.add(settled)
    return result
  }

  /** Aborts every child. Idempotent; the first reason wins. Does not wait: `join` does. */
  cancel(reason: unknown = new Interrupted()): void {
    if (!this.signal.aborted) this.#controller.abort(reason)
  }

  /**
   * Waits until every child has settled, those started meanwhile included, then throws the first
   * failure. An interruption that came from outside is not a failure of the group: it does not throw.
   */
  async join(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
    if (this.#failure) throw this.#failure.error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.cancel()
    while (this.#running.size > 0) await Promise.all(this.#running)
    this.#unlink()
  }

  #fail(error: unknown): void {
    if (!(this.signal.aborted && isInterruption(error, this.signal.reason))) this.#failure ??= { error }
    this.cancel(error)
  }
}

/**
 * Settles as `promise` does, or rejects with the signal's reason as soon as the signal aborts. The
 * promise itself goes on; its late rejection is swallowed, since nobody can receive it any more.
 */
export function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(signal.reason))
    promise.then(
      (value) => {
        unlink()
        resolve(value)
      },
      (error: unknown) => {
        unlink()
        reject(error)
      },
    )
  })
}

/** What `until` reads from: anything iterable, or a stream (whose iterator could not be told to stop while it reads). */
export type Source<T> = AsyncIterable<T> | StreamSource<T>
interface StreamSource<T> {
  getReader(): {
    read(): Promise<{ done: boolean; value?: T | undefined }>
    cancel(reason?: unknown): Promise<void>
    releaseLock(): void
  }
}

/**
 * Iterates `source` until it ends or the signal aborts, then throws the signal's reason. A consumer that
 * stops early waits until the source has returned; after an abort the source is told to return but not
 * waited for, since it may hang. A stream is cancelled at once, also in the middle of a read.
 */
export async function* until<T>(source: Source<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const { next, stop } = "getReader" in source ? reading(source) : iterating(source)
  let ended = false
  // One listener for all steps: streams have tens of thousands of them.
  let giveUp = (_reason: unknown): void => {}
  const unlink = onAbort(signal, () => giveUp(signal.reason))
  try {
    while (true) {
      signal.throwIfAborted()
      const step = await new Promise<Awaited<ReturnType<typeof next>>>((resolve, reject) => {
        giveUp = reject
        next().then(resolve, (error: unknown) => {
          ended = !signal.aborted
          reject(error)
        })
      })
      if (step.done) {
        ended = true
        return
      }
      yield step.value as T
    }
  } finally {
    unlink()
    if (!ended) await abortable(stop(signal.reason), signal).catch(unlessAborted(signal))
  }
}

interface Steps<T> {
  next(): Promise<{ done?: boolean | undefined; value?: T | undefined | void }>
  /** Tells the source that nobody reads any more. */
  stop(reason: unknown): Promise<unknown>
}

function iterating<T>(source: AsyncIterable<T>): Steps<T> {
  const iterator = source[Symbol.asyncIterator]()
  return { next: () => iterator.next(), stop: async () => iterator.return?.() }
}

function reading<T>(source: StreamSource<T>): Steps<T> {
  const reader = source.getReader()
  return {
    async next() {
      const step = await reader.read()
      if (step.done) reader.releaseLock()
      return step
    },
    stop: (reason) => reader.cancel(reason),
  }
}

/** Drops an error that only says what the signal's own reason says already. */
const unlessAborted = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error
}

/** The group's own reason, an `Interrupted`, or what the platform throws for an aborted signal. */
function isInterruption(error: unknown, reason: unknown): boolean {
  if (error === reason || error instanceof Interrupted) return true
  return error instanceof Error && error.name === "AbortError"
}

/** Calls `run` once when the signal aborts (at once if it already has). Returns how to stop listening. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run()
    return () => {}
  }
  signal.addEventListener("abort", run, { once: true })
  return () => signal.removeEventListener("abort", run)
}
