import { expect, test } from "bun:test"
import type { PermissionRule } from "@cairn/schema/permission"
import { riskyRules } from "./risky-rules.ts"

const bash = (pattern: string, action: PermissionRule["action"] = "allow"): PermissionRule => ({
  permission: "bash",
  pattern,
  action,
})

test.each([
  ["python *", "runs any program"],
  ["python3*", "runs any program"],
  ["python3.12 *", "runs any program"],
  ["/usr/bin/node *", "runs any program"],
  ["bash *", "is a shell"],
  ["sudo *", "as another user"],
  ["env *", "any command that it is given"],
  ["xargs **", "any command that it is given"],
  ["npx *", "fetches"],
  ["docker *", "containers"],
  ["ssh *", "another machine"],
])("%s is risky", (pattern, reason) => {
  expect(riskyRules([bash(pattern)])).toEqual([{ rule: bash(pattern), reason: expect.stringContaining(reason) }])
})

test.each([
  "git *",
  "npm test*",
  "python --version",
  "python scripts/*.py",
  "bash build.sh *",
  "nodemon *",
  "constructor *",
  "ls",
  "",
])("%j is as it looks", (pattern) => {
  expect(riskyRules([bash(pattern)])).toEqual([])
})

test("only an allow is risky, and only for commands", () => {
  expect(riskyRules([bash("sudo *", "ask"), bash("sudo *", "deny")])).toEqual([])
  expect(riskyRules([{ permission: "edit", pattern: "*", action: "allow" }])).toEqual([])
})

test("everything allowed beside a narrower deny: the deny is named", () => {
  const [found, ...more] = riskyRules([bash("*"), bash("git push *", "deny"), bash("rm *", "ask")])
  expect(more).toEqual([])
  expect(found?.reason).toContain(`"git push *" denies`)
  expect(riskyRules([bash("*"), bash("rm *", "ask")])).toEqual([])
})
