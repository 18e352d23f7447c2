import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import type { Command } from "../child.ts"
import type { Supervisor } from "../supervisor.ts"
import { boundsOf, contains, type SandboxBounds } from "./bounds.ts"
import { bubblewrapArguments } from "./bubblewrap.ts"
import { seatbeltProfile } from "./seatbelt.ts"

/** What bounds commands on this machine, or why nothing does. */
export type SandboxState =
  | { readonly kind: "bubblewrap" | "seatbelt"; readonly program: string }
  | { readonly kind: "none"; readonly reason: string }
export type ActiveSandbox = Exclude<SandboxState, { kind: "none" }>

export interface SandboxOptions {
  readonly supervisor: Supervisor
  /** Real path. A program that lies in it is the project's, not the system's. */
  readonly worktree: string
  /** False: the user has turned it off. */
  readonly enabled: boolean
  readonly platform?: NodeJS.Platform
}

/** Finds out by a real trial, at the first call; interruption rejects with the reason, and the next call tries again. */
export function createSandbox(options: SandboxOptions): (signal: AbortSignal) => Promise<SandboxState> {
  let known: SandboxState | undefined
  return async (signal) => (known ??= await detect(options, signal))
}

/** How a command is started within its bounds: what `Supervisor.run` and `spawn` take for the command itself. */
export function confined(
  { kind, program }: ActiveSandbox,
  { argv, cwd }: Pick<Command, "argv" | "cwd">,
  bounds: SandboxBounds,
): Pick<Command, "argv" | "cwd" | "tells"> {
  if (kind === "seatbelt") return { argv: [program, "-p", seatbeltProfile(bounds), ...argv], cwd }
  const around = bubblewrapArguments(bounds, cwd, process.getuid?.() === 0)
  return { argv: [program, ...around, ...argv], cwd, tells: ["--info-fd", "3"] }
}

async function detect(options: SandboxOptions, signal: AbortSignal): Promise<SandboxState> {
  const { supervisor, worktree, enabled, platform = process.platform } = options
  if (!enabled) return { kind: "none", reason: "sandbox.enabled is false" }
  const name = platform === "linux" ? "bwrap" : platform === "darwin" ? "sandbox-exec" : undefined
  if (name === undefined) return { kind: "none", reason: `there is none for ${platform}` }
  const program = Bun.which(name, { PATH: supervisor.env["PATH"] ?? "/usr/bin:/bin" })
  if (program === null)
    return { kind: "none", reason: name === "bwrap" ? "bubblewrap (bwrap) is not found" : `${name} is not found` }
  if (contains(worktree, realpathSync(program))) return { kind: "none", reason: `${program} belongs to the project` }
  const state: ActiveSandbox = { kind: name === "bwrap" ? "bubblewrap" : "seatbelt", program }
  const problem = await trial(state, supervisor, signal)
  return problem === undefined ? state : { kind: "none", reason: `${program} does not work here: ${problem}` }
}

/** Runs a command that sees whether it is bounded. */
async function trial(state: ActiveSandbox, supervisor: Supervisor, signal: AbortSignal): Promise<string | undefined> {
  const temp = realpathSync(tmpdir())
  const nothing = { places: {}, env: {}, readOnly: false, also: [], protected: [], own: [], shown: [] }
  const bounds = boundsOf({
    ...nothing,
    worktree: temp,
    temp: [temp],
    network: true,
    programs: new Set(),
    runs: new Set(),
  })
  const argv = ["/bin/sh", "-c", 'test ! -w / && test -w "$1" || echo it does not bound; :', "sh", temp]
  const ran = await supervisor.run({
    ...confined(state, { argv, cwd: "/" }, bounds),
    ...{ signal, merged: true, timeoutMs: 10_000, maxBytes: 2_000 },
  })
  if (!ran.ok) return ran.error.message
  const { exitCode, stdout, timedOut } = ran.value
  if (timedOut) return "the trial did not end"
  if (exitCode === 0 && stdout.trim() === "") return undefined
  return stdout.trim().split("\n").at(-1)?.slice(0, 200) || `it ended with ${exitCode ?? ran.value.signal}`
}
