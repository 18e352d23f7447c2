import { join } from "node:path"
import type { Log } from "@cairn/kernel/log"
import type { CommandPlan as Planned } from "../../permission/command.ts"
import type { Command } from "../../process/child.ts"
import type { Git } from "../../process/git.ts"
import { agentVariables, sandboxPlaces } from "../../process/sandbox/places.ts"
import type { ActiveSandbox } from "../../process/sandbox/sandbox.ts"
import { contains } from "../../workspace/paths.ts"
import { boundedChild, type ProjectBoundsDeps } from "../../workspace/project-bounds.ts"
import type { ProtectedPlace } from "../../workspace/protected-places.ts"
import { realOf } from "../../workspace/real-of.ts"
import { blockedBy } from "./blocked.ts"
import { entriesAt } from "./committed.ts"
import { compareAfterwards } from "./compare-afterwards.ts"
import { keyOwners } from "./key-owners.ts"
import { isGitAlone, movesFiles, programsOf } from "./line-programs.ts"
import type { PutAside } from "./put-aside.ts"

export interface ConfineDeps extends ProjectBoundsDeps {
  /** Variables that pass although they are keys of providers. */
  readonly passed: readonly string[]
  readonly git: Git
  readonly log: Log
}

/** A command line that is about to run within bounds. */
export interface Confined {
  /** What to start. */
  readonly command: Pick<Command, "argv" | "cwd" | "env" | "tells">
  /** What of a failed command's output the bounds explain, as a line for the model. */
  blocked(output: string): string | undefined
  /** After it has ended: finds what could not be forbidden, and puts it aside. */
  putAside(): Promise<readonly PutAside[]>
}

interface Line {
  readonly cwd: string
  readonly callID: string
  readonly readOnly: boolean
}

/** Looks at the disk as it is now; call it right before the command runs. `argv` is the shell that reads the line. */
export function confine(
  deps: ConfineDeps,
  sandbox: ActiveSandbox,
  plan: Planned,
  { cwd, callID, readOnly }: Line,
  argv: readonly string[],
): Confined {
  // Somebody has said yes to what the line names of it.
  const approves = (path: string) => plan.protected.some((one) => contains(path, one) || contains(one, path))
  const gitAlone = isGitAlone(plan.facts)
  const open: ProtectedPlace[] = []
  const isOpen = (place: ProtectedPlace) => {
    if (readOnly || !gitAlone || !isBroughtByGit(place)) return false
    open.push(place)
    return true
  }
  const { command, bounds, fixed } = boundedChild(
    deps,
    sandbox,
    { argv, cwd },
    {
      ...{
        readOnly,
        runs: programsOf(plan.facts),
        also: writableOutside(plan, deps),
        programs: keyOwners(plan.facts, deps),
      },
      approves: (place) => approves(place.path) || isOpen(place),
    },
  )
  const compare = readOnly
    ? undefined
    : compareAfterwards({
        ...{ ...deps, approves, open, moves: movesFiles(plan.facts) },
        directory: join(deps.paths.state, "aside", nameOf(callID)),
      })
  return {
    command,
    blocked: (output) => blockedBy(output, { bounds, fixed, readOnly, cwd, network: deps.network }),
    async putAside() {
      const aside = (await compare?.()) ?? []
      for (const { path } of aside) deps.log.warn("a command wrote a protected place; it was put aside", { path })
      return aside
    },
  }
}

/** What an ask for a line shows of its environment. Nothing when it is the usual one. */
export function environmentShown(deps: ConfineDeps, plan: Planned): string[] {
  const { env, network, passed } = deps
  const owners = keyOwners(plan.facts, deps)
  const unset = Object.entries(agentVariables).filter(([, names]) => !names.some((name) => owners.has(name)))
  return [
    ...(network ? [] : ["without network"]),
    ...unset.filter(([name]) => env[name] !== undefined).map(([name]) => `without ${name}`),
    ...passed.filter((name) => env[name] !== undefined).map((name) => `with ${name}`),
  ]
}

/** What a pull brings is tracked: it is compared with the commit afterwards. The agent's own is trusted anew before it counts. */
const isBroughtByGit = ({ row, path }: ProtectedPlace): boolean =>
  row.scope === "any" && !row.path.startsWith(".git/") && entriesAt(path) !== undefined

/** The model's provider made it up. */
const nameOf = (callID: string): string =>
  `${callID.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}-${Bun.hash(callID).toString(36)}`

/** Approved places outside the project, but what a line only reads and what holds half the disk. */
function writableOutside(plan: Planned, { worktree, paths, env, home }: ConfineDeps): string[] {
  const named = (permission: string) =>
    plan.asks.filter((ask) => ask.permission === permission).flatMap((ask) => ask.patterns)
  const read = new Set(named("read"))
  const changed = new Set(named("edit"))
  const kept = [worktree, sandboxPlaces(env, home).home ?? "/", ...Object.values(paths)]
  return plan.outside
    .filter((path) => {
      if (read.has(path) && !changed.has(path)) return false
      const holder = existing(path) ?? "/"
      // What is the kernel's is another one within the bounds.
      if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(holder)) return false
      return holder.split("/").length > 2 && !kept.some((one) => contains(holder, one))
    })
    .flatMap((path) => existing(path) ?? [])
}

/** What is there of an approved path. Nothing when it leads elsewhere by now. */
function existing(path: string): string | undefined {
  for (let at = path; ; at = join(at, "..")) {
    const real = realOf(at)
    if (real !== undefined) return real === at ? real : undefined
  }
}
