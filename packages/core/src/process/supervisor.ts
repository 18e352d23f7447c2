import { basename } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { ok, type Result } from "@cairn/kernel/result"
import { noSpan, type Span } from "@cairn/kernel/span"
import { type Child, type SpawnFailure, type SpawnInput, start } from "./child.ts"
import type { Environment } from "./environment.ts"
import { firstProcess } from "./first-process.ts"
import { endGroup, leftAlone } from "./group.ts"
import { lazyLibc } from "./libc.ts"
import { createPipes, type OpenPipe } from "./pipe.ts"
import { type ProcessResult, type RunInput, runToEnd } from "./run.ts"
import { createVacancy, type Vacant } from "./vacancy.ts"
import { createWatchdog } from "./watchdog.ts"

/** The one way to start a process. Disposing ends every child that still runs. */
export interface Supervisor extends AsyncDisposable {
  /** What children get unless a command names its own. */
  readonly env: Environment
  /** Runs a command to its end; `Child` and `RunInput` say what interruption does. */
  run(input: RunInput): Promise<Result<ProcessResult, SpawnFailure>>
  /** Starts a long-lived child; `open: true` leaves its standard input open to write to. */
  spawn(command: SpawnInput): Result<Child, SpawnFailure>
}

export interface SupervisorOptions {
  readonly clock: Clock
  readonly log: Log
  /** Asked for when the first child starts. */
  readonly env: Environment
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number
  /** How long a finished command's output may stay open before what holds it is ended. */
  readonly drainMs?: number
  /** What children write into. */
  readonly openPipe?: OpenPipe
  /** How a finished command's session is known to be empty without a look at every process. */
  readonly vacant?: Vacant
}

/** Every child leads a session of its own, so that its end reaches all it started. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock, log, graceMs = 2_000, drainMs = 100 } = options
  const libc = lazyLibc()
  const { openPipe = createPipes(libc), vacant = createVacancy(libc) } = options
  const watchdog = createWatchdog(log)
  const running = new Set<Child>()

  const spawn: Supervisor["spawn"] = (command) => {
    const span = processSpan(command)
    const started = start(command, command.env ?? options.env, openPipe)
    if (!started.ok) {
      span.fail(started.error.kind)
      span.end()
      return started
    }
    const { process, stdout, stderr, told } = started.value
    const leader = process.pid
    watchdog.add(leader)
    let ending: Promise<void> | undefined
    let first: Promise<number | undefined> | undefined
    let empty = false
    // Found empty, a session stays so: only its members could put somebody into it. To look again could only find
    // strangers, since the number is free.
    const alone = async (withinMs: number) => {
      const over = process.exitCode !== null || process.signalCode !== null
      if (empty || !over) return empty
      first ??= told ? firstProcess(told, clock) : Promise.resolve(undefined)
      if (await leftAlone(leader, clock, withinMs, vacant, await first)) empty = true
      return empty
    }
    const finish = async () => {
      if (!(await alone(0)) && !(await endGroup(leader, clock, graceMs)))
        log.warn("processes survived SIGKILL", { leader, program: command.argv[0] })
      watchdog.remove(leader)
      running.delete(child)
      // How it ended is not known yet when it was we who ended it.
      span.fail("killed")
      span.end()
    }
    const child: Child = {
      pid: leader,
      stdin: command.open ? (process.stdin as Bun.FileSink) : null,
      stdout,
      stderr,
      exited: process.exited.then(() => {
        const signal = process.signalCode
        span.set({ "process.pid": leader, "process.exit.code": process.exitCode ?? undefined })
        if (signal) span.fail(String(signal))
        span.end()
        return signal ? { exitCode: null, signal: String(signal) } : { exitCode: process.exitCode, signal: null }
      }),
      alone,
      end: () => (ending ??= finish()),
      [Symbol.asyncDispose]: () => child.end(),
    }
    running.add(child)
    return ok(child)
  }

  return {
    get env() {
      return options.env
    },
    run: (input) => runToEnd(spawn, input, { clock, drainMs }),
    spawn,
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((child) => child.end()))
      watchdog[Symbol.dispose]()
    },
  }
}

/** Which program runs, by its name alone: never where it lies, what it is given, or what it says. */
function processSpan({ span = noSpan, argv: [program = ""] }: SpawnInput): Span {
  if (span === noSpan) return noSpan
  const name = basename(program)
  return span.span(`spawn ${name}`, { "cairn.kind": "spawn", "process.executable.name": name })
}
