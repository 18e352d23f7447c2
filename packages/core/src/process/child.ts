import { statSync } from "node:fs"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Environment } from "./environment.ts"

export interface Command {
  /** The program, looked up in `env.PATH`, and its arguments. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; the supervisor's when left out. */
  readonly env?: Environment
  /** Nothing (/dev/null) when left out. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>
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
  /** SIGTERM, then SIGKILL, to the child and all it started; resolves when they are gone. Idempotent. */
  end(): Promise<void>
}

/** Starts the process of a command, as leader of a session of its own. */
export function start(command: SpawnInput, env: Environment): Result<Bun.Subprocess, SpawnFailure> {
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
