import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { EngineOptions } from "../engine-options.ts"
import { loadConfig, type LoadedConfig } from "../config/load.ts"
import { xdgPaths } from "../config/paths.ts"
import { createCatalog } from "../model/catalog.ts"
import { createModels } from "../model/registry.ts"
import { createNet } from "../net/net.ts"
import { riskyRules } from "../permission/risky-rules.ts"
import { ruleText } from "../permission/rule.ts"
import { childEnvironment } from "../process/environment.ts"
import { createSupervisor } from "../process/supervisor.ts"
import { locate } from "../workspace/project.ts"
import type { Check, DoctorReport } from "./check.ts"
import { databaseChecks } from "./database.ts"
import { directoryChecks } from "./directories.ts"
import { modelChecks, networkCheck } from "./models.ts"
import { programChecks, sandboxCheck } from "./programs.ts"

export interface DoctorOptions extends Pick<EngineOptions, "directory" | "env" | "home" | "version" | "clock"> {
  /** Also open one connection to the provider of the default model. */
  readonly network: boolean
}

/**
 * Looks at everything a run needs, also where a run cannot start, and changes nothing: no directory is created, no
 * database migrated or set aside (the executable unpacks its ripgrep into the cache, as it does in a run). Nothing
 * leaves the machine unless `network` is set.
 */
export async function examine(options: DoctorOptions): Promise<DoctorReport> {
  const { env, home, network } = options
  const clock = options.clock ?? systemClock
  await using group = new TaskGroup()
  await using supervisor = createSupervisor({ clock, log: silentLog, env: childEnvironment(env) })
  const paths = xdgPaths(env, home)
  const { signal } = group
  const checks: Check[] = [runtimeCheck(options.version)]
  const location = await locate(options.directory)
  const directory = location.ok ? location.value.directory : home
  checks.push(...(await programChecks({ supervisor, cacheDir: paths.cacheDir, directory, signal })))
  checks.push(...directoryChecks(paths), ...databaseChecks(join(paths.dataDir, "cairn.db"), clock.now()))
  if (!location.ok) {
    checks.push({ area: "config", name: "directory", state: "broken", text: location.error.message })
    return reportOf(checks)
  }
  const config = await loadConfig({ ...location.value, env, home })
  if (!config.ok) {
    checks.push({ area: "config", name: "files", state: "broken", text: config.error.message })
    return reportOf(checks)
  }
  const { worktree } = location.value
  checks.push(await sandboxCheck({ supervisor, directory: worktree, signal }, !config.value.unbounded))
  checks.push(...configChecks(config.value), ...permissionChecks(config.value))
  const net = createNet({ env, log: silentLog, clock })
  const catalog = createCatalog()
  const models = createModels({ catalog, config: config.value.config, env, net, clock, log: silentLog })
  checks.push(...modelChecks({ models, catalog, config: config.value.config, env }))
  checks.push(network ? await networkCheck(models, net, signal) : untested)
  return reportOf(checks)
}

const untested: Check = { area: "network", name: "provider", state: "note", text: "not tried (--network tries it)" }

function reportOf(checks: readonly Check[]): DoctorReport {
  return { ok: checks.every(({ state }) => state !== "broken"), checks }
}

function runtimeCheck(version: string): Check {
  const compiled = /\$bunfs|~BUN/.test(import.meta.path)
  const text = `Cairn ${version} ${compiled ? "as an executable" : "from source"}, Bun ${Bun.version}, ${process.platform} ${process.arch}`
  return { area: "runtime", name: "version", state: "ok", text }
}

function configChecks({ sources, warnings, trusted }: LoadedConfig): Check[] {
  const area = "config"
  const read = sources.map(({ path, layer }): Check => ({ area, name: layer, state: "ok", text: path }))
  const none: Check[] = read.length === 0 ? [{ area, name: "files", state: "ok", text: "none, the defaults hold" }] : []
  const distrusted: Check[] =
    !trusted && sources.some(({ layer }) => layer === "project")
      ? [
          {
            area,
            name: "trust",
            state: "note",
            text: 'the project is not trusted: its files may tighten rules, not loosen them ("cairn trust" shows more)',
          },
        ]
      : []
  return [
    ...read,
    ...none,
    ...distrusted,
    ...warnings.map((text): Check => ({ area, name: "key", state: "warning", text })),
  ]
}

function permissionChecks({ layers }: LoadedConfig): Check[] {
  return layers.flatMap(({ source, permission, agents }) =>
    [permission, ...Object.values(agents)].flatMap((rules) =>
      riskyRules(rules).map(({ rule, reason }): Check => ({
        ...{ area: "permission", name: "rule", state: "warning", text: `${source}: ${ruleText(rule)}` },
        advice: `${reason}.`,
      })),
    ),
  )
}
