import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "../process/child.ts"
import type { Environment } from "../process/environment.ts"
import { boundsOf, makeCaches, type SandboxBounds } from "../process/sandbox/bounds.ts"
import { sandboxPlaces } from "../process/sandbox/places.ts"
import { type ActiveSandbox, confined } from "../process/sandbox/sandbox.ts"
import { contains } from "./paths.ts"
import { placesIn, type ProtectedPlace, userPlacesIn } from "./protected-places.ts"
import type { UserPlaces } from "./protection.ts"
import { realOf } from "./real-of.ts"

/** Of one project, as the engine knows it. */
export interface ProjectBoundsDeps {
  /** The environment that children get. */
  readonly env: Environment
  readonly home: string
  /** Real path. */
  readonly worktree: string
  readonly gitDir?: string | undefined
  readonly commonDir?: string | undefined
  readonly places: UserPlaces
  readonly network: boolean
  /** Directories of temporary files, real: found out once, since commands can put links there. */
  readonly temp: readonly string[]
  /** Cairn's own. */
  readonly paths: {
    readonly config: string
    readonly data: string
    readonly state: string
    readonly cache: string
    readonly toolOutput: string
  }
}

/** What one child is given beyond what every child gets. */
export interface ChildRoom {
  /** It may look, and change nothing of the project but plans. */
  readonly readOnly?: boolean
  /** Real paths outside the project that it may write. */
  readonly also?: readonly string[]
  /** `program`, or `program subcommand`: whose keys it gets. */
  readonly programs?: ReadonlySet<string>
  /** All programs that are known to run: those of package managers get their caches. */
  readonly runs?: ReadonlySet<string>
  /** Protected places that it may write all the same. */
  readonly approves?: (place: ProtectedPlace) => boolean
}

/** What to start, and what it was put into. */
export interface BoundedChild {
  readonly command: Pick<Command, "argv" | "cwd" | "env" | "tells">
  readonly bounds: SandboxBounds
  /** The protected places that it cannot write. */
  readonly fixed: readonly ProtectedPlace[]
}

/**
 * Puts a child of the project into its bounds: every process that a model, a project or a plugin decides about is started
 * with what this returns. Looks at the disk as it is now; call it right before the child starts.
 */
export function boundedChild(
  deps: ProjectBoundsDeps,
  sandbox: ActiveSandbox,
  { argv, cwd }: Pick<Command, "argv" | "cwd">,
  { readOnly = false, also = [], programs = new Set(), runs = new Set(), approves }: ChildRoom = {},
): BoundedChild {
  const { env, worktree, paths, temp } = deps
  const places = sandboxPlaces(env, deps.home)
  makeCaches({ places, runs, readOnly })
  const fixed = protectedNow(deps, cwd, temp).filter((place) => !approves?.(place))
  const bounds = boundsOf({
    ...{ places, env, worktree, readOnly, network: deps.network, temp, programs, runs },
    always: [join(worktree, ".cairn/plans"), join(worktree, ".opencode/plans")].filter((path) => isOwn(path, worktree)),
    also: [...gitDirectories(deps), ...(readOnly ? [] : also)],
    protected: fixed.map(({ path }) => path),
    own: [paths.config, paths.data, paths.state, paths.cache],
    shown: [paths.toolOutput],
  })
  // Where it may not write is no place for temporary files: the system's is another one.
  const unset = new Set([...bounds.unset, ...(readOnly && contains(worktree, env["TMPDIR"] ?? "/") ? ["TMPDIR"] : [])])
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !unset.has(name)))
  return { command: { ...confined(sandbox, { argv, cwd }, bounds), env: rest }, bounds, fixed }
}

/** The places that no command may write, from the root of the project down to where it runs. */
function protectedNow(deps: ProjectBoundsDeps, cwd: string, temp: readonly string[]): ProtectedPlace[] {
  const { worktree } = deps
  const roots = [worktree]
  if (contains(worktree, cwd) && cwd !== worktree)
    for (const name of cwd.slice(worktree.length + 1).split("/")) roots.push(join(roots.at(-1)!, name))
  const inside = roots.slice(0, 20).flatMap(placesIn)
  const git = [...new Set([deps.gitDir, deps.commonDir])].flatMap((path) =>
    path === undefined || path === join(worktree, ".git")
      ? []
      : placesIn(join(path, "..")).filter((place) => contains(path, place.path)),
  )
  const users = userPlacesIn([worktree, ...temp], deps.places)
  return [...inside, ...git, ...users].filter(({ path }) => !contains(path, worktree) && !isSettings(path))
}

/** Git writes them all the time: they are compared afterwards. */
const isSettings = (path: string) => /\/config(?:\.worktree)?$/.test(path)

/** A linked worktree's own directory and the shared one, when they are what they say. */
function gitDirectories({ worktree, gitDir, commonDir }: ProjectBoundsDeps): string[] {
  if (gitDir === undefined || contains(worktree, gitDir)) return []
  const back = readText(join(gitDir, "gitdir"))?.trim()
  if (back !== join(worktree, ".git") && !isModule(gitDir, worktree)) return []
  return commonDir === undefined ? [gitDir] : [gitDir, commonDir]
}

/** A submodule's names the working tree in its settings. */
function isModule(gitDir: string, worktree: string): boolean {
  if (!gitDir.includes("/.git/modules/")) return false
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readText(join(gitDir, "config")) ?? "")?.[1]
  return named !== undefined && realOf(named.startsWith("/") ? named : join(gitDir, named)) === worktree
}

/** Directories of temporary files. One in the project is the project's. */
export function temporaryIn(env: Environment): string[] {
  return [...new Set([tmpdir(), env["TMPDIR"], "/tmp", "/var/tmp"])].flatMap((path) => {
    const real = path?.startsWith("/") ? realOf(path) : undefined
    return real === undefined || real === "/" ? [] : [real]
  })
}

/** A link of the project must not open a place elsewhere. */
const isOwn = (path: string, worktree: string) => realOf(path) === path && contains(worktree, path)

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
