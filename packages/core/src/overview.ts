import type { Agent as ShownAgent } from "@cairn/schema/agent"
import type { Engine } from "@cairn/schema/engine"
import type { Project, ProjectChange, ProjectInfo } from "@cairn/schema/project"
import { ok } from "@cairn/kernel/result"
import type { Agent } from "./agent/define.ts"
import { loadConfig } from "./config/load.ts"
import { redactConfig } from "./config/redact.ts"
import { decide, subjectOf } from "./permission/rule.ts"
import type { Parts } from "./parts.ts"

/** What the engine tells of its surroundings: agents, providers, projects. */
type Overview = Pick<
  Engine,
  | "agents"
  | "providers"
  | "project"
  | "projects"
  | "updateProject"
  | "projectDirectories"
  | "files"
  | "vcs"
  | "updateConfig"
  | "saveAuth"
>

export function overviewOf(parts: Parts): Overview {
  const { store, clock, agents, project, location, scope } = parts
  const current = (): Project => {
    const id = project.id()
    const worktree = location.commonDir === undefined ? location.directory : location.worktree
    return store.read.project(id) ?? { id, worktree, time: { created: 0, updated: 0 } }
  }
  /** By the rules of the agent that a session begins with. Nobody is asked, so that only an allow counts. */
  const allowing = () => {
    const agent = agents.primary()
    const rules = agent.ok ? agent.value.rules : []
    return (permission: string, path: string) =>
      decide(rules, permission, subjectOf(permission, path, location.worktree)).action === "allow"
  }
  return {
    agents: () => agents.list().map(shownAgent),
    saveAuth: (providerID, auth) => parts.auth.save(providerID, auth),
    async updateConfig(kind, change) {
      const { configFileIn, saveConfig } = await import("./config/save.ts")
      const place = kind === "user" ? parts.paths.config : location.directory
      const saved = await saveConfig(await configFileIn(place), change)
      if (!saved.ok) return saved
      const loaded = await loadConfig({ ...location, env: parts.env, home: parts.paths.home })
      return loaded.ok ? ok(redactConfig(loaded.value.config)) : loaded
    },
    async providers() {
      const { listProviders } = await import("./model/provider-list.ts")
      return listProviders({ catalog: parts.catalog, config: parts.config.config, models: parts.models })
    },
    async project() {
      await project.identify(scope.signal)
      return shownProject(current())
    },
    async files() {
      const { createFiles } = await import("./workspace/browse/files.ts")
      const { createSearch } = await import("./workspace/search.ts")
      const { ripgrepPath } = await import("./process/ripgrep.ts")
      const { supervisor, log } = parts
      const ripgrep = () => ripgrepPath(supervisor.env, { cacheDir: parts.paths.cache, log: log.child("file") })
      const search = createSearch({ supervisor, ripgrep })
      return createFiles({ ...location, search, signal: scope.signal, allows: allowing() })
    },
    async vcs() {
      const { createVcs } = await import("./workspace/browse/vcs.ts")
      const allows = allowing()
      const readable = (path: string) => allows("read", path)
      return createVcs({ git: parts.git, location, signal: scope.signal, readable })
    },
    projects: () => store.read.projects().map(shownProject),
    projectDirectories: (projectID) =>
      store.read.directories([projectID, ...(store.read.project(projectID)?.aliases ?? [])]),
    updateProject(projectID, change) {
      const known = projectID === project.id() ? current() : store.read.project(projectID)
      if (!known) return undefined
      const changed = { ...known, ...given(change), time: { ...known.time, updated: clock.now() } }
      store.append(projectID, [{ type: "project.updated", properties: changed }])
      return shownProject(changed)
    },
  }
}

/** No working tree is kept for a project here beside the ones that the user made. */
const shownProject = (project: Project): ProjectInfo => ({ ...project, sandboxes: [] })

function given({ name, icon, commands }: ProjectChange): ProjectChange {
  return { ...(name !== undefined && { name }), ...(icon && { icon }), ...(commands && { commands }) }
}

function shownAgent(agent: Agent): ShownAgent {
  const { name, mode, native, hidden, permission, options } = agent
  const { description, topP, temperature, color, model, variant, prompt, steps } = agent
  return {
    ...{ name, mode, native, hidden, permission, options: { ...options } },
    ...(description !== undefined && { description }),
    ...(topP !== undefined && { topP }),
    ...(temperature !== undefined && { temperature }),
    ...(color !== undefined && { color }),
    ...(model && { model: { providerID: model.providerID, modelID: model.modelID } }),
    ...(variant !== undefined && { variant }),
    ...(prompt !== undefined && { prompt }),
    ...(steps !== undefined && { steps }),
  }
}
