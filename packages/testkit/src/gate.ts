/** A door that a test opens once. Replaces sleeps: the scripted server waits at it, the test decides when it goes on. */
export interface Gate {
  /** Resolves when the gate opens; never rejects. */
  readonly opened: Promise<void>
  readonly isOpen: boolean
  /** Idempotent. */
  open(): void
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOpen = false
  return {
    opened: promise,
    get isOpen() {
      return isOpen
    },
    open() {
      isOpen = true
      resolve()
    },
  }
}
