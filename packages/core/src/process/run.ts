import type { Clock } from "@cairn/kernel/clock"
import { ok, type Result } from "@cairn/kernel/result"
import { onAbort, TaskGroup } from "@cairn/kernel/task"
import { Capture } from "./capture.ts"
import type { Child, Command, SpawnFailure } from "./child.ts"
import { drain, Stopped, waitFor } from "./wait.ts"

export interface RunInput extends Command {
  /** Interruption ends the command and all it started, then `run` rejects with the reason. */
  readonly signal: AbortSignal
  readonly timeoutMs?: number
  /** Bytes kept of each stream (head and tail); 1 MiB when left out. */
  readonly maxBytes?: number
  /** Every chunk as it comes. A promise holds the child back until it settles; "stop" ends the child (`stopped`). */
  readonly onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void | "stop" | Promise<void | "stop">
}

export interface ProcessResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Output was longer than `maxBytes`; the texts say where and how much is missing. */
  readonly truncated: boolean
  readonly timedOut: boolean
  /** `onOutput` asked for the end. */
  readonly stopped: boolean
  /** It ended and left processes behind, which were ended then. */
  readonly leftovers: boolean
  readonly durationMs: number
}

const keptBytes = 1_048_576

/**
 *     spawn ──► leader runs ──► leader exits ──► output closes ──► nobody left ──► result
 *                   │                └─ open after drainMs, or somebody left ─► end the rest ─┘
 *                   └─ timeout, "stop", interruption ─► SIGTERM, graceMs, SIGKILL ────────────┘
 */
export async function runToEnd(
  spawn: (input: RunInput) => Result<Child, SpawnFailure>,
  input: RunInput,
  { clock, drainMs }: { readonly clock: Clock; readonly drainMs: number },
): Promise<Result<ProcessResult, SpawnFailure>> {
  input.signal.throwIfAborted()
  const begun = clock.monotonic()
  const spawned = spawn(input)
  if (!spawned.ok) return spawned
  await using child = spawned.value
  const kept = { stdout: new Capture(input.maxBytes ?? keptBytes), stderr: new Capture(input.maxBytes ?? keptBytes) }

  // Not a child of the signal: output is read until the process is dead, or a full pipe would keep it from dying.
  await using readers = new TaskGroup()
  using scope = new Stopped(clock, input.timeoutMs ?? Number.POSITIVE_INFINITY, input.signal)
  const activity = { chunks: 0, busy: 0 }
  const read = (stream: "stdout" | "stderr") =>
    readers.run((signal) =>
      drain(child[stream], signal, async (chunk) => {
        activity.chunks++
        activity.busy++
        kept[stream].push(chunk)
        if ((await input.onOutput?.(chunk, stream)) === "stop") scope.stop()
        activity.busy--
      }),
    )
  const closed = Promise.allSettled([read("stdout"), read("stderr")])
  const unlink = onAbort(readers.signal, () => scope.stop())
  const how = await scope.wait(child.exited)
  unlink()

  // What still holds the output, or works in the background, must not outlive the call. A daemon that made a session
  // of its own is let go, unless the call is cut short while it is still below the command.
  const drained = how === "exited" && (await waitFor(closed, clock, drainMs))
  const leftovers = how === "exited" && !(await child.alone(drained ? 10 : 0))
  await child.end()
  await settle(closed, activity, clock, drainMs)
  readers.cancel()
  await readers.join()
  input.signal.throwIfAborted()
  const exit = await child.exited
  return ok({
    ...exit,
    stdout: kept.stdout.text(),
    stderr: kept.stderr.text(),
    truncated: kept.stdout.omitted + kept.stderr.omitted > 0,
    timedOut: how === "timeout",
    stopped: how === "stopped",
    leftovers,
    durationMs: clock.monotonic() - begun,
  })
}

/**
 * Waits for the end of the output. Only silence makes it give up (a daemon holds the other end): what a command wrote is
 * read however slow the reader or the machine is. A daemon that goes on writing is not listened to for ever.
 */
async function settle(
  closed: Promise<unknown>,
  activity: { readonly chunks: number; readonly busy: number },
  clock: Clock,
  drainMs: number,
): Promise<void> {
  for (let round = 0, seen = -1; !(await waitFor(closed, clock, drainMs)); round++) {
    const silent = activity.busy === 0 && (activity.chunks === seen || round >= 20)
    if (silent) return
    seen = activity.chunks
  }
}
