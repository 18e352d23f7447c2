import type { PermissionRule, PermissionRuleset } from "@cairn/schema/permission"

/** A rule that allows more than it seems to, and why. */
export interface RiskyRule {
  readonly rule: PermissionRule
  readonly reason: string
}

const interpreter =
  "runs any program that is written on its command line, so no other rule about commands holds against it"
const shell = "is a shell: whatever it is given runs, so no other rule about commands holds against it"
const elevated = "runs any command as another user"
const launcher = "runs any command that it is given"
const fetched = "fetches a program and runs it"
const remote = "runs commands on another machine"
const container = "runs containers, which may see and change the whole disk"

/** Programs for which a rule `name *: allow` allows everything. */
const programs: Readonly<Record<string, string>> = {
  ...entries(interpreter, "python python2 python3 node bun deno ruby perl php lua awk gawk osascript"),
  ...entries(shell, "bash sh zsh dash fish ksh pwsh powershell cmd eval source"),
  ...entries(elevated, "sudo su doas pkexec runas"),
  ...entries(launcher, "env xargs find parallel nohup timeout time exec command watch"),
  ...entries(fetched, "npx bunx uvx pipx"),
  ...entries(remote, "ssh"),
  ...entries(container, "docker podman"),
}

function entries(reason: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reason]))
}

/** The rules of one source that allow more than whoever wrote them may have meant, in order. */
export function riskyRules(rules: PermissionRuleset): RiskyRule[] {
  return rules.flatMap((rule): RiskyRule[] => {
    const reason = rule.action === "allow" ? reasonOf(rule, rules) : undefined
    return reason === undefined ? [] : [{ rule, reason }]
  })
}

function reasonOf(rule: PermissionRule, rules: PermissionRuleset): string | undefined {
  if (rule.permission !== "bash") return undefined
  if (rule.pattern === "*") {
    const denied = rules.find((one) => one.permission === "bash" && one.pattern !== "*" && one.action === "deny")
    return denied
      ? `allows every other command, and a script or an interpreter can do what ${JSON.stringify(denied.pattern)} denies; allow what is needed by name instead`
      : undefined
  }
  // `python *`, `python3.1*`, `/usr/bin/python *`: the program is named and its arguments are not.
  const program = /^(?:\S*\/)?([\w-]+?)[\d.]*(?: ?\*)+$/.exec(rule.pattern)?.[1]
  return program !== undefined && Object.hasOwn(programs, program) ? `${program} ${programs[program]}` : undefined
}
