import { isAbsolute, join, relative, sep } from "node:path"
import type { PermissionConfig } from "@cairn/schema/config-permission"
import type { PermissionAction, PermissionRule, PermissionRuleset } from "@cairn/schema/permission"
import { longestLine, looseWords } from "./loose-words.ts"
import { hasWildcard, wildcard } from "./wildcard.ts"

/** Rule lists of which the strictest verdict counts. Adding a list can only tighten. */
export type RuleStack = readonly PermissionRuleset[]

export interface Verdict {
  readonly action: PermissionAction
  /** What decided; none when no rule matched. */
  readonly rule?: PermissionRule
}

/** What a rule's pattern is held against: a text, or a path with its two names. */
export type Subject = string | PathSubject
export interface PathSubject {
  /** Relative to the worktree when inside, else the absolute path. */
  readonly name: string
  /** Patterns that begin with `/` are held against this. */
  readonly absolute: string
}

/** Only rules with exactly these keys speak of them. */
const uncovered: ReadonlySet<string> = new Set(["doom_loop", "external_directory"])
/** Keys whose patterns are paths. */
const pathKeys: ReadonlySet<string> = new Set(["read", "edit", "list", "external_directory"])
const editTools: ReadonlySet<string> = new Set(["edit", "write", "apply_patch"])
const strictness: Readonly<Record<PermissionAction, number>> = { allow: 0, ask: 1, deny: 2 }

/** `permission` of a config as rules, in the order of its keys. With `home`, a leading `~` or `$HOME` is expanded. */
export function fromConfig(config: PermissionConfig, home?: string): PermissionRuleset {
  const rules = typeof config === "string" ? [rule("*", "*", config)] : Object.entries(config).flatMap(fromEntry)
  return home === undefined ? rules : expandHome(rules, home)
}

function fromEntry([permission, value]: [string, PermissionConfigEntry | undefined]): PermissionRuleset {
  if (value === undefined) return []
  if (typeof value === "string") return [rule(permission, "*", value)]
  return Object.entries(value).map(([pattern, action]) => rule(permission, pattern, action))
}
type PermissionConfigEntry = PermissionAction | Readonly<Record<string, PermissionAction>>

const rule = (permission: string, pattern: string, action: PermissionAction): PermissionRule => ({
  permission,
  pattern,
  action,
})

/** The same rules with a leading `~` or `$HOME` of a pattern as the home directory. */
export function expandHome(rules: PermissionRuleset, home: string): PermissionRuleset {
  return rules.map((one) => {
    const rest = /^(?:~|\$HOME)(?=\/|$)(.*)$/s.exec(one.pattern)?.[1]
    return rest === undefined ? one : { ...one, pattern: home + rest }
  })
}

/** The last rule whose key and pattern match decides; nothing matches → ask. Lists are read one after the other. */
export function evaluate(permission: string, subject: Subject, ...rulesets: readonly PermissionRuleset[]): Verdict {
  for (const ruleset of rulesets.toReversed()) {
    const found = ruleset.findLast((one) => covers(one, permission) && matchesSubject(one, subject))
    if (found) return { action: found.action, rule: found }
  }
  return { action: "ask" }
}

/** The strictest verdict over the stack, the first of equals. An empty stack asks. */
export function decide(stack: RuleStack, permission: string, subject: Subject): Verdict {
  const verdicts = stack.map((ruleset) => evaluate(permission, subject, ruleset))
  return strictest(verdicts) ?? { action: "ask" }
}

/**
 * For a command line that nobody can read before it runs. No pattern narrower than `*` allows it: every list must say
 * allow for `*` and hold nothing narrower that asks or denies. A narrower deny that matches any text in the line that
 * could turn out to be a command denies.
 */
export function decideOpaque(stack: RuleStack, permission: string, line: string): Verdict {
  return strictest(stack.map((ruleset) => opaque(ruleset, permission, line))) ?? { action: "ask" }
}

function opaque(ruleset: PermissionRuleset, permission: string, line: string): Verdict {
  const rules = ruleset.filter((one) => covers(one, permission))
  const last = rules.findLastIndex((one) => one.pattern === "*")
  const general = rules[last]
  if (general?.action === "deny") return { action: "deny", rule: general }
  // What stands before the general rule is overruled by it.
  const narrower = rules.slice(last + 1).filter((one) => one.action !== "allow")
  const deny = narrower.find((one) => one.action === "deny")
  if (deny) {
    if (line.length > longestLine) return { action: "deny", rule: deny }
    for (const text of looseWords(line)) {
      const verdict = evaluate(permission, text, rules)
      if (verdict.action === "deny") return verdict
    }
  }
  const first = deny ?? narrower[0]
  if (first) return { action: "ask", rule: first }
  return general ? { action: general.action, rule: general } : { action: "ask" }
}

export function strictest<T extends Verdict>(verdicts: readonly T[]): T | undefined {
  return verdicts.reduce<T | undefined>(
    (worst, one) => (worst && strictness[worst.action] >= strictness[one.action] ? worst : one),
    undefined,
  )
}

/** True when `a` is at least as strict as `b`. */
export const asStrict = (a: PermissionAction, b: PermissionAction): boolean => strictness[a] >= strictness[b]

/** The key that a tool asks under: all writers share `edit`. */
export const toolKey = (tool: string): string => (editTools.has(tool) ? "edit" : tool)

/** Tools that need not be offered: the last rule for their key has the pattern `*` and denies, in any list of the stack. */
export function disabled(tools: readonly string[], ...stack: RuleStack): Set<string> {
  return new Set(
    tools.filter((tool) =>
      stack.some((ruleset) => {
        const last = ruleset.findLast((one) => covers(one, toolKey(tool)))
        return last?.pattern === "*" && last.action === "deny"
      }),
    ),
  )
}

/** A pattern of an ask as rules see it: a path has its two names under the path keys. */
export function subjectOf(permission: string, pattern: string, worktree: string): Subject {
  if (!pathKeys.has(permission)) return pattern
  const absolute = isAbsolute(pattern) ? pattern : join(worktree, pattern)
  const way = relative(worktree, absolute)
  const outside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)
  return { name: outside ? absolute : way || ".", absolute }
}

/** `bash "git push *": ask`, for messages. */
export const ruleText = (one: PermissionRule): string =>
  `${one.permission} ${JSON.stringify(one.pattern)}: ${one.action}`

/** Does a rule speak of a permission? */
export function covers(one: PermissionRule, permission: string): boolean {
  if (one.permission === permission) return true
  return hasWildcard(one.permission) && !uncovered.has(permission) && wildcard(permission, one.permission)
}

function matchesSubject(one: PermissionRule, subject: Subject): boolean {
  if (typeof subject === "string") return wildcard(subject, one.pattern)
  return wildcard(one.pattern.startsWith("/") ? subject.absolute : subject.name, one.pattern)
}
