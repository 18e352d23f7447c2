import { existsSync } from "node:fs"
import { ripgrepPath } from "../process/ripgrep.ts"
import { createSandbox } from "../process/sandbox/sandbox.ts"
import { findShell } from "../process/shell.ts"
import type { Supervisor } from "../process/supervisor.ts"
import type { Check } from "./check.ts"

interface ProgramsInput {
  readonly supervisor: Supervisor
  readonly cacheDir: string
  readonly directory: string
  readonly signal: AbortSignal
  /** The system's shell. */
  readonly sh?: string
}

/** The programs that tools run, by running each for its version. Interruption rejects with the reason. */
export async function programChecks(input: ProgramsInput): Promise<Check[]> {
  const { supervisor, cacheDir, sh = "/bin/sh" } = input
  const which = (name: string) => Bun.which(name, { PATH: supervisor.env["PATH"] ?? "" }) ?? undefined
  const shell = findShell(supervisor.env)
  const [git, ripgrep, bash] = await Promise.all([
    version(which("git"), input),
    version(ripgrepPath(supervisor.env, { cacheDir }), input),
    version(shell.endsWith("bash") ? shell : undefined, input),
  ])
  return [
    git
      ? ok("git", git)
      : absent(
          "git",
          "warning",
          "not found",
          "Install git: without it a project is only a directory, and has no diff.",
        ),
    ripgrep
      ? ok("ripgrep", ripgrep)
      : absent("ripgrep", "broken", "not found", "Install ripgrep (rg): grep and glob need it."),
    bash ? ok("bash", bash) : absent("bash", "warning", withoutBash(shell), "Install bash."),
    ...(existsSync(sh) || process.platform === "win32" ? [] : [withoutShell(sh)]),
  ]
}

const area = "programs"
const ok = (name: string, text: string): Check => ({ area, name, state: "ok", text })
const absent = (name: string, state: Check["state"], text: string, advice: string): Check => ({
  ...{ area, name, state, text, advice },
})

const withoutBash = (shell: string): string =>
  existsSync(shell) ? `not found; commands run in ${shell}` : `not found, and no ${shell}; no command can run`

const withoutShell = (sh: string): Check =>
  absent(
    "sh",
    "warning",
    `${sh} not found; what a command started goes on if Cairn itself is killed`,
    `Install a shell as ${sh}.`,
  )

/** What bounds commands, found out by a command that looks at its bounds. `enabled`: as the user's config says. */
export async function sandboxCheck(
  { supervisor, directory, signal }: Pick<ProgramsInput, "supervisor" | "directory" | "signal">,
  enabled: boolean,
): Promise<Check> {
  const state = await createSandbox({ supervisor, worktree: directory, enabled })(signal)
  if (state.kind !== "none") return ok("sandbox", `${state.kind} (${state.program}) bounds commands`)
  const off =
    "commands are not bounded, and no command is asked for because nobody can read it: you turned the sandbox off"
  if (!enabled) return { area, name: "sandbox", state: "note", text: `${off} (${state.reason})` }
  const text = `commands are not bounded, and what nobody can read is asked for: ${state.reason}`
  const advice = process.platform === "linux" ? "Install bubblewrap (bwrap), and allow it user namespaces." : undefined
  return { area, name: "sandbox", state: "note", text, ...(advice !== undefined && { advice }) }
}

/** `git version 2.39.5 (/usr/bin/git)`; undefined when it cannot be run. */
async function version(program: string | undefined, input: ProgramsInput): Promise<string | undefined> {
  if (program === undefined) return undefined
  const { supervisor, directory: cwd, signal } = input
  const ran = await supervisor.run({ argv: [program, "--version"], cwd, signal, timeoutMs: 5_000, maxBytes: 10_000 })
  if (!ran.ok || ran.value.exitCode !== 0) return undefined
  const [line = ""] = ran.value.stdout.split("\n")
  return `${line.trim().slice(0, 80)} (${program})`
}
