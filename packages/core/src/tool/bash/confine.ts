import { readFileSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Log } from "@cairn/kernel/log"
import type { CommandPlan as Planned } from "../../permission/command.ts"
import type { Environment } from "../../process/environment.ts"
import type { Git } from "../../process/git.ts"
import { boundsOf, contains } from "../../process/sandbox/bounds.ts"
import { agentVariables, type SandboxPlaces, sandboxPlaces } from "../../process/sandbox/places.ts"
import { type ActiveSandbox, confined } from "../../process/sandbox/sandbox.ts"
import { placesIn, type ProtectedPlace, userPlacesIn } from "../../workspace/protected-places.ts"
import type { UserPlaces } from "../../workspace/protection.ts"
import { blockedBy } from "./blocked.ts"
import { compareAfterwards, type PutAside } from "./compare-afterwards.ts"
import { isGitAlone, keyOwners } from "./line-programs.ts"

export interface ConfineDeps {
  /** The environment that commands get. */
  readonly env: Environment
  readonly home: string
  readonly worktree: string
  readonly gitDir?: string | undefined
  readonly commonDir?: string | undefined
  readonly places: UserPlaces
  readonly network: boolean
  /** Directories of temporary files; the system's when left out. */
  readonly temp?: readonly string[]
  /** Variables that pass although they are keys of providers. */
  readonly passed: readonly string[]
  readonly paths: {
    readonly config: string
    readonly data: string
    readonly state: string
    readonly toolOutput: string
  }
  readonly git: Git
  readonly log: Log
}

/** A command line that is about to run within bounds. */
export interface Confined {
  readonly env: Environment
  argv(argv: readonly string[]): string[]
  /** What of a failed command's output the bounds explain, as a line for the model. */
  blocked(output: string): string | undefined
  /** After it has ended: finds what could not be forbidden, and puts it aside. */
  putAside(): Promise<readonly PutAside[]>
}

/** Looks at the disk as it is now; call it right before the command runs. */
export function confine(
  deps: ConfineDeps,
  sandbox: ActiveSandbox,
  plan: Planned,
  { cwd, callID, readOnly }: { readonly cwd: string; readonly callID: string; readonly readOnly: boolean },
): Confined {
  const { env, worktree } = deps
  // Somebody has said yes to a line that changes what is protected.
  const approved = plan.asks.some((ask) => ask.mustAsk?.protected)
  const fixed = approved ? [] : protectedNow(deps, cwd, isGitAlone(plan.facts))
  const places = sandboxPlaces(env, deps.home)
  const bounds = boundsOf({
    ...{ places, env, worktree, readOnly, network: deps.network },
    always: [join(worktree, ".cairn/plans"), join(worktree, ".opencode/plans")].filter((path) => isOwn(path, worktree)),
    also: [...gitDirectories(deps), ...(readOnly ? [] : writableOutside(plan, deps, places))],
    temp: deps.temp ?? temporary(env),
    protected: fixed.map(({ path }) => path),
    own: [deps.paths.config, deps.paths.data, deps.paths.state],
    shown: [deps.paths.toolOutput],
    programs: keyOwners(plan.facts),
  })
  const compare =
    readOnly || approved
      ? undefined
      : compareAfterwards({ ...deps, directory: join(deps.paths.state, "aside", callID) })
  const unset = new Set(bounds.unset)
  return {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !unset.has(name))),
    argv: (argv) => confined(sandbox, argv, bounds, cwd),
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

/** The places that no command may write, from the root of the project down to where it runs. */
function protectedNow(deps: ConfineDeps, cwd: string, gitAlone: boolean): ProtectedPlace[] {
  const { worktree } = deps
  const roots = [worktree]
  if (contains(worktree, cwd) && cwd !== worktree)
    for (const name of cwd.slice(worktree.length + 1).split("/")) roots.push(join(roots.at(-1)!, name))
  const inside = roots.slice(0, 20).flatMap(placesIn)
  const git = [...new Set([deps.gitDir, deps.commonDir])].flatMap((path) =>
    path === undefined ? [] : placesIn(join(path, "..")).filter((place) => contains(path, place.path)),
  )
  const users = userPlacesIn([worktree, ...(deps.temp ?? temporary(deps.env))], deps.places)
  return [...inside, ...git, ...users].filter(({ path, row }) => {
    if (contains(path, worktree) || isSettings(path)) return false
    // What a pull brings is tracked, and was looked at by somebody.
    return !(gitAlone && row.scope === "any" && !row.path.startsWith(".git/") && !row.reason.startsWith("the agent"))
  })
}

/** Git writes them all the time: they are compared afterwards. */
const isSettings = (path: string) => /\/config(?:\.worktree)?$/.test(path)

/** A linked worktree's own directory and the shared one, when they are what they say. */
function gitDirectories({ worktree, gitDir, commonDir }: ConfineDeps): string[] {
  if (gitDir === undefined || contains(worktree, gitDir)) return []
  const back = readText(join(gitDir, "gitdir"))?.trim()
  if (back !== join(worktree, ".git") && !gitDir.includes("/.git/modules/")) return []
  return commonDir === undefined ? [gitDir] : [gitDir, commonDir]
}

/** Approved places outside the project, but what a line only reads and what holds half the disk. */
function writableOutside(plan: Planned, { worktree, paths }: ConfineDeps, places: SandboxPlaces): string[] {
  const named = (permission: string) =>
    plan.asks.filter((ask) => ask.permission === permission).flatMap((ask) => ask.patterns)
  const read = new Set(named("read"))
  const changed = new Set(named("edit"))
  const kept = [worktree, places.home ?? "/", ...Object.values(paths)]
  return plan.outside
    .filter((path) => {
      if (read.has(path) && !changed.has(path)) return false
      const holder = existing(path)
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

function temporary(env: Environment): string[] {
  return [...new Set([tmpdir(), env["TMPDIR"], "/tmp", "/var/tmp"])].flatMap((path) => {
    const real = path?.startsWith("/") ? realOf(path) : undefined
    return real === undefined || real === "/" ? [] : [real]
  })
}

/** A link of the project must not open a place elsewhere. */
const isOwn = (path: string, worktree: string) => realOf(path) === path && contains(worktree, path)

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
