import type { PermissionRuleset } from "@cairn/schema/permission"
import { expandHome, type RuleStack } from "./rule.ts"

/** What holds before anybody has said anything. */
export const defaultRules: PermissionRuleset = [
  { permission: "*", pattern: "*", action: "allow" },
  { permission: "doom_loop", pattern: "*", action: "ask" },
  { permission: "external_directory", pattern: "*", action: "ask" },
  { permission: "question", pattern: "*", action: "deny" },
  { permission: "plan_enter", pattern: "*", action: "deny" },
  { permission: "plan_exit", pattern: "*", action: "deny" },
  { permission: "read", pattern: "*", action: "allow" },
  { permission: "read", pattern: "*.env", action: "ask" },
  { permission: "read", pattern: "*.env.*", action: "ask" },
  { permission: "read", pattern: "*.env.example", action: "allow" },
]

/** The rules of one agent in one directory, by who said them. Lists that nobody filled are left out. */
export interface RuleLayers {
  /** What the engine itself adds to the defaults: its spill directory, skill directories. */
  readonly engine?: PermissionRuleset
  /** The built-in agent's own. */
  readonly agent?: PermissionRuleset
  readonly user?: PermissionRuleset
  readonly project?: PermissionRuleset
  /** Variables and flags: the user's words for this run. */
  readonly override?: PermissionRuleset
  /** `agent.<name>.permission`, by the same three. */
  readonly agentUser?: PermissionRuleset
  readonly agentProject?: PermissionRuleset
  readonly agentOverride?: PermissionRuleset
  readonly session?: PermissionRuleset
  /** What nothing lifts: a read-only agent's denials, a subagent's parents. */
  readonly ceilings?: RuleStack
  readonly trusted: boolean
  readonly home: string
}

const everything: PermissionRuleset = ["*", "doom_loop", "external_directory"].map((permission) => ({
  permission,
  pattern: "*",
  action: "allow",
}))

/**
 * The layers as a stack, of which the strictest verdict counts:
 *
 *     ceilings        what nothing lifts
 *     all             defaults, engine, agent, user, project, override, agent.<name>, session; the last match wins
 *     without project when the project is not trusted: so it can tighten and never loosen
 *     user's denials  when it is trusted: it may loosen, but not against a deny of the user
 */
export function layerStack(layers: RuleLayers): RuleStack {
  const { engine = [], agent = [], user = [], project = [], override = [], session = [] } = layers
  const { agentUser = [], agentProject = [], agentOverride = [] } = layers
  const base = [...defaultRules, ...engine, ...agent]
  const stack: PermissionRuleset[] = [...(layers.ceilings ?? []), concatenated(layers)]
  if (project.length > 0 || agentProject.length > 0) {
    const own = [...user, ...override, ...agentUser, ...agentOverride, ...session]
    stack.push(layers.trusted ? [...everything, ...own.map(denialOnly)] : [...base, ...own])
  }
  return stack.map((rules) => expandHome(rules, layers.home))
}

const denialOnly = (rule: PermissionRuleset[number]): PermissionRuleset[number] =>
  rule.action === "deny" ? rule : { ...rule, action: "allow" }

/** What denies, as a ceiling: it denies the same and allows everything else. */
export function denialsOf(rules: PermissionRuleset): PermissionRuleset {
  return [...everything, ...rules.map(denialOnly)]
}

/** The rules of a subagent: its own under those of all its parents. Never looser than any of them, at any depth. */
export function ceiling(parents: RuleStack, agent: RuleStack): RuleStack {
  return [...parents, ...agent]
}

/** Every layer but the ceilings as one list, for display. Deciding takes `layerStack`. */
export function combinedRules(layers: RuleLayers): PermissionRuleset {
  return expandHome(concatenated(layers), layers.home)
}

function concatenated(layers: RuleLayers): PermissionRuleset {
  const { engine = [], agent = [], user = [], project = [], override = [], session = [] } = layers
  const { agentUser = [], agentProject = [], agentOverride = [] } = layers
  const named = [...agentUser, ...agentProject, ...agentOverride]
  return [...defaultRules, ...engine, ...agent, ...user, ...project, ...override, ...named, ...session]
}
