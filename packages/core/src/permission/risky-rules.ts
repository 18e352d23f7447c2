import type { PermissionRule, PermissionRuleset } from "@cairn/schema/permission"
import { riskyPrograms } from "./risky-programs.ts"
import { covers } from "./rule.ts"

/** A rule that allows more than it seems to, and why. */
export interface RiskyRule {
  readonly rule: PermissionRule
  readonly reason: string
}

/** The rules of one source that allow more than whoever wrote them may have meant, in order. What a later rule takes back is none. */
export function riskyRules(rules: PermissionRuleset): RiskyRule[] {
  return rules.flatMap((rule, index): RiskyRule[] => {
    const reason = rule.action === "allow" ? reasonOf(rule, rules.slice(index + 1)) : undefined
    return reason === undefined ? [] : [{ rule, reason }]
  })
}

function reasonOf(rule: PermissionRule, later: PermissionRuleset): string | undefined {
  if (later.some((one) => one.action !== "allow" && covers(one, key(rule)) && takesBack(one, rule))) return undefined
  if (rule.permission === "doom_loop")
    return "lets a model that turns in circles go on, also where nobody watches and every call is paid for"
  if (rule.permission === "external_directory") return outside(rule.pattern)
  if (!covers(rule, "bash")) return undefined
  if (isGeneral(rule.pattern)) return everything(later)
  // Other tools have patterns of their own: what they mean for commands nobody meant.
  if (rule.permission !== "bash") return undefined
  if (/^[*?]/.test(rule.pattern))
    return "begins with a wildcard, so whatever command stands in front is allowed as well"
  return programReason(rule.pattern)
}

/** What a rule with a wildcard for its key is looked at for. */
const key = (rule: PermissionRule): string => (covers(rule, "bash") ? "bash" : rule.permission)

const takesBack = (one: PermissionRule, rule: PermissionRule): boolean =>
  isGeneral(one.pattern) || one.pattern === rule.pattern

const isGeneral = (pattern: string): boolean => /^\*+$/.test(pattern)

function everything(later: PermissionRuleset): string {
  const narrower = later.filter((one) => one.permission === "bash" && !isGeneral(one.pattern))
  const held = narrower.find((one) => one.action === "deny") ?? narrower.find((one) => one.action === "ask")
  if (!held)
    return "allows every command: where no sandbox bounds them, they may change and send whatever you may; allow what is needed by name instead"
  const does = held.action === "deny" ? "denies" : "asks about"
  return `allows every other command, and a script or an interpreter can do what ${JSON.stringify(held.pattern)} ${does}; allow what is needed by name instead`
}

function outside(pattern: string): string | undefined {
  if (/^\/?\*+$|^\/$/.test(pattern))
    return "lets tools read and change the whole disk, other projects and keys included"
  if (/^(?:~|\$HOME)(?:\/\**)?$/.test(pattern))
    return "lets tools read and change your whole home directory, other projects and keys included"
  return undefined
}

/** Options with which a program only speaks of itself. */
const harmless: ReadonlySet<string> = new Set(["--version", "--help", "-V", "-h", "-v"])

/** `python *`, `python3.1*`, `/usr/bin/python -m *`, `npm exec -- *`: the program is named and its arguments are not. */
function programReason(pattern: string): string | undefined {
  const head = /^(.*?\S) ?\*+(?: \*+)*$/s.exec(pattern)?.[1]
  if (head === undefined || /[*?]/.test(head)) return undefined
  const [first = "", ...rest] = head.split(/\s+/)
  if (rest.some((word) => harmless.has(word))) return undefined
  const program = first.slice(first.lastIndexOf("/") + 1)
  const words = rest.filter((word) => !word.startsWith("-"))
  for (const name of [program, program.replace(/[-\d.]+$/, "")]) {
    const reason = riskyPrograms.get([name, ...words].join(" "))
    if (reason !== undefined) return `${[name, ...words].join(" ")} ${reason}`
  }
  return undefined
}
