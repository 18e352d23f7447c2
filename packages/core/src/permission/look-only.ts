import type { PermissionAction, PermissionRuleset } from "@cairn/schema/permission"
import type { RuleStack } from "./rule.ts"

/** Commands that only look. */
const looking = [
  ..."ls pwd cd cat head tail wc nl cut tr grep egrep fgrep rg find stat du df diff cmp jq echo printf".split(" "),
  ..."which basename dirname realpath readlink true test [ sort".split(" "),
  ..."status log diff show blame ls-files ls-tree rev-parse grep shortlog describe cat-file"
    .split(" ")
    .map((name) => `git ${name}`),
].map((command) => `${command} *`)
/** Of those, what writes after all. */
const writing = ["git * --outp*", "sort *-*o*", "sort -*o*", "rg *--pre*", "* --output*"]

const rules = (action: PermissionAction, patterns: readonly string[]): PermissionRuleset =>
  patterns.map((pattern) => ({ permission: "bash", pattern, action }))

/** What keeps a read-only agent's commands from writing where no sandbox does. */
export const lookOnly: PermissionRuleset = [
  ...rules("deny", ["*"]),
  ...rules("allow", looking),
  ...rules("deny", writing),
]

const denials: ReadonlySet<unknown> = new Set(lookOnly.filter(({ action }) => action === "deny"))

/** The same rules for a command that a sandbox keeps from writing: `lookOnly` denies nothing, everybody else's rules hold. */
export function withoutLookOnly(stack: RuleStack): RuleStack {
  return stack.map((list) => list.map((rule) => (denials.has(rule) ? { ...rule, action: "allow" as const } : rule)))
}
