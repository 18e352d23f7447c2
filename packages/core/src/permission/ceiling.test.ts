import { expect, test } from "bun:test"
import { Ids } from "@cairn/kernel/id"
import { TaskGroup } from "@cairn/kernel/task"
import type { PermissionAction, PermissionRule } from "@cairn/schema/permission"
import fc from "fast-check"
import { builtInAgents } from "../agent/built-in.ts"
import type { Ask } from "./ask.ts"
import { createAsks } from "./asks.ts"
import { planCommand } from "./command.ts"
import { planVerdict } from "./command-verdict.ts"
import { ceiling, denialsOf, layerStack } from "./layers.ts"
import { asStrict, decide, decideOpaque, disabled, fromConfig, type RuleStack, subjectOf } from "./rule.ts"
import { loadBashParser } from "./shell/parser.ts"

const parse = await loadBashParser()
const tools = ["read", "edit", "write", "apply_patch", "glob", "grep", "list", "bash", "task", "webfetch", "mcp_x"]
const keys = [...tools, "lsp", "skill", "todowrite", "question", "websearch", "doom_loop", "external_directory"]
const texts = [
  ...["git status", "git push origin", "rm x", "bash", "src/a.ts", "/w/src/a.ts", "/w/.env", "/w/.git/config"],
  ...["/etc/passwd", "/etc/*", "general", "x", ""],
]
const lines = [
  ...["git status", "rm x && ls", "cat /w/.env", "echo hi > .git/hooks/pre-commit", "env sudo rm x", "eval $X"],
  ...["cd /etc && cat passwd", "$(cat x) y", "true", "A=1", "for f in *; do rm $f; done", "sed -i s/a/b/ .env"],
]

const key = fc.constantFrom(...keys, "*", "e*", "mcp_*", "?ash", "*_directory")
const pattern = fc.constantFrom(
  "*",
  "**",
  "git *",
  "rm *",
  "src/*",
  "/w/*",
  "*.env",
  ".git/*",
  "/etc/*",
  "eval *",
  "x",
  "?",
)
const action = fc.constantFrom<PermissionAction>("allow", "ask", "deny")
const rules: fc.Arbitrary<PermissionRule[]> = fc.array(fc.record({ permission: key, pattern, action }), {
  maxLength: 8,
})
/** An agent as it comes out of the layers, read-only or not. */
const stack: fc.Arbitrary<RuleStack> = fc
  .record({
    user: rules,
    project: rules,
    agentUser: rules,
    session: rules,
    own: rules,
    trusted: fc.boolean(),
    bound: fc.boolean(),
  })
  .map(({ own, bound, ...layers }) =>
    layerStack({ ...layers, agent: own, ceilings: bound ? [denialsOf(own)] : [], home: "/h" }),
  )
/** Agents from the top session down: each but the first is a subagent of the one before. */
const family = fc.array(stack, { minLength: 2, maxLength: 4 })

const place = { cwd: "/w", worktree: "/w", home: "/h" }
const plans = lines.map((line) => planCommand(parse, line, place).asks)

test("whatever a child's rules say, at any depth: under the ceiling nothing is freer than any session above it", () => {
  fc.assert(
    fc.property(family, (agents) => {
      let above = agents[0]!
      for (const own of agents.slice(1)) {
        const child = ceiling(above, own)
        for (const permission of keys)
          for (const text of texts) {
            const subject = subjectOf(permission, text, "/w")
            const verdict = decide(child, permission, subject).action
            expect(asStrict(verdict, decide(above, permission, subject).action)).toBe(true)
            expect(asStrict(verdict, decide(own, permission, subject).action)).toBe(true)
          }
        for (const asks of plans)
          for (const parent of [above, own])
            expect(asStrict(planVerdict(asks, child, "/w"), planVerdict(asks, parent, "/w"))).toBe(true)
        for (const line of lines)
          expect(asStrict(decideOpaque(child, "bash", line).action, decideOpaque(above, "bash", line).action)).toBe(
            true,
          )
        for (const tool of disabled(tools, ...above)) expect(disabled(tools, ...child).has(tool)).toBe(true)
        above = child
      }
    }),
    { numRuns: 60 },
  )
}, 60_000)

test("the ceiling adds nothing of its own: a child that is told as much as its parent may do as much", () => {
  fc.assert(
    fc.property(stack, (own) => {
      const child = ceiling(own, own)
      for (const permission of keys)
        for (const text of texts) {
          const subject = subjectOf(permission, text, "/w")
          expect(decide(child, permission, subject).action).toBe(decide(own, permission, subject).action)
        }
    }),
    { numRuns: 40 },
  )
})

test.each(["plan", "explore"])("%s: no layer lifts a denial, nor does a child of it", (name) => {
  const native = builtInAgents.find((one) => one.name === name)!
  const denied = denialsOf(native.permission)
  const allowed = fromConfig(Object.fromEntries(keys.map((each) => [each, "allow" as const])))
  fc.assert(
    fc.property(rules, rules, rules, fc.boolean(), (user, project, session, trusted) => {
      const layers = {
        ...{ agent: native.permission, ceilings: [denied], home: "/h", trusted },
        ...{
          user: [...allowed, ...user],
          project: [...allowed, ...project],
          agentUser: allowed,
          agentProject: allowed,
        },
        ...{ override: allowed, agentOverride: allowed, session: [...allowed, ...session] },
      }
      const own = layerStack(layers)
      const child = ceiling(own, layerStack({ ...layers, agent: [], ceilings: [] }))
      for (const permission of keys)
        for (const text of texts) {
          const subject = subjectOf(permission, text, "/w")
          if (decide([denied], permission, subject).action !== "deny") continue
          expect(decide(own, permission, subject).action).toBe("deny")
          expect(decide(child, permission, subject).action).toBe("deny")
        }
      for (const path of ["/w/src/a.ts", "/w/.git/config"])
        expect(decide(own, "edit", subjectOf("edit", path, "/w")).action).toBe("deny")
    }),
    { numRuns: 60 },
  )
})

test("auto never answers a loop or a protected path, by whatever rules; a deny stays one", async () => {
  const protectedPath = { reason: "it is protected", protected: true }
  await fc.assert(
    fc.asyncProperty(stack, fc.constantFrom(...keys), fc.constantFrom(...texts), async (own, permission, text) => {
      let replies = 0
      const asks = createAsks({
        ids: new Ids({ now: () => 1 }),
        approvals: () => ({ session: fromConfig("allow"), project: fromConfig({ [permission]: "allow" }) }),
        append: (_, events) => {
          for (const event of events)
            if (event.type === "permission.replied" && event.properties.reply !== "reject") replies++
        },
      })
      const scope = { sessionID: "ses_1", agent: "a", rules: own, worktree: "/w", signal: new TaskGroup().signal }
      const auto = { ...scope, mode: "auto" as const }
      const ask: Ask = { permission, patterns: [text], always: [text] }
      expect((await asks.ask({ ...ask, mustAsk: protectedPath }, auto)).ok).toBe(false)
      expect(replies).toBe(0)
      const verdict = decide(own, permission, subjectOf(permission, text, "/w")).action
      if (verdict === "deny") expect((await asks.ask(ask, auto)).ok).toBe(false)
      const loop = await asks.ask({ permission: "doom_loop", patterns: [text], always: [] }, auto)
      // Only who wrote it by its own name, or approved it, has answered it: nothing does by itself.
      const written = decide(own, "doom_loop", text).action
      if (permission !== "doom_loop") expect(loop.ok).toBe(written === "allow")
      expect(replies).toBe(0)
    }),
    { numRuns: 300 },
  )
})
