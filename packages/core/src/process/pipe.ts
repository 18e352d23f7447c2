import { closeSync } from "node:fs"
import { type Libc, lazyLibc } from "./libc.ts"

/** A pipe of the system, which a child can open by name (`> /dev/stderr`); the runtime's own "pipe" is a socket, which it cannot. */
export interface Pipe extends Disposable {
  /** Descriptor of the writing end, for `stdio`. The child has a copy of it. */
  readonly write: number
  /** The reading end, once. Nothing is read before it is asked for; ending, cancelling or dropping the stream closes it. */
  take(): ReadableStream<Uint8Array>
  /** Closes the writing end, without which the stream would not end, and the reading end unless it was taken. */
  [Symbol.dispose](): void
}

/** Undefined where this system cannot be asked for a pipe, or gives none. */
export type OpenPipe = () => Pipe | undefined

const closeOnExec = 0o2000000

/** Asks the C library, since the runtime has no call for it. It is loaded with the first pipe, which costs about a millisecond. */
export function createPipes(libc: () => Libc | undefined = lazyLibc()): OpenPipe {
  return () => {
    const pair = new Int32Array(2)
    // Elsewhere (macOS) there is none, but a socket can be opened by name too.
    if (libc()?.pipe2(pair, closeOnExec) !== 0) return undefined
    const [read = -1, write = -1] = pair
    let taken = false
    return {
      write,
      take() {
        taken = true
        return streamOf(read)
      },
      [Symbol.dispose]() {
        closeSync(write)
        if (!taken) closeSync(read)
      },
    }
  }
}

/** Owns the descriptor from here on. The runtime waits for bytes by polling a copy of it, so no thread is held. */
function streamOf(descriptor: number): ReadableStream<Uint8Array> {
  const reader = Bun.file(descriptor).stream().getReader()
  closeSync(descriptor)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await reader.read()
        if (step.done) controller.close()
        else controller.enqueue(step.value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
