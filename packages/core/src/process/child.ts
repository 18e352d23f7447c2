import { existsSync, statSync } from "node:fs"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Span } from "@cairn/kernel/span"
import type { Environment } from "./environment.ts"
import type { OpenPipe } from "./pipe.ts"

export interface Command {
  /** The program, looked up in `env.PATH`, and its arguments. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; the supervisor's when left out. */
  readonly env?: Environment
  /** Nothing (/dev/null) when left out. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>
  /** Standard error goes where standard output goes: the order of the bytes is the order of writing. */
  readonly merged?: boolean
  /** What it is a part of. */
  readonly span?: Span
  /** The program makes a namespace of processes; with these arguments in front it tells descriptor 3 of the first one there. */
  readonly tells?: readonly string[]
}

export interface SpawnInput extends Command {
  /** Leaves standard input open to write to. */
  readonly open?: boolean
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
  /** True when it has ended and nobody is left of its session, at the latest after `withinMs`. That stays so, and `end` does not look again. */
  alone(withinMs: number): Promise<boolean>
  /** SIGTERM, then SIGKILL, to the child and all it started; resolves when they are gone. Idempotent. */
  end(): Promise<void>
}

/** A process that runs, and what it says. */
export interface Started {
  readonly process: Bun.Subprocess
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  /** What it tells of its namespace. */
  readonly told: ReadableStream<Uint8Array> | undefined
}

/** Starts the process of a command with this environment, as leader of a session of its own. `sh` joins its output where no pipe can. */
export function start(
  command: Omit<SpawnInput, "env">,
  env: Environment,
  openPipe: OpenPipe,
  sh = "/bin/sh",
): Result<Started, SpawnFailure> {
  const [program, ...args] = command.argv
  if (program === undefined || program === "") return err({ kind: "invalid", message: "no program was named" })
  const { stdin, merged = false, tells } = command
  using out = openPipe()
  using apart = out === undefined || merged ? undefined : openPipe()
  using telling = tells && out ? openPipe() : undefined
  const pipeless = merged && out === undefined
  const byShell = pipeless && existsSync(sh)
  const argv = [program, ...(telling && tells ? tells : []), ...args]
  try {
    const process = Bun.spawn(byShell ? mergedByShell(sh, argv) : argv, {
      cwd: command.cwd,
      env,
      stdio: [
        command.open ? "pipe" : stdin === undefined ? "ignore" : new Blob([stdin]),
        out?.write ?? "pipe",
        (merged ? out : apart)?.write ?? "pipe",
        ...(telling ? [telling.write] : []),
      ],
      detached: true,
    })
    const told = telling?.take()
    if (pipeless && !byShell)
      return ok({
        ...{ process, told, stderr: nothing() },
        stdout: mixed(runtimePipe(process.stdout), runtimePipe(process.stderr)),
      })
    return ok({
      ...{ process, told },
      stdout: out ? out.take() : runtimePipe(process.stdout),
      stderr: apart ? apart.take() : merged && out ? nothing() : runtimePipe(process.stderr),
    })
  } catch (error) {
    return err(failure(error, program, command.cwd))
  }
}

const runtimePipe = (stream: Bun.Subprocess["stdout"]) => stream as ReadableStream<Uint8Array>

const nothing = () => new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })

/** Without a pipe that both could share, a shell joins them and becomes the program. */
const mergedByShell = (sh: string, argv: readonly string[]) => [sh, "-c", 'exec "$@" 2>&1', "sh", ...argv]

/** Without a shell either: what both say as it comes, in the order of each. */
function mixed(...streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const pump = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) await writer.write(chunk)
  }
  // A reader that is gone makes writing fail: both streams are let go by the loops that end.
  void Promise.all(streams.map(pump)).then(
    () => writer.close().catch(() => undefined),
    (error: unknown) => writer.abort(error).catch(() => undefined),
  )
  return readable
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
