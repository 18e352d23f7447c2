import { type Result, err, ok } from "@cairn/kernel/result"
import { PermissionConfig } from "@cairn/schema/config-permission"
import { PermissionRule, type PermissionRuleset } from "@cairn/schema/permission"
import * as jsonc from "jsonc-parser"
import { z } from "zod"
import { parseConfig } from "../config/parse.ts"
import { disabled, evaluate, expandHome } from "../permission/rule.ts"
import { defineProbe, type ProbeContext, type ProbeError } from "./define.ts"
import { mostSteps, tooLarge } from "./limit.ts"

const rules = {
  permission: PermissionConfig.optional(),
  rulesets: z.array(z.array(PermissionRule)).optional(),
}

/** The verdict of these rules alone on one ask: `{action}`. */
export const ruleProbe = defineProbe({
  request: z.object({ key: z.string(), pattern: z.string(), tools: z.array(z.string()).optional(), ...rules }),
  answer({ key, pattern, ...given }, around) {
    const ruleset = rulesOf(given, around)
    if (!ruleset.ok) return { error: ruleset.error }
    if (isTooMuch(ruleset.value, [key, pattern])) return tooLarge("pattern")
    return { action: evaluate(key, pattern, ruleset.value).action }
  },
})

/** The tools that these rules alone take away: `{disabled}`. */
export const disabledProbe = defineProbe({
  request: z.object({ tools: z.array(z.string()), ...rules }),
  answer({ tools, ...given }, around) {
    const ruleset = rulesOf(given, around)
    if (!ruleset.ok) return { error: ruleset.error }
    if (isTooMuch(ruleset.value, tools)) return tooLarge("tools")
    return { disabled: [...disabled(tools, ruleset.value)] }
  },
})

type Given = { readonly permission?: unknown; readonly rulesets?: readonly PermissionRuleset[] | undefined }

/** The rules in their order, with the home directory for `~`. A config's are read from the line itself: objects move keys that look like numbers. */
function rulesOf(given: Given, { line, home }: ProbeContext): Result<PermissionRuleset, ProbeError> {
  const { permission, rulesets } = given
  const expanded = (rules: PermissionRuleset) => ok(home === undefined ? rules : expandHome(rules, home))
  if ((permission === undefined) === (rulesets === undefined))
    return err({ kind: "bad_request", message: "Give either permission or rulesets." })
  if (rulesets) return expanded(rulesets.flat())
  const parsed = permissionOf(line)
  return parsed.ok ? expanded(parsed.value) : parsed
}

/** The rules of the request's `permission`, in the order in which they stand there. */
export function permissionOf(line: string): Result<PermissionRuleset, ProbeError> {
  const parsed = parseConfig(jsonc, line, "line")
  return parsed.ok ? ok(parsed.value.permission) : err({ kind: "bad_request", message: parsed.error })
}

/** Matching takes at most text × pattern steps. */
function isTooMuch(ruleset: PermissionRuleset, texts: readonly string[]): boolean {
  const patterns = ruleset.reduce((sum, rule) => sum + rule.permission.length + rule.pattern.length, 0)
  return patterns * texts.reduce((sum, text) => sum + text.length, 0) > mostSteps
}
