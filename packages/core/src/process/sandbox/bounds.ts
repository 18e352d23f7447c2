import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { agentVariables, cacheRows, credentialRows, type SandboxPlaces, socketName, socketRows } from "./places.ts"

/** What may be done with a place and all below it; a place in another one is as its own layer says. */
export interface Layer {
  /** Real, and there. */
  readonly path: string
  readonly access: "writable" | "read-only" | "hidden"
  readonly kind: "file" | "directory"
}

/** What a command may see and do. What no layer speaks of can be read and not written. */
export interface SandboxBounds {
  /** A place stands after the places that hold it. */
  readonly layers: readonly Layer[]
  readonly network: boolean
  /** Variables that the command does not get. */
  readonly unset: readonly string[]
}

export interface BoundsInput {
  readonly places: SandboxPlaces
  readonly env: Readonly<Record<string, string | undefined>>
  /** Real path; what lies below it may be written unless `readOnly`. */
  readonly worktree: string
  readonly readOnly: boolean
  /** Writable even then: where plans are put. */
  readonly always?: readonly string[]
  /** Further places that may be written: linked git directories, and what the user has approved. */
  readonly also: readonly string[]
  readonly temp: readonly string[]
  /** Places that nobody may write through a command. */
  readonly protected: readonly string[]
  /** Cairn's own config, data and state directories. */
  readonly own: readonly string[]
  /** Below them, what commands may read. */
  readonly shown: readonly string[]
  readonly network: boolean
  /** The commands of the line, as `program` and `program subcommand`. */
  readonly programs: ReadonlySet<string>
}

/** The bounds of one command line. Looks at what exists; changes nothing. */
export function boundsOf(input: BoundsInput): SandboxBounds {
  const { places, programs, worktree, env } = input
  const owned = (owners: readonly string[]) => owners.some((owner) => programs.has(owner))
  const at = ({ scope, path }: { scope: keyof SandboxPlaces; path: string }) => {
    const place = places[scope]
    return place === undefined ? [] : [join(place, path)]
  }
  const secret = [...credentialRows, ...socketRows].filter(({ owners }) => !owned(owners)).flatMap(at)
  const agents = Object.entries(agentVariables).filter(([, owners]) => !owned(owners))
  const unset = agents.map(([name]) => name).filter((name) => env[name] !== undefined)
  const hidden = [...secret, ...input.temp.flatMap(socketsIn), ...unset.flatMap((name) => socketOf(env[name]!))]
  const project = [worktree, ...input.also]
  const layers = [
    ...layersOf("writable", [...input.temp, ...cacheRows.flatMap(at), ...(input.readOnly ? [] : project)]),
    ...layersOf("read-only", [...input.protected, ...(input.readOnly ? project : [])]),
    // The project itself is never hidden: it may be the very directory of a row, or lie in it.
    ...layersOf("hidden", [...hidden, ...input.own]).filter(({ path }) => !contains(path, worktree)),
    ...layersOf("read-only", input.shown),
    ...layersOf("writable", input.readOnly ? (input.always ?? []) : []),
  ]
  // Of two that speak of one place, the later counts.
  const last = new Map(layers.map((layer) => [layer.path, layer]))
  return {
    layers: needed(
      [...last.values()].toSorted((a, b) => depth(a.path) - depth(b.path)),
      worktree,
    ),
    network: input.network,
    unset,
  }
}

/** Without those that change nothing: each is time. The project stays one, which keeps it from being moved away. */
function needed(layers: readonly Layer[], worktree: string): Layer[] {
  const kept: Layer[] = []
  for (const layer of layers) {
    const around = kept.findLast(({ path }) => contains(path, layer.path))?.access ?? "read-only"
    if (around !== layer.access || (layer.path === worktree && layer.access === "writable")) kept.push(layer)
  }
  return kept
}

export const contains = (place: string, path: string): boolean =>
  path === place || path.startsWith(place.endsWith("/") ? place : `${place}/`)

const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length)

function layersOf(access: Layer["access"], paths: readonly string[]): Layer[] {
  return paths.flatMap((path) => {
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
      const real = realpathSync(path)
      return [{ path: real, access, kind: statSync(real).isDirectory() ? ("directory" as const) : ("file" as const) }]
    } catch {
      // It is not there, or may not be looked at, which the command may then neither.
      return []
    }
  })
}

function socketsIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => socketName.test(name))
      .map((name) => join(directory, name))
  } catch {
    return []
  }
}

/** `/path`, `unix:///path`, `unix:path=/path,…`, or `/path,1,0` as tmux has it. */
function socketOf(value: string): string[] {
  const path = /^(?:unix:(?:path=|\/\/)?)?(\/[^,;]*)/.exec(value)?.[1]
  return path === undefined || basename(path) === "" ? [] : [path]
}
