import { err, ok, type Result } from "@cairn/kernel/result"
import type { Environment } from "./environment.ts"
import type { ProcessResult, RunInput } from "./run.ts"
import type { Supervisor } from "./supervisor.ts"

/** Why a git call gave no answer. `failed` has git's exit code and its message. */
export interface GitFailure {
  readonly kind: "missing" | "failed" | "timeout" | "too_long" | "io"
  readonly message: string
  readonly exitCode?: number
}

export interface GitCall {
  readonly cwd: string
  readonly signal: AbortSignal
  /** 10 s when left out. */
  readonly timeoutMs?: number
  /** Most bytes of an answer, 1 MiB when left out; a longer one is a failure, never a cut answer. */
  readonly maxBytes?: number
  readonly stdin?: string
}

/** The engine's own git: standard output of a call that exited with 0. Interruption rejects with the reason. */
export interface Git {
  run(args: readonly string[], call: GitCall): Promise<Result<string, GitFailure>>
  /** The same for an answer that is no text. */
  bytes(args: readonly string[], call: GitCall): Promise<Result<Uint8Array, GitFailure>>
}

/** A repository's config can start programs; these keep a mere question from doing so. */
const guards = [
  "--no-pager",
  "--no-replace-objects",
  "--no-optional-locks",
  ["-c", "core.fsmonitor=false"],
  ["-c", "core.hooksPath=/dev/null"],
  ["-c", "protocol.allow=never"],
  ["-c", "diff.external="],
].flat()

const takesDiffOptions = new Set(["diff", "diff-files", "diff-index", "diff-tree", "log", "show"])

const mostBytes = 1_048_576

/** Git for the engine itself. The model's git commands run through bash, under the permission rules. */
export function createGit(supervisor: Supervisor): Git {
  let env: Environment | undefined
  const run = async (args: readonly string[], call: GitCall, onOutput?: RunInput["onOutput"]) => {
    const [subcommand = "", ...rest] = args
    const plain = takesDiffOptions.has(subcommand) ? ["--no-ext-diff", "--no-textconv"] : []
    const ran = await supervisor.run({
      argv: ["git", ...guards, subcommand, ...plain, ...rest],
      cwd: call.cwd,
      env: (env ??= gitEnvironment(supervisor.env)),
      signal: call.signal,
      timeoutMs: call.timeoutMs ?? 10_000,
      maxBytes: call.maxBytes ?? mostBytes,
      ...(call.stdin === undefined ? {} : { stdin: call.stdin }),
      ...(onOutput && { onOutput }),
    })
    return ran.ok ? answerOf(ran.value, subcommand, call) : err(notStarted(ran.error))
  }
  return {
    run: (args, call) => run(args, call),
    async bytes(args, call) {
      const chunks: Uint8Array[] = []
      let length = 0
      const done = await run(args, call, (chunk, stream) => {
        if (stream !== "stdout") return undefined
        length += chunk.length
        if (length > (call.maxBytes ?? mostBytes)) return "stop"
        chunks.push(chunk.slice())
        return undefined
      })
      return done.ok ? ok(Buffer.concat(chunks)) : done
    },
  }
}

const notStarted = ({ kind, message }: { readonly kind: string; readonly message: string }): GitFailure => ({
  kind: kind === "missing" ? "missing" : "io",
  message,
})

function answerOf(ran: ProcessResult, subcommand: string, call: GitCall): Result<string, GitFailure> {
  const { exitCode, signal, stdout, stderr, timedOut, truncated, stopped } = ran
  if (timedOut)
    return err({ kind: "timeout", message: `git ${subcommand} took longer than ${call.timeoutMs ?? 10_000} ms` })
  if (stopped || (exitCode === 0 && truncated))
    return err({ kind: "too_long", message: `git ${subcommand} said more than can be read` })
  if (exitCode === 0) return ok(stdout)
  const message = stderr.trim() || `git ${subcommand} ended with ${exitCode ?? signal}`
  return err({ kind: "failed", message, ...(exitCode === null ? {} : { exitCode }) })
}

/** Without the caller's `GIT_*`, which could name another repository, another config, or a program to run. */
function gitEnvironment(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("GIT_"))
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" }
}
