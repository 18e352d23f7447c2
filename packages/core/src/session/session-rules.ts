import type { PermissionRuleset } from "@cairn/schema/permission"
import { toolKey } from "../permission/rule.ts"

/**
 * The session's own rules after a prompt's `tools`: `false` takes a tool away, `true` gives it, from this prompt on. They stand
 * behind all other rules, so the last word counts; what a read-only agent may not do stays forbidden.
 */
export function rulesAfter(rules: PermissionRuleset, tools: Readonly<Record<string, boolean>>): PermissionRuleset {
  const own = Object.entries(tools).map(([tool, given]) => ({
    permission: toolKey(tool),
    pattern: "*",
    action: given ? ("allow" as const) : ("deny" as const),
  }))
  const replaced = new Set(own.map(({ permission }) => permission))
  return [...rules.filter((one) => one.pattern !== "*" || !replaced.has(one.permission)), ...own]
}
