import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { basename, dirname, join, resolve, sep } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { PermissionRuleset } from "@cairn/schema/permission"
import type { Trust } from "@cairn/schema/trust"
import { type ConfigSource, discoverConfig, type Places, type SourceLayer } from "./discover.ts"
import { mergeConfig } from "./merge.ts"
import { dotted, type Jsonc, type KeyPath, parseConfig, type ParsedConfig } from "./parse.ts"
import { type Env, type Paths, xdgPaths } from "./paths.ts"
import { readText, substitute } from "./substitute.ts"
import { untrusted, withoutTrust } from "./untrusted.ts"

export interface ConfigFlags {
  /** `--trust`: this run takes the directory as trusted. */
  readonly trust?: boolean
  /** Above every file. */
  readonly overrides?: Config
}

/** The permission rules of one source, in the order they are written; `~` is not expanded yet. */
export interface ConfigLayer {
  readonly source: string
  readonly layer: SourceLayer
  readonly permission: PermissionRuleset
  /** `agent.<name>.permission`, and the older `tools`. */
  readonly agents: Readonly<Record<string, PermissionRuleset>>
}

/** An entry of `instructions`, with who says it and where it starts when it is relative. */
export interface InstructionEntry {
  readonly entry: string
  readonly layer: SourceLayer
  readonly base: string
}

export interface LoadedConfig {
  /** All sources laid upon each other. `permission` and `tools` are not in it: their order matters, see `layers`. */
  readonly config: Config
  /** Lowest first; sources without rules are left out. */
  readonly layers: readonly ConfigLayer[]
  /** `config.instructions` with their sources, in the same order. */
  readonly instructions: readonly InstructionEntry[]
  readonly sources: readonly { readonly path: string; readonly layer: SourceLayer }[]
  readonly warnings: readonly string[]
  readonly paths: Paths
  /** Whether the user trusts the worktree: what a project loosens counts only then. */
  readonly trusted: boolean
  /** Who says so; undefined when nobody does. */
  readonly trustedBy: Trust["by"]
  /** `sandbox.enabled: false` in the user's own words, never a project's: nothing bounds commands, and the user knows. */
  readonly unbounded: boolean
}

export interface LoadConfigInput {
  readonly directory: string
  readonly worktree: string
  readonly env: Env
  readonly home: string
  readonly flags?: ConfigFlags
}

const largest = 1024 * 1024

/** Reads every source. An error names the file, line, key and what was expected; unknown and ignored keys are warnings. */
export async function loadConfig(input: LoadConfigInput): Promise<Result<LoadedConfig, SetupError>> {
  const paths = xdgPaths(input.env, input.home)
  const sources = discoverConfig({ ...input, paths })
  const { overrides } = input.flags ?? {}
  if (overrides) sources.push({ path: "flags", layer: "override", content: JSON.stringify(overrides) })
  const trustFlag = input.flags?.trust === true
  if (sources.length === 0)
    return ok({
      config: {},
      layers: [],
      instructions: [],
      sources,
      warnings: [],
      paths,
      trusted: trustFlag,
      trustedBy: trustFlag ? "flag" : undefined,
      unbounded: false,
    })

  const state: State = {
    input,
    jsonc: await import("jsonc-parser"),
    config: {},
    layers: [],
    instructions: new Map(),
    warnings: [],
    trustedBy: trustFlag ? "flag" : undefined,
    unbounded: false,
  }
  for (const layer of ["user", "project", "override"] as const) {
    for (const source of sources.filter((one) => one.layer === layer)) {
      const problem = await take(source, state)
      if (problem !== undefined) return err({ kind: "config", message: problem })
    }
    if (layer === "user") state.trustedBy ??= await trustBy(state, { ...input, paths })
  }
  const { config, layers, warnings, trustedBy, unbounded } = state
  return ok({
    ...{ config, layers, warnings, paths, trustedBy, trusted: trustedBy !== undefined, unbounded },
    instructions: [...state.instructions.values()],
    sources: sources.map(({ path, layer }) => ({ path, layer })),
  })
}

interface State {
  readonly input: LoadConfigInput
  readonly jsonc: Jsonc
  readonly layers: ConfigLayer[]
  readonly instructions: Map<string, InstructionEntry>
  readonly warnings: string[]
  config: Config
  trustedBy: Trust["by"]
  unbounded: boolean
}

/** Adds one source. Returns what is wrong with it. */
async function take(source: ConfigSource, state: State): Promise<string | undefined> {
  const text = await textOf(source)
  if (!text.ok) return text.error
  const parsed = parseConfig(state.jsonc, text.value, source.path)
  if (!parsed.ok) return parsed.error
  const { input, warnings } = state
  warnings.push(...parsed.value.warnings)

  const confined = source.layer === "project" && state.trustedBy === undefined
  const value = gate(source, parsed.value, state)
  const confine = confined ? await real(input.worktree) : undefined
  const filled = await substitute(value, { file: baseOf(source, input), env: input.env, home: input.home, confine })
  warnings.push(...filled.warnings)

  const { validateConfig } = await import("./validate.ts")
  const valid = await validateConfig(parsed.value, filled.value)
  if (!valid.ok) return valid.error
  warnings.push(...valid.value.warnings)
  const { permission, agents } = parsed.value
  if (permission.length > 0 || Object.keys(agents).length > 0) {
    state.layers.push({ source: source.path, layer: source.layer, permission, agents })
  }
  for (const entry of valid.value.config.instructions ?? []) {
    const { layer } = source
    // What the user names stays the user's, though the project repeats it; of equal entries the last place counts.
    const said = state.instructions.get(entry)
    state.instructions.delete(entry)
    const own = said !== undefined && layer === "project" ? said : { entry, layer, base: entriesStart(source, input) }
    state.instructions.set(entry, own)
  }
  const bounded = valid.value.config.sandbox?.enabled
  if (source.layer !== "project" && bounded !== undefined) state.unbounded = !bounded
  state.config = mergeConfig(state.config, withoutRules(valid.value.config))
  return undefined
}

/** Takes out what this source may not say, with a warning for each key. */
function gate(source: ConfigSource, parsed: ParsedConfig, state: State): Record<string, unknown> {
  if (source.layer === "user") return parsed.value
  const report = (removed: readonly KeyPath[], why: string) => {
    const [first] = removed
    if (first) state.warnings.push(`${parsed.at(first)}: ignored, ${why}: ${removed.map(dotted).join(", ")}`)
  }
  if (source.layer === "project" && state.trustedBy === undefined) {
    const gated = untrusted(parsed.value)
    report(gated.removed, 'the project is not trusted ("cairn trust" shows what that would do)')
    return gated.value
  }
  const gated = withoutTrust(parsed.value)
  report(gated.removed, "only the user's own config file may trust a directory")
  return gated.value
}

function withoutRules(config: Config): Config {
  const { permission: _, tools: __, ...rest } = config
  for (const section of ["agent", "mode"] as const) {
    const agents = rest[section]
    if (!agents) continue
    rest[section] = Object.fromEntries(
      Object.entries(agents).map(([name, { permission: ___, tools: ____, ...agent }]) => [name, agent]),
    )
  }
  return rest
}

async function textOf(source: ConfigSource): Promise<Result<string, string>> {
  if (source.content !== undefined) {
    if (source.content.length > largest) return err(`${source.path}: larger than ${largest} characters`)
    return ok(source.content)
  }
  try {
    return ok(await readText(source.path, largest))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return err(`${source.path}: the config file cannot be read (${why})`)
  }
}

/** `{file:…}` in a variable's text is relative to the directory. */
const baseOf = (source: ConfigSource, input: LoadConfigInput) =>
  source.content === undefined ? source.path : join(input.directory, source.path)

/** Where relative entries of a source start: beside the file, above a `.cairn` or `.opencode` that holds it. */
function entriesStart(source: ConfigSource, input: LoadConfigInput): string {
  if (source.content !== undefined) return input.directory
  const directory = dirname(source.path)
  return [".cairn", ".opencode"].includes(basename(directory)) ? dirname(directory) : directory
}

/** Whether the user's config trusts the worktree, or the user did, and nothing has come since. */
async function trustBy(state: State, input: LoadConfigInput & Pick<Places, "paths">): Promise<Trust["by"]> {
  if (await covers(state.config.trust ?? [], input)) return "config"
  if (!existsSync(join(input.paths.stateDir, "trust.json"))) return undefined
  const { trustOf } = await import("./trust-of.ts")
  const { by, changed, changes } = await trustOf(input)
  const places = changes.map(({ item }) => item.where)
  if (changed)
    state.warnings.push(
      `The project has changed since you trusted it (${places.slice(0, 3).join(", ")}${places.length > 3 ? ", …" : ""}). Until you have seen how ("cairn trust"), it is not trusted.`,
    )
  return by
}

/** True when one of the user's trusted paths is the worktree or contains it, by real paths. */
async function covers(trust: readonly string[], { worktree, home }: LoadConfigInput): Promise<boolean> {
  const target = await real(worktree)
  for (const entry of trust) {
    const path = await real(entry === "~" || entry.startsWith("~/") ? join(home, entry.slice(1)) : resolve(home, entry))
    if (target === path || target.startsWith(path.endsWith(sep) ? path : path + sep)) return true
  }
  return false
}

const real = (path: string) => realpath(path).catch(() => resolve(path))
