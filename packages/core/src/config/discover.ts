import { statSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import type { Env, Paths } from "./paths.ts"

/** Whose words a source is: the user's, the project's, or the user's for this run (variables and flags), which stand above the project. */
export type SourceLayer = "user" | "project" | "override"

export interface ConfigSource {
  /** A file, or the name of the variable whose content it is. */
  readonly path: string
  readonly layer: SourceLayer
  /** Set when the text is at hand. */
  readonly content?: string
  /** Must exist: somebody named it. */
  readonly required?: boolean
}

export interface Places {
  readonly directory: string
  readonly worktree: string
  readonly env: Env
  readonly paths: Paths
}

const extensions = ["json", "jsonc"] as const

/** Every config source there is, lowest first. Only looks at names: nothing is read. */
export function discoverConfig({ directory, worktree, env, paths }: Places): ConfigSource[] {
  const user = [...variants(paths.opencodeConfigDir, "opencode"), ...variants(paths.configDir, "cairn")].map(
    (path): ConfigSource => ({ path, layer: "user" }),
  )
  const taken = new Set(user.map((source) => source.path))
  const project = ancestry(worktree, directory)
    .flatMap((place) => [
      ...variants(place, "opencode"),
      ...variants(join(place, ".opencode"), "opencode"),
      ...variants(place, "cairn"),
      ...variants(join(place, ".cairn"), "cairn"),
    ])
    .filter((path) => !taken.has(path))
    .map((path): ConfigSource => ({ path, layer: "project" }))
  return [...user, ...project, ...fromEnv(env, directory)]
}

/** The directories from `root` down to `directory`, both included; `directory` alone when it is not below `root`. */
export function ancestry(root: string, directory: string): string[] {
  const way = relative(root, directory)
  if (way === ".." || way.startsWith(`..${sep}`) || resolve(root, way) !== resolve(directory)) return [directory]
  const places = [directory]
  for (let at = directory; at !== root && dirname(at) !== at;) places.unshift((at = dirname(at)))
  return places
}

function variants(directory: string, name: string): string[] {
  return extensions.map((extension) => join(directory, `${name}.${extension}`)).filter(exists)
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A parent that is a file or may not be entered: nothing of ours is there.
    return false
  }
}

function fromEnv(env: Env, directory: string): ConfigSource[] {
  const sources: ConfigSource[] = []
  if (env.CAIRN_CONFIG) sources.push({ path: resolve(directory, env.CAIRN_CONFIG), layer: "override", required: true })
  for (const name of ["OPENCODE_CONFIG_CONTENT", "CAIRN_CONFIG_CONTENT"]) {
    const content = env[name]
    if (content) sources.push({ path: name, layer: "override", content })
  }
  return sources
}
