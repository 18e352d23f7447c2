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
import { compareAfterwards, type PutAside } from "./compare-afterwards.ts"
import { isGitAlone, keyOwners } from "./line-programs.ts"

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
  // Somebody has said yes to a line that changes what is protected.
  const approved = plan.asks.some((ask) => ask.mustAsk?.protected)
  const gitAlone = isGitAlone(plan.facts)
  const { command, bounds, fixed } = boundedChild(
    deps,
    sandbox,
    { argv, cwd },
    {
      ...{ readOnly, also: writableOutside(plan, deps), programs: keyOwners(plan.facts) },
      approves: (place) => approved || (gitAlone && isBroughtByGit(place)),
    },
  )
  const compare =
    readOnly || approved
      ? undefined
      : compareAfterwards({ ...deps, directory: join(deps.paths.state, "aside", callID) })
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
export function environmentShown({ env, network, passed }: ConfineDeps, plan: Planned): string[] {
  const owners = keyOwners(plan.facts)
  const unset = Object.entries(agentVariables).filter(([, names]) => !names.some((name) => owners.has(name)))
  return [
    ...(network ? [] : ["without network"]),
    ...unset.filter(([name]) => env[name] !== undefined).map(([name]) => `without ${name}`),
    ...passed.filter((name) => env[name] !== undefined).map((name) => `with ${name}`),
  ]
}

/** What a pull brings is tracked, and was looked at by somebody. */
const isBroughtByGit = ({ row }: ProtectedPlace): boolean =>
  row.scope === "any" && !row.path.startsWith(".git/") && !row.reason.startsWith("the agent")

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
      const holder = existing(path)
      // What is the kernel's is another one within the bounds.
      if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(holder)) return false
      return holder.split("/").length > 2 && !kept.some((one) => contains(holder, one))
    })
    .map(existing)
}

function existing(path: string): string {
  for (let at = path; ; at = join(at, "..")) {
    const real = realOf(at)
    if (real !== undefined) return real
  }
}
