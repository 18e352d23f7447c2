import { answerLine, overlongAnswer } from "@cairn/core/probe/probe"
import type { Clock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup, until } from "@cairn/kernel/task"
import { exitOf } from "../exit-code.ts"
import type { Interruption, Io } from "../io.ts"
import { setupError } from "../report-error.ts"
import { byteLines } from "./byte-lines.ts"

/** A longer line is answered by an error and not kept. */
const longestLine = 128 * 1024 * 1024
const longestBreathMs = 16

/** Answers stdin line by line until it ends. Exits 0 whatever the answers are; an interruption ends it between two lines. */
export async function answerLines(io: Io): Promise<number> {
  if (io.stdin.kind === "directory")
    return setupError(io, { kind: "usage", message: "stdin is a directory, not lines" })
  if (io.stdin.kind === "none") return 0
  await using group = new TaskGroup()
  let interruption: Interruption | undefined
  const unlisten = io.interruptions((which) => {
    interruption ??= which
    group.cancel(new Interrupted())
  })
  const breathe = breather(io.clock)
  try {
    for await (const lines of byteLines(until(breathing(io.stdin.chunks(), breathe), group.signal), longestLine)) {
      for (const line of lines) {
        await breathe()
        group.signal.throwIfAborted()
        io.stdout.write(`${line ? await answerLine(line, io.home) : overlongAnswer(longestLine)}\n`)
      }
      // A reader that is slower than we are holds us back.
      await io.stdout.flush()
    }
    return 0
  } catch (error) {
    if (interruption === undefined) throw error
    return exitOf({ kind: "interrupted", interruption }).code
  } finally {
    unlisten()
  }
}

/** A file is always ready and an answer waits for nothing: without a pause now and then no signal would ever be heard. */
function breather(clock: Clock): () => Promise<void> {
  let last = clock.monotonic()
  return async () => {
    if (clock.monotonic() - last < longestBreathMs) return
    await new Promise<void>((resolve) => setImmediate(resolve))
    last = clock.monotonic()
  }
}

async function* breathing(chunks: AsyncIterable<Uint8Array>, breathe: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await breathe()
    yield chunk
  }
}
