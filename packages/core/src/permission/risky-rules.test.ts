import { expect, test } from "bun:test"
import type { PermissionRule } from "@cairn/schema/permission"
import { riskyPrograms } from "./risky-programs.ts"
import { riskyRules } from "./risky-rules.ts"

const bash = (pattern: string, action: PermissionRule["action"] = "allow"): PermissionRule => ({
  permission: "bash",
  pattern,
  action,
})

test.each([
  ["python *", "python runs any program"],
  ["python3*", "python runs any program"],
  ["python3.12 *", "python runs any program"],
  ["/usr/bin/node *", "runs any program"],
  ["python -m *", "runs any program"],
  ["node --import tsx/esm*", undefined],
  ["bash *", "is a shell"],
  ["bash -c *", "is a shell"],
  ["sudo *", "as another user"],
  ["env *", "any command that it is given"],
  ["xargs **", "any command that it is given"],
  ["xargs * *", "any command that it is given"],
  ["npx *", "fetches"],
  ["npx -y *", "fetches"],
  ["npm exec -- *", "npm exec fetches"],
  ["uv run *", "any program of the project"],
  ["docker *", "containers"],
  ["docker compose run *", "containers"],
  ["ssh *", "another machine"],
  ["*install*", "begins with a wildcard"],
  ["?udo x", "begins with a wildcard"],
])("%s is risky", (pattern, reason) => {
  const expected = reason === undefined ? [] : [{ rule: bash(pattern), reason: expect.stringContaining(reason) }]
  expect(riskyRules([bash(pattern)])).toEqual(expected)
})

test.each([...riskyPrograms])("%s *: %s", (name, reason) => {
  for (const pattern of [`${name} *`, `${name}*`, `/opt/bin/${name} --flag *`]) {
    const [found] = riskyRules([bash(pattern)])
    expect([pattern, found?.reason]).toEqual([pattern, expect.stringContaining(reason)])
  }
  // By name it is what it looks like, and only an allow is risky.
  expect(riskyRules([bash(name), bash(`${name} --version*`), bash(`${name} *`, "ask"), bash(`${name} x.y *`)])).toEqual(
    [],
  )
})

test.each([
  "git *",
  "npm test*",
  "python --version",
  "python scripts/*.py",
  "bash build.sh *",
  "nodemon *",
  "constructor *",
  "npm run *",
  "npm *",
  "make *",
  "cargo test *",
  "docker compose up *",
  "kubectl get *",
  "python -m pytest *",
  "python --version*",
  "go test *",
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
  expect(riskyRules([bash("*"), bash("rm *", "ask")])[0]?.reason).toContain(`"rm *" asks about`)
})

test("everything allowed is said, under any key that means commands too; what is taken back is not", () => {
  for (const permission of ["bash", "*", "b*"]) {
    const all = { permission, pattern: "*", action: "allow" } as const
    expect(riskyRules([all])).toEqual([{ rule: all, reason: expect.stringContaining("where no sandbox bounds them") }])
    expect(riskyRules([all, bash("*", "ask")])).toEqual([])
    expect(riskyRules([bash("*", "ask"), all])).toHaveLength(1)
  }
  expect(riskyRules([bash("python *"), bash("python *", "deny")])).toEqual([])
  expect(riskyRules([bash("python *"), bash("**", "ask")])).toEqual([])
  expect(riskyRules([bash("python *"), bash("python x *", "deny"), bash("*")])).toHaveLength(2)
  expect(riskyRules([{ permission: "mcp_*", pattern: "*", action: "allow" }])).toEqual([])
})

test("outside of the project, and loops", () => {
  const rule = (permission: string, pattern: string) => ({ permission, pattern, action: "allow" }) as const
  for (const pattern of ["*", "/*", "/**", "/"])
    expect(riskyRules([rule("external_directory", pattern)])[0]?.reason).toContain("whole disk")
  for (const pattern of ["~", "~/*", "$HOME/**"])
    expect(riskyRules([rule("external_directory", pattern)])[0]?.reason).toContain("whole home directory")
  expect(riskyRules([rule("external_directory", "~/notes/*"), rule("external_directory", "/tmp/*")])).toEqual([])
  expect(riskyRules([rule("doom_loop", "*")])[0]?.reason).toContain("turns in circles")
  // No wildcard key speaks of these two.
  expect(riskyRules([rule("*_directory", "*"), rule("doom_*", "*")])).toEqual([])
})
