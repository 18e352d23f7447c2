import { err, ok, type Result } from "@cairn/kernel/result"
import type { AgentConfig } from "@cairn/schema/config-agent"
import type { SetupError } from "@cairn/schema/error"
import type { ModelRef } from "@cairn/schema/model"
import type { PermissionRuleset } from "@cairn/schema/permission"
import type { SourceLayer } from "../config/discover.ts"
import type { LoadedConfig } from "../config/load.ts"
import { nearest } from "../config/nearest.ts"
import { combinedRules, denialsOf, layerStack, type RuleLayers } from "../permission/layers.ts"
import { type BuiltIn, builtInAgents } from "./built-in.ts"
import type { Agent, AgentMode } from "./define.ts"

/** The agents of one directory. Errors name what was meant and what exists. */
export interface Agents {
  /** Any agent by its name, hidden ones too. */
  get(name: string): Result<Agent, SetupError>
  /** One that may lead a session: the named one, or the default (`default_agent`, else build, else the first there is). */
  primary(name?: string): Result<Agent, SetupError>
  /** Every agent that is not disabled, built-in ones first. */
  list(): readonly Agent[]
  /** The agent as it is in a session with rules of its own. */
  within(agent: Agent, rules: PermissionRuleset): Agent
}

export interface AgentsInput extends Pick<LoadedConfig, "config" | "layers" | "trusted"> {
  readonly home: string
  /** What the engine adds to the default rules, such as its spill directory. */
  readonly engineRules?: PermissionRuleset
}

export function createAgents(input: AgentsInput): Agents {
  const { config } = input
  const configured = new Map<string, AgentConfig>()
  for (const [name, mode] of Object.entries(config.mode ?? {})) configured.set(name, { mode: "primary", ...mode })
  for (const [name, agent] of Object.entries(config.agent ?? {}))
    configured.set(name, { ...configured.get(name), ...agent })
  const native = new Map(builtInAgents.map((agent) => [agent.name, agent]))
  const known = new Map<string, Result<Agent, SetupError>>()
  for (const name of new Set([...native.keys(), ...configured.keys()])) {
    const own = configured.get(name) ?? {}
    if (own.disable !== true) known.set(name, assemble(name, native.get(name), own, input))
  }
  const list = [...known.values()].flatMap((agent) => (agent.ok ? [agent.value] : []))
  const leads = list.filter((agent) => agent.mode !== "subagent" && !agent.hidden)

  const get = (name: string) => {
    return (
      known.get(name) ??
      err(
        unknown(
          name,
          list.map((agent) => agent.name),
          configured.get(name)?.disable === true,
        ),
      )
    )
  }
  return {
    get,
    list: () => list,
    within(agent, rules) {
      if (rules.length === 0) return agent
      const layers = { ...layersOf(agent.name, native.get(agent.name), input), session: rules }
      return { ...agent, rules: layerStack(layers), permission: combinedRules(layers) }
    },
    primary(name) {
      const wanted = name ?? config.default_agent
      if (wanted === undefined) {
        const first = leads.find((agent) => agent.name === "build") ?? leads[0]
        // A broken build agent is said, not passed over.
        if (known.get("build")?.ok === false) return get("build")
        return first
          ? ok(first)
          : err({ kind: "config", message: "No agent is left that can lead a session: all are disabled or subagents." })
      }
      const found = known.get(wanted)
      if (found && !found.ok) return found
      if (found && leads.includes(found.value)) return found
      const names = leads.map((agent) => agent.name)
      const source = name === undefined ? "default_agent: " : ""
      if (!found) {
        const problem = unknown(wanted, names, configured.get(wanted)?.disable === true)
        return err({ ...problem, message: source + problem.message })
      }
      const what = found.value.hidden ? "works in the background" : "is a subagent"
      return err({
        kind: "usage",
        message: `${source}The agent "${wanted}" ${what} and cannot lead a session. Choose one of: ${names.join(", ")}.`,
      })
    },
  }
}

function unknown(name: string, names: readonly string[], isDisabled: boolean): SetupError {
  if (isDisabled)
    return { kind: "usage", message: `The agent "${name}" is disabled by the config. There are: ${names.join(", ")}.` }
  const near = nearest(name, names)
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`
  return { kind: "usage", message: `There is no agent "${name}".${hint} There are: ${names.join(", ")}.` }
}

/** Keys of `agent.<name>` with a meaning of their own; everything else is an option of the model's calls. */
const listed: ReadonlySet<string> = new Set([
  ..."model model_fallback variant temperature top_p prompt tools disable description mode hidden options".split(" "),
  ..."color steps maxSteps permission".split(" "),
])

function assemble(
  name: string,
  native: BuiltIn | undefined,
  own: AgentConfig,
  input: AgentsInput,
): Result<Agent, SetupError> {
  const refs: ModelRef[] = []
  for (const [key, text] of [
    ["model", own.model] as const,
    ...(own.model_fallback ?? []).map((one) => ["model_fallback", one] as const),
  ]) {
    if (text === undefined) continue
    const ref = modelRef(text)
    if (!ref)
      return err({ kind: "config", message: `agent.${name}.${key}: "${text}" is not of the form provider/model.` })
    refs.push(ref)
  }
  const model = own.model === undefined ? undefined : refs[0]
  const fallback = own.model === undefined ? refs : refs.slice(1)
  const layers = layersOf(name, native, input)
  const mode: AgentMode = own.mode ?? native?.mode ?? "all"
  const extra = Object.fromEntries(Object.entries(own).filter(([key]) => !listed.has(key)))
  return ok({
    ...defined({
      description: own.description ?? native?.description,
      model,
      modelFallback: own.model_fallback && fallback,
      variant: own.variant,
      temperature: own.temperature ?? native?.temperature,
      topP: own.top_p,
      prompt: own.prompt ?? native?.prompt,
      reminder: native?.reminder,
      steps: own.steps ?? own.maxSteps,
      color: own.color,
    }),
    name,
    mode,
    native: native !== undefined,
    hidden: own.hidden ?? native?.hidden ?? false,
    readOnly: native?.readOnly ?? false,
    options: { ...own.options, ...extra },
    rules: layerStack(layers),
    permission: combinedRules(layers),
  })
}

/** The rules of one agent, by who said them. A read-only agent's denials become a ceiling. */
function layersOf(name: string, native: BuiltIn | undefined, input: AgentsInput): RuleLayers {
  const from = (layer: SourceLayer) => {
    const own = input.layers.filter((one) => one.layer === layer)
    return {
      all: own.flatMap((one) => one.permission),
      agent: own.flatMap((one) => (Object.hasOwn(one.agents, name) ? one.agents[name]! : [])),
    }
  }
  const [user, project, override] = [from("user"), from("project"), from("override")]
  return {
    engine: input.engineRules ?? [],
    agent: native?.permission ?? [],
    user: user.all,
    project: project.all,
    override: override.all,
    agentUser: user.agent,
    agentProject: project.agent,
    agentOverride: override.agent,
    ceilings: native?.readOnly ? [denialsOf(native.permission)] : [],
    trusted: input.trusted,
    home: input.home,
  }
}

/** `provider/model`; a model id may contain slashes. */
function modelRef(text: string): ModelRef | undefined {
  const slash = text.indexOf("/")
  if (slash <= 0 || slash === text.length - 1) return undefined
  return { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) }
}

/** Without the fields that are undefined. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
