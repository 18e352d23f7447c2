import type { Clock } from "@cairn/kernel/clock"
import { Deadline, DeadlineExceeded } from "@cairn/kernel/deadline"
import { err, ok, type Result } from "@cairn/kernel/result"
import { until } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"
import type { Stdin } from "../io.ts"

/** A pipe that sends nothing for so long is left alone, when there is a message to go on with; one that began is waited for. */
const silenceLimit = 3_000
/** More than this is refused: it fits no model. */
export const largestInput = 64 * 1024 * 1024

/**
 * Reads what stdin adds to a prompt. With a message: a file, or a pipe that closes; a pipe that sends nothing is left
 * alone. One that has begun is read to its end: half of a log would mislead. Without a message stdin is the prompt and is
 * waited for. All waiting is noted. A terminal is never read. Interruption rejects with the signal's reason.
 */
export async function readStdin(
  stdin: Stdin,
  options: { readonly message: boolean; readonly clock: Clock; readonly signal: AbortSignal; note(text: string): void },
): Promise<Result<string, SetupError>> {
  if (stdin.kind === "terminal" || stdin.kind === "none") return ok("")
  if (stdin.kind === "directory") return err({ kind: "usage", message: "stdin is a directory, not text" })
  const patient = !options.message || stdin.kind === "file"
  const chunks: Uint8Array[] = []
  let size = 0
  using silence = new Deadline(options.clock, "stdin", patient ? Infinity : silenceLimit, options.signal)
  let cancelNote = patient && stdin.kind === "pipe" ? noteLater(options, waitingForPrompt) : () => {}
  try {
    for await (const chunk of until(stdin.chunks(), silence.signal)) {
      cancelNote()
      silence.extend(Infinity)
      cancelNote = stdin.kind === "pipe" ? noteLater(options, waitingForEnd) : () => {}
      size += chunk.byteLength
      if (size > largestInput) return err(tooLarge())
      chunks.push(chunk)
    }
  } catch (error) {
    if (!(silence.signal.aborted && silence.signal.reason instanceof DeadlineExceeded)) throw error
    options.note(leftAlone)
  } finally {
    cancelNote()
  }
  return decode(chunks)
}

const leftAlone =
  "stdin is a pipe that sent nothing for 3 s: going on without it (redirect it from /dev/null to skip this)"

const waitingForPrompt = "no message given: waiting for the prompt on stdin"
const waitingForEnd = "stdin is a pipe that is still open: waiting for its end"

function noteLater(options: { readonly clock: Clock; note(text: string): void }, text: string): () => void {
  return options.clock.timer(silenceLimit, () => options.note(text))
}

function tooLarge(): SetupError {
  return { kind: "usage", message: `stdin is larger than ${largestInput / 1024 / 1024} MB: name the file with --file` }
}

function decode(chunks: readonly Uint8Array[]): Result<string, SetupError> {
  const bytes = Buffer.concat(chunks)
  if (bytes.includes(0)) return err({ kind: "usage", message: "stdin is not text: attach files with --file" })
  return ok(new TextDecoder().decode(bytes))
}
