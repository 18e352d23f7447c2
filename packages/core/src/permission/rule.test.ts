import { describe, expect, test } from "bun:test"
import type { PermissionAction, PermissionRule, PermissionRuleset } from "@cairn/schema/permission"
import fc from "fast-check"
import { ceiling, defaultRules, denialsOf, layerStack, type RuleLayers } from "./layers.ts"
import { asStrict, decide, decideOpaque, disabled, evaluate, fromConfig, strictest, subjectOf } from "./rule.ts"

const rules = (...list: [string, string, PermissionAction][]): PermissionRuleset =>
  list.map(([permission, pattern, action]) => ({ permission, pattern, action }))
const act = (permission: string, subject: string, ...rulesets: PermissionRuleset[]) =>
  evaluate(permission, subject, ...rulesets).action

describe("rules", () => {
  test("the last match wins, across lists too", () => {
    const first = rules(["bash", "*", "deny"], ["bash", "git *", "allow"])
    expect(act("bash", "git status", first)).toBe("allow")
    expect(act("bash", "ls", first)).toBe("deny")
    expect(act("bash", "git status", first, rules(["*", "*", "ask"]))).toBe("ask")
    expect(act("bash", "git status", rules(["*", "*", "ask"]), first)).toBe("allow")
  })

  test("nothing matches: ask, and no rule", () => {
    expect(evaluate("bash", "ls")).toEqual({ action: "ask" })
    expect(evaluate("bash", "ls", rules(["edit", "*", "allow"]))).toEqual({ action: "ask" })
  })

  test("no wildcard key speaks of doom_loop or external_directory", () => {
    for (const key of ["*", "doom_*", "external_*", "?oom_loop", "*_directory"]) {
      const list = rules([key, "*", "allow"])
      expect(act("doom_loop", "bash", list)).toBe("ask")
      expect(act("external_directory", "/etc/*", list)).toBe("ask")
    }
    expect(act("doom_loop", "bash", rules(["doom_loop", "*", "deny"]))).toBe("deny")
    expect(act("mcp_search", "*", rules(["mcp_*", "*", "deny"]))).toBe("deny")
  })

  test("config forms, in the order of the keys, with the home directory expanded", () => {
    expect(fromConfig("allow")).toEqual(rules(["*", "*", "allow"]))
    expect(
      fromConfig({ bash: { "*": "ask", "~/bin/*": "allow", "$HOME/x": "deny", "a ~": "ask" }, edit: "deny" }, "/h"),
    ).toEqual(
      rules(
        ["bash", "*", "ask"],
        ["bash", "/h/bin/*", "allow"],
        ["bash", "/h/x", "deny"],
        ["bash", "a ~", "ask"],
        ["edit", "*", "deny"],
      ),
    )
    expect(
      fromConfig({ read: { "~": "deny", "~user/x": "deny", $HOMER: "ask" } }, "/h").map((rule) => rule.pattern),
    ).toEqual(["/h", "~user/x", "$HOMER"])
  })

  test("a path is known by its name in the worktree and by its absolute name", () => {
    const subject = subjectOf("edit", "/w/src/a.ts", "/w")
    expect(subject).toEqual({ name: "src/a.ts", absolute: "/w/src/a.ts" })
    expect(subjectOf("edit", "src/a.ts", "/w")).toEqual(subject)
    for (const pattern of ["src/*", "/w/src/*", "/w/*", "*"]) {
      expect(evaluate("edit", subject, rules(["edit", pattern, "deny"])).action).toBe("deny")
    }
    expect(evaluate("edit", subject, rules(["edit", "w/*", "deny"])).action).toBe("ask")
    expect(subjectOf("edit", "/w-evil/a", "/w")).toEqual({ name: "/w-evil/a", absolute: "/w-evil/a" })
    expect(subjectOf("edit", "/w/..a/b", "/w")).toEqual({ name: "..a/b", absolute: "/w/..a/b" })
    expect(subjectOf("bash", "/w/src/a.ts", "/w")).toBe("/w/src/a.ts")
  })

  test("a directory above the worktree that looks like a rule does not trigger it", () => {
    expect(evaluate("read", subjectOf("read", "/h/x.env.d/src/a.ts", "/h/x.env.d"), defaultRules).action).toBe("allow")
    expect(evaluate("read", subjectOf("read", "/h/x.env.d/.env", "/h/x.env.d"), defaultRules).action).toBe("ask")
    expect(evaluate("read", subjectOf("read", "/h/p/a/.env.local", "/h/p"), defaultRules).action).toBe("ask")
    expect(evaluate("read", subjectOf("read", "/h/p/.env.example", "/h/p"), defaultRules).action).toBe("allow")
  })

  test("a tool is not offered when the last rule for its key denies everything", () => {
    const tools = ["bash", "edit", "write", "apply_patch", "read"]
    expect([...disabled(tools, rules(["*", "*", "allow"], ["edit", "*", "deny"]))]).toEqual([
      "edit",
      "write",
      "apply_patch",
    ])
    expect([...disabled(tools, rules(["bash", "*", "deny"], ["bash", "git *", "allow"]))]).toEqual([])
    expect([...disabled(tools, rules(["bash", "git *", "allow"], ["bash", "*", "deny"]))]).toEqual(["bash"])
    expect([...disabled(tools, rules(["*", "*", "deny"], ["read", "*", "allow"]))]).toEqual([
      "bash",
      "edit",
      "write",
      "apply_patch",
    ])
    expect([...disabled(tools)]).toEqual([])
  })
})

describe("opaque lines", () => {
  const verdict = (line: string, ...list: [string, string, PermissionAction][]) =>
    decideOpaque([[...rules(["*", "*", "allow"]), ...rules(...list)]], "bash", line).action

  test("they follow the rule for everything when nothing narrower speaks", () => {
    expect(verdict("echo $(date)")).toBe("allow")
    expect(verdict("echo $(date)", ["bash", "*", "ask"])).toBe("ask")
    expect(verdict("echo $(date)", ["bash", "*", "deny"], ["bash", "echo *", "allow"])).toBe("deny")
    expect(decideOpaque([rules(["bash", "echo *", "allow"])], "bash", "echo $(date)").action).toBe("ask")
    expect(decideOpaque([], "bash", "echo $(date)").action).toBe("ask")
  })

  test("a narrower deny denies what it may be about and asks for the rest", () => {
    for (const line of [
      "env rm -rf x",
      "sudo /bin/rm x",
      "bash -c 'rm x'",
      'bash -c "r""m x"',
      "xargs rm",
      "X=rm; $X foo",
      "r\\m $(ls)",
      "rm${IFS}-rf${IFS}x",
      "(cd a && rm x)",
      "for f in *; do rm $f; done",
      "`rm x`",
      "timeout 5 \\\nrm x",
    ]) {
      expect([line, verdict(line, ["bash", "rm *", "deny"])]).toEqual([line, "deny"])
    }
    expect(verdict("$CMD x", ["bash", "rm *", "deny"])).toBe("ask")
    expect(verdict("echo $(date)", ["bash", "git push *", "ask"])).toBe("ask")
  })

  test("what stands before a rule for everything is overruled by it", () => {
    expect(verdict("env rm x", ["bash", "rm *", "deny"], ["bash", "*", "allow"])).toBe("allow")
  })

  test("a line too long to look through is denied where something is denied", () => {
    const line = `$(${"x ".repeat(40_000)})`
    expect(verdict(line)).toBe("allow")
    expect(verdict(line, ["bash", "rm *", "deny"])).toBe("deny")
  })
})

const layers = (parts: Partial<RuleLayers>): RuleLayers => ({ trusted: false, home: "/h", ...parts })
const decided = (parts: Partial<RuleLayers>, permission: string, subject: string) =>
  decide(layerStack(layers(parts)), permission, subject).action

describe("layers", () => {
  test("defaults", () => {
    expect(decided({}, "bash", "ls")).toBe("allow")
    expect(decided({}, "doom_loop", "bash")).toBe("ask")
    expect(decided({}, "external_directory", "/etc/*")).toBe("ask")
    expect(decided({}, "question", "*")).toBe("deny")
    expect(
      decided({ engine: rules(["external_directory", "/spill/*", "allow"]) }, "external_directory", "/spill/*"),
    ).toBe("allow")
  })

  test("built-in agent, user, agent of the user, session: each above the one before", () => {
    const agent = rules(["bash", "*", "deny"])
    const user = rules(["bash", "*", "allow"])
    const agentUser = rules(["bash", "*", "ask"])
    const session = rules(["bash", "ls *", "allow"])
    expect(decided({ agent }, "bash", "ls")).toBe("deny")
    expect(decided({ agent, user }, "bash", "ls")).toBe("allow")
    expect(decided({ agent, user, agentUser }, "bash", "ls")).toBe("ask")
    expect(decided({ agent, user, agentUser, session }, "bash", "ls")).toBe("allow")
    expect(decided({ agent, user, agentUser, session }, "bash", "cat")).toBe("ask")
  })

  test("an untrusted project tightens and never loosens", () => {
    const user = rules(["bash", "*", "ask"], ["bash", "rm *", "deny"])
    const project = rules(["bash", "*", "allow"], ["edit", "*", "deny"], ["external_directory", "*", "allow"])
    for (const agentProject of [undefined, project]) {
      const parts = agentProject ? { user, agentProject } : { user, project }
      expect(decided(parts, "bash", "ls")).toBe("ask")
      expect(decided(parts, "bash", "rm x")).toBe("deny")
      expect(decided(parts, "edit", "a")).toBe("deny")
      expect(decided(parts, "external_directory", "/etc/*")).toBe("ask")
    }
  })

  test("a trusted project loosens an ask and a default, never a deny of the user", () => {
    const parts = {
      trusted: true,
      user: rules(["bash", "*", "ask"], ["bash", "rm *", "deny"]),
      agentUser: rules(["edit", "*", "deny"]),
      project: rules(["*", "*", "allow"], ["external_directory", "*", "allow"], ["doom_loop", "*", "deny"]),
    }
    expect(decided(parts, "bash", "ls")).toBe("allow")
    expect(decided(parts, "bash", "rm x")).toBe("deny")
    expect(decided(parts, "edit", "a")).toBe("deny")
    expect(decided(parts, "external_directory", "/etc/*")).toBe("allow")
    expect(decided(parts, "doom_loop", "bash")).toBe("deny")
  })

  test("a user's deny that the user lifts again is not in the project's way", () => {
    const user = rules(["bash", "*", "deny"], ["bash", "git *", "ask"])
    expect(decided({ trusted: true, user, project: rules(["bash", "git *", "allow"]) }, "bash", "git log")).toBe(
      "allow",
    )
  })

  test("variables and flags are the user's words for this run and stand above the project", () => {
    const parts = { project: rules(["bash", "*", "deny"]), override: rules(["bash", "*", "allow"]) }
    expect(decided({ ...parts, trusted: true }, "bash", "ls")).toBe("allow")
    expect(decided(parts, "bash", "ls")).toBe("allow")
  })

  test("a ceiling is lifted by nothing", () => {
    const ceilings = [denialsOf(rules(["edit", "*", "deny"], ["edit", ".cairn/plans/*.md", "allow"]))]
    const allow = rules(["*", "*", "allow"], ["edit", "*", "allow"])
    const parts = { ceilings, user: allow, project: allow, agentUser: allow, session: allow, trusted: true }
    expect(decided(parts, "edit", "src/a.ts")).toBe("deny")
    expect(decided(parts, "edit", ".cairn/plans/a.md")).toBe("allow")
    expect(decided(parts, "bash", "ls")).toBe("allow")
    expect([...disabled(["edit", "bash"], ...layerStack(layers(parts)))]).toEqual([])
    const whole = { ...parts, ceilings: [denialsOf(rules(["edit", "*", "deny"]))] }
    expect([...disabled(["edit", "write", "bash"], ...layerStack(layers(whole)))]).toEqual(["edit", "write"])
  })

  test("home is expanded in every layer", () => {
    expect(decided({ user: rules(["read", "~/secret/*", "deny"]) }, "read", "/h/secret/a")).toBe("deny")
  })
})

const key = fc.constantFrom("bash", "edit", "*", "doom_loop", "external_directory", "b*")
const pattern = fc.constantFrom("*", "a", "a *", "a b", "?", "*b")
const action = fc.constantFrom<PermissionAction>("allow", "ask", "deny")
const ruleset: fc.Arbitrary<PermissionRule[]> = fc.array(fc.record({ permission: key, pattern, action }), {
  maxLength: 6,
})
const question = fc.tuple(
  fc.constantFrom("bash", "edit", "doom_loop", "external_directory"),
  fc.constantFrom("a", "a b", "b", "c"),
)

describe("for any rules", () => {
  test("a child is never looser than its parents, at any depth", () => {
    fc.assert(
      fc.property(
        fc.array(ruleset, { minLength: 1, maxLength: 4 }),
        ruleset,
        ruleset,
        question,
        (parents, child, grandchild, [permission, subject]) => {
          const parent = decide(parents, permission, subject).action
          const first = ceiling(parents, [child])
          const second = ceiling(first, [grandchild])
          expect(asStrict(decide(first, permission, subject).action, parent)).toBe(true)
          expect(asStrict(decide(second, permission, subject).action, decide(first, permission, subject).action)).toBe(
            true,
          )
          expect(
            asStrict(
              decideOpaque(first, permission, subject).action,
              decideOpaque(parents, permission, subject).action,
            ),
          ).toBe(true)
          const offered = disabled(["bash", "edit"], ...parents)
          for (const tool of offered) expect(disabled(["bash", "edit"], ...second).has(tool)).toBe(true)
        },
      ),
    )
  })

  test("an untrusted project never loosens; a trusted one never lifts a user's deny", () => {
    fc.assert(
      fc.property(ruleset, ruleset, ruleset, question, (user, project, agentProject, [permission, subject]) => {
        const without = decided({ user }, permission, subject)
        expect(asStrict(decided({ user, project, agentProject }, permission, subject), without)).toBe(true)
        if (evaluate(permission, subject, user).action === "deny") {
          expect(decided({ user, project, agentProject, trusted: true }, permission, subject)).toBe("deny")
        }
      }),
    )
  })

  test("an opaque line is never judged more mildly than a plain one that is the same text", () => {
    fc.assert(
      fc.property(ruleset, fc.constantFrom("a", "a b", "b", "c"), (list, text) => {
        const plain = evaluate("bash", text, list).action
        const opaque = decideOpaque([list], "bash", text).action
        if (plain === "deny") expect(opaque).toBe("deny")
        if (opaque === "allow") expect(plain).toBe("allow")
      }),
    )
  })

  test("the strictest of verdicts is one of them", () => {
    fc.assert(
      fc.property(fc.array(action), (actions) => {
        const worst = strictest(actions.map((one) => ({ action: one })))?.action
        expect(worst).toBe(actions.includes("deny") ? "deny" : actions.includes("ask") ? "ask" : actions[0])
      }),
    )
  })
})
