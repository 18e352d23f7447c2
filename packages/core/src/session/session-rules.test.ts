import { expect, test } from "bun:test"
import { decide, disabled } from "../permission/rule.ts"
import { layerStack } from "../permission/layers.ts"
import { rulesAfter } from "./session-rules.ts"

const rule = (permission: string, action: "allow" | "deny", pattern = "*") => ({ permission, pattern, action })

test("tools become rules; writers share the key of all editing", () => {
  expect(rulesAfter([], { bash: false, write: false, list: true })).toEqual([
    rule("bash", "deny"),
    rule("edit", "deny"),
    rule("list", "allow"),
  ])
  expect(rulesAfter([], {})).toEqual([])
})

test("the last word on a tool replaces the ones before, narrower rules stay", () => {
  const before = [rule("bash", "deny"), rule("read", "deny", "*.env"), rule("grep", "deny")]
  expect(rulesAfter(before, { bash: true, read: true })).toEqual([
    rule("read", "deny", "*.env"),
    rule("grep", "deny"),
    rule("bash", "allow"),
    rule("read", "allow"),
  ])
  let rules = rulesAfter([], { bash: false })
  for (let n = 0; n < 5; n++) rules = rulesAfter(rules, { bash: n % 2 === 0 })
  expect(rules).toEqual([rule("bash", "allow")])
})

test("behind all other rules they take away and give, but lift no ceiling", () => {
  const layers = { user: [rule("bash", "deny")], trusted: true, home: "/" }
  const given = layerStack({ ...layers, session: rulesAfter([], { bash: true, grep: false }) })
  expect(decide(given, "bash", "ls").action).toBe("allow")
  expect([...disabled(["bash", "grep", "read"], ...given)]).toEqual(["grep"])
  const readOnly = layerStack({
    ...layers,
    ceilings: [[rule("*", "allow"), rule("edit", "deny")]],
    session: rulesAfter([], { write: true }),
  })
  expect([...disabled(["write", "read"], ...readOnly)]).toEqual(["write"])
})
