import { lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  agentVariables,
  cacheRows,
  credentialRows,
  type SandboxPlaces,
  type SandboxScope,
  socketName,
  socketRows,
  startedRows,
} from "./places.ts"
import { hidesRegistryFile } from "./registry-file.ts"

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
  /** Whose keys are there: `program` and `program subcommand`. */
  readonly programs: ReadonlySet<string>
  /** All programs that are known to run. */
  readonly runs: ReadonlySet<string>
}

/** The bounds of one command line. Looks at what exists. */
export function boundsOf(input: BoundsInput): SandboxBounds {
  const { places, programs, worktree, env, readOnly } = input
  const owned = (owners: readonly string[]) => owners.some((owner) => programs.has(owner))
  const at = ({ scope, path }: Placed) => (places[scope] === undefined ? [] : [join(places[scope], path)])
  const rows = Object.groupBy([...credentialRows, ...socketRows], (row) => {
    const hides = at(row).map((path) => hidesRegistryFile(path, programs, owned(row.owners)))[0]
    return (hides ?? !owned(row.owners)) ? "secret" : "owned"
  })
  const agents = Object.groupBy(Object.entries(agentVariables), ([, owners]) => (owned(owners) ? "owned" : "secret"))
  const socketsOf = (some: (typeof agents)["owned"] = []) => some.flatMap(([name]) => socketOf(env[name] ?? ""))
  const secret = [...(rows.secret ?? []).flatMap(at), ...input.temp.flatMap(socketsIn), ...socketsOf(agents.secret)]
  const given = [...(rows.owned ?? []).flatMap(at), ...socketsOf(agents.owned), ...publicKeys(input)]
  const project = [worktree, ...input.also]
  const stores = cacheRows.filter(({ linked }) => linked && readOnly).flatMap(at)
  const caches = cacheRows.filter(({ linked }) => !(linked && readOnly)).flatMap(at)
  // Who may not write the project may not write any part of it by another name.
  const open = layersOf("writable", [...input.temp, ...caches])
    .filter((layer) => isPlain(layer, input) && !(input.temp.includes(layer.named) && layer.path !== layer.named))
    .filter(({ path }) => !(readOnly && contains(worktree, path)))
  const layers = [
    ...open,
    ...layersOf("writable", readOnly ? [] : project),
    ...layersOf("read-only", [...input.protected, ...stores, ...started(places), ...(readOnly ? project : [])]),
    // The project itself is never hidden: it may be the very directory of a row, or lie in it.
    ...layersOf("hidden", [...secret, ...input.own]).filter(({ path }) => !contains(path, worktree)),
    ...layersOf("read-only", [...input.shown, ...given]).filter((layer) => isPlain(layer, input)),
    ...layersOf("writable", readOnly ? (input.always ?? []) : []),
  ]
  // Of two that speak of one place, the later counts.
  const last = new Map(layers.map((layer) => [layer.path, layer]))
  return {
    layers: needed(
      [...last.values()].toSorted((a, b) => depth(a.path) - depth(b.path)),
      worktree,
    ),
    network: input.network,
    unset: (agents.secret ?? []).map(([name]) => name).filter((name) => env[name] !== undefined),
  }
}

/** Makes the caches of programs that run and have none yet: what is not there cannot be laid into the bounds. */
export function makeCaches({ places, runs, readOnly }: Pick<BoundsInput, "places" | "runs" | "readOnly">): void {
  for (const { scope, path, programs } of readOnly ? [] : cacheRows) {
    const place = places[scope]
    if (place === undefined || !programs.some((program) => runs.has(program))) continue
    try {
      if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(join(place, path), { recursive: true })
    } catch {
      // Nobody may make it: then the program says so.
      continue
    }
  }
}

interface Placed {
  readonly scope: SandboxScope
  readonly path: string
}

/**
 * A user may keep a cache elsewhere, by a link. A link that a command may have put into a place that it can write opens
 * nothing, and no link makes half of the disk a cache.
 */
function isPlain({ path, named }: NamedLayer, { places, worktree, temp, own, also }: BoundsInput): boolean {
  if (path === named) return true
  const holds = [places.home, worktree, ...own].some((one) => one !== undefined && contains(path, one))
  const writable = [...temp, worktree, ...also, ...(places.cache === undefined ? [] : [places.cache])]
  return !holds && !writable.some((one) => contains(one, dirname(named)))
}

/** Names of keys are no secret: git signs by them. */
function publicKeys({ places, programs }: BoundsInput): string[] {
  if (places.home === undefined || ![...programs].some((program) => program.startsWith("git "))) return []
  const directory = join(places.home, ".ssh")
  return namesIn(directory)
    .filter((name) => /\.pub$|^allowed_signers$/.test(name))
    .map((name) => join(directory, name))
}

/** What is there of the rows of what is started outside. */
function started(places: SandboxPlaces): string[] {
  return startedRows.flatMap(({ scope, path }) => {
    const place = places[scope]
    if (place === undefined) return []
    if (!path.endsWith("*")) return [join(place, path)]
    return namesIn(place)
      .filter((name) => name.startsWith(path.slice(0, -1)))
      .map((name) => join(place, name))
  })
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

interface NamedLayer extends Layer {
  /** As the table has it, perhaps a link. */
  readonly named: string
}

function layersOf(access: Layer["access"], paths: readonly string[]): NamedLayer[] {
  return paths.flatMap((path) => {
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
      const real = realpathSync(path)
      const kind = statSync(real).isDirectory() ? ("directory" as const) : ("file" as const)
      return [{ path: real, named: path, access, kind }]
    } catch {
      // It is not there, or may not be looked at, which the command may then neither.
      return []
    }
  })
}

const socketsIn = (directory: string): string[] =>
  namesIn(directory)
    .filter((name) => socketName.test(name))
    .map((name) => join(directory, name))

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** `/path`, `unix:///path`, `unix:path=/path,…`, or `/path,1,0` as tmux has it. */
function socketOf(value: string): string[] {
  const path = /^(?:unix:(?:path=|\/\/)?)?(\/[^,;]*)/.exec(value)?.[1]
  return path === undefined || basename(path) === "" ? [] : [path]
}
