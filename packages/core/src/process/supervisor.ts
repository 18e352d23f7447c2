import { statSync } from "node:fs"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { err, ok, type Result } from "@cairn/kernel/result"
import { onAbort, TaskGroup } from "@cairn/kernel/task"
import { Capture } from "./capture.ts"
import type { Environment } from "./environment.ts"
import { endGroup, leftAlone, members } from "./group.ts"
import { createWatchdog } from "./watchdog.ts"
import { drain, Stopped, waitFor } from "./wait.ts"

export interface Command {
  /** The program, looked up in `env.PATH`, and its arguments. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; the supervisor's when left out. */
  readonly env?: Environment
  /** Nothing (/dev/null) when left out. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>
}

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

/** Why there is no process. */
export interface SpawnFailure {
  readonly kind: "missing" | "denied" | "too_long" | "cwd" | "invalid" | "io"
  readonly message: string
}

/** A long-lived child. Leaving its scope ends it and all it started. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  /** Null unless it was asked to stay open. */
  readonly stdin: Bun.FileSink | null
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  /** Never rejects. */
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>
  /** SIGTERM, then SIGKILL, to the child and all it started; resolves when they are gone. Idempotent. */
  end(): Promise<void>
}

/** The one way to start a process. Disposing ends every child that still runs. */
export interface Supervisor extends AsyncDisposable {
  /** What children get unless a command names its own. */
  readonly env: Environment
  run(input: RunInput): Promise<Result<ProcessResult, SpawnFailure>>
  /** Starts a long-lived child; `open: true` leaves its standard input open to write to. */
  spawn(command: Command & { readonly open?: boolean }): Result<Child, SpawnFailure>
}

export interface SupervisorOptions {
  readonly clock: Clock
  readonly log: Log
  readonly env: Environment
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number
  /** How long a finished command's output may stay open before what holds it is ended. */
  readonly drainMs?: number
}

const keptBytes = 1_048_576

/**
 *     spawn ──► leader runs ──► leader exits ──► output closes ──► nobody left ──► result
 *                   │                └─ open after drainMs, or somebody left ─► end the rest ─┘
 *                   └─ timeout, "stop", interruption ─► SIGTERM, graceMs, SIGKILL ────────────┘
 * Every child leads its own session, so that one signal reaches all it starts.
 */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock, log, env, graceMs = 2_000, drainMs = 100 } = options
  const watchdog = createWatchdog(log)
  const running = new Set<Child>()

  const spawn: Supervisor["spawn"] = (command) => {
    const started = start(command, env)
    if (!started.ok) return started
    const process = started.value
    const leader = process.pid
    watchdog.add(leader)
    let ending: Promise<void> | undefined
    const finish = async () => {
      const over = process.exitCode !== null || process.signalCode !== null
      const quiet = over && members(leader, false).length === 0
      if (!quiet && !(await endGroup(leader, clock, graceMs)))
        log.warn("processes survived SIGKILL", { leader, program: command.argv[0] })
      watchdog.remove(leader)
      running.delete(child)
    }
    const child: Child = {
      pid: leader,
      stdin: command.open ? (process.stdin as Bun.FileSink) : null,
      stdout: process.stdout as ReadableStream<Uint8Array>,
      stderr: process.stderr as ReadableStream<Uint8Array>,
      exited: process.exited.then(() => {
        const signal = process.signalCode
        return signal ? { exitCode: null, signal: String(signal) } : { exitCode: process.exitCode, signal: null }
      }),
      end: () => (ending ??= finish()),
      [Symbol.asyncDispose]: () => child.end(),
    }
    running.add(child)
    return ok(child)
  }

  const run: Supervisor["run"] = async (input) => {
    input.signal.throwIfAborted()
    const begun = clock.monotonic()
    const spawned = spawn(input)
    if (!spawned.ok) return spawned
    await using child = spawned.value
    const kept = { stdout: new Capture(input.maxBytes ?? keptBytes), stderr: new Capture(input.maxBytes ?? keptBytes) }

    // Not a child of the signal: output is read until the process is dead, or a full pipe would keep it from dying.
    await using readers = new TaskGroup()
    using scope = new Stopped(clock, input.timeoutMs ?? Number.POSITIVE_INFINITY, input.signal)
    const read = (stream: "stdout" | "stderr") =>
      readers.run((signal) =>
        drain(child[stream], signal, async (chunk) => {
          kept[stream].push(chunk)
          if ((await input.onOutput?.(chunk, stream)) === "stop") scope.stop()
        }),
      )
    const closed = Promise.allSettled([read("stdout"), read("stderr")])
    const unlink = onAbort(readers.signal, () => scope.stop())
    const how = await scope.wait(child.exited)
    unlink()

    // What still holds the output, or works in the background, must not outlive the call. A daemon that made a session
    // of its own is let go, unless the call is cut short while it is still below the command.
    const drained = how === "exited" && (await waitFor(closed, clock, drainMs))
    const leftovers = how === "exited" && !(await leftAlone(child.pid, clock, drained ? 10 : 0))
    await child.end()
    if (!(await waitFor(closed, clock, drainMs))) readers.cancel()
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

  return {
    env,
    run,
    spawn,
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((child) => child.end()))
      watchdog[Symbol.dispose]()
    },
  }
}

function start(command: Parameters<Supervisor["spawn"]>[0], env: Environment): Result<Bun.Subprocess, SpawnFailure> {
  const [program, ...args] = command.argv
  if (program === undefined || program === "") return err({ kind: "invalid", message: "no program was named" })
  const { stdin } = command
  try {
    return ok(
      Bun.spawn([program, ...args], {
        cwd: command.cwd,
        env: command.env ?? env,
        stdin: command.open ? "pipe" : stdin === undefined ? "ignore" : new Blob([stdin]),
        stdout: "pipe",
        stderr: "pipe",
        detached: true,
      }),
    )
  } catch (error) {
    return err(failure(error, program, command.cwd))
  }
}

function failure(error: unknown, program: string, cwd: string): SpawnFailure {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  const directory = statSync(cwd, { throwIfNoEntry: false })
  if (!directory?.isDirectory()) return { kind: "cwd", message: `${cwd} is not a directory` }
  if (code === "ENOENT") return { kind: "missing", message: `${program}: there is no such program` }
  if (code === "EACCES" || code === "EPERM")
    return { kind: "denied", message: `${program}: it may not be executed in ${cwd}` }
  if (code === "E2BIG")
    return { kind: "too_long", message: `${program}: its arguments and environment are longer than the system allows` }
  if (code === "ERR_INVALID_ARG_VALUE")
    return { kind: "invalid", message: `${program}: an argument holds a NUL character` }
  return { kind: "io", message: `${program}: ${error instanceof Error ? error.message : String(error)}` }
}
