/**
 * What a listener can wait for. `sessions`: which there are, and their order; `transcript`: which messages there are, in
 * what order, and which are held; `message`: its own fields, and which parts it has; `part`: anything of it.
 */
export type Topic =
  | "connection"
  | "sessions"
  | "asks"
  | `${"session" | "transcript" | "status" | "todos" | "inbox"}:${string}`
  | `${"message" | "part"}:${string}`

/** Calls `flush` once, later: in a microtask, with the next frame. */
export type Schedule = (flush: () => void) => void

/** Gathers what changed and tells it once a batch, only to those who asked for it. */
export interface Notifier {
  touch(topic: Topic): void
  /** Returns how to stop, which takes effect at once. */
  subscribe(topic: Topic, listener: () => void): () => void
  /** Listeners that wait. */
  readonly size: number
  /** Nobody is told anything from now on. */
  close(): void
}

export function createNotifier(schedule: Schedule): Notifier {
  const listeners = new Map<Topic, Set<{ readonly call: () => void }>>()
  let touched = new Set<Topic>()
  let closed = false

  const flush = () => {
    const topics = touched
    touched = new Set()
    let failure: { error: unknown } | undefined
    for (const topic of topics) {
      for (const listener of [...(listeners.get(topic) ?? [])]) {
        if (!listeners.get(topic)?.has(listener)) continue
        try {
          listener.call()
        } catch (error) {
          failure ??= { error }
        }
      }
    }
    if (failure) throw failure.error
  }
  return {
    touch(topic) {
      if (closed || !listeners.has(topic)) return
      if (touched.size === 0) schedule(flush)
      touched.add(topic)
    },
    subscribe(topic, call) {
      const listener = { call }
      const own = listeners.get(topic) ?? new Set()
      listeners.set(topic, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0 && listeners.get(topic) === own) listeners.delete(topic)
      }
    },
    get size() {
      let size = 0
      for (const own of listeners.values()) size += own.size
      return size
    },
    close() {
      closed = true
      listeners.clear()
    },
  }
}
