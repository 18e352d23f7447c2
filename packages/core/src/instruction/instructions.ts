import { type NamedInstruction, type GlobDeps, isAddress, namedFiles } from "./configured.ts"
import type { Instruction } from "./define.ts"
import { type InstructionPlaces, projectFiles, userFile, waysDown } from "./files.ts"
import { type Joined, joinFiles, nestedPaths } from "./nested.ts"
import { type RemoteDeps, fetchInstruction } from "./remote.ts"
import { dirname } from "node:path"

export interface InstructionDeps extends RemoteDeps, Pick<GlobDeps, "trusted"> {
  readonly places: InstructionPlaces
  /** `instructions` of the config, lowest first. */
  readonly named: readonly NamedInstruction[]
}

/** A file that was read: its real path, and whether all of it was shown. */
export interface ReadFile {
  readonly path: string
  readonly whole: boolean
}

/** The instructions of each session: what stands in its prompt, and what joined its results. */
export interface Instructions {
  /**
   * The project's, the user's, then those that the config names; each file once. Looked for when a session first needs
   * them, and the same while the process lives. An interruption ends a wait for the net and leaves nothing behind.
   */
  of(sessionID: string, signal: AbortSignal): Promise<readonly Instruction[]>
  /** What joins the result of a read: files between the root and it that this session has not seen and may read. */
  below(sessionID: string, read: ReadFile, readable: (path: string) => boolean): Promise<Joined | undefined>
  /** What a session's history still shows of nested files takes the place of what was known. */
  restore(sessionID: string, loaded: Iterable<string>): void
}

interface State {
  found?: readonly Instruction[]
  loaded: Set<string>
}

/** Sessions that are remembered; beyond that the oldest look again when they go on. */
const kept = 100
/** Entries of the config that are looked at. */
const mostEntries = 100

export function createInstructions(deps: InstructionDeps): Instructions {
  const { worktree, directory } = deps.places
  const sessions = new Map<string, State>()
  /** Directories whose files stand in the prompt, or were passed over there for a better name. */
  const chain = new Set(waysDown(worktree, directory))
  const stateOf = (sessionID: string): State => {
    const known = sessions.get(sessionID)
    if (known) return known
    if (sessions.size >= kept) sessions.delete(sessions.keys().next().value ?? "")
    const state: State = { loaded: new Set() }
    sessions.set(sessionID, state)
    return state
  }
  return {
    async of(sessionID, signal) {
      const state = stateOf(sessionID)
      if (state.found) return state.found
      const found = await find(deps, signal)
      if (!signal.aborted) state.found = found
      return found
    },
    async below(sessionID, { path, whole }, readable) {
      const { loaded, found = [] } = stateOf(sessionID)
      const paths = await nestedPaths(path, worktree)
      const inPrompt = new Set(found.map((one) => one.real))
      if (whole && paths.includes(path)) loaded.add(path)
      const wanted = paths.filter((one) => one !== path && !chain.has(dirname(one)) && readable(one))
      return await joinFiles(wanted, worktree, (real) => {
        if (real === path || inPrompt.has(real) || loaded.has(real)) return false
        loaded.add(real)
        return true
      })
    },
    restore(sessionID, loaded) {
      stateOf(sessionID).loaded = new Set(loaded)
    },
  }
}

async function find(deps: InstructionDeps, signal: AbortSignal): Promise<readonly Instruction[]> {
  const { places, named, log } = deps
  const globs = { ...deps, worktree: places.worktree, home: places.home }
  const [project, user, ...rest] = await Promise.all([
    projectFiles(places),
    userFile(places),
    ...named.slice(0, mostEntries).map(async (one): Promise<readonly Instruction[]> => {
      if (!isAddress(one.entry)) return await namedFiles(one, globs, signal)
      if (one.layer !== "project")
        return [await fetchInstruction(one.entry, deps, signal)].filter((each) => each !== undefined)
      log.warn("an address in a project's instructions is not used: only the user's own config may name one")
      return []
    }),
  ])
  const once = new Map<string, Instruction>()
  for (const one of [...project, ...(user ? [user] : []), ...rest.flat()])
    if (!once.has(one.real)) once.set(one.real, one)
  return [...once.values()]
}
