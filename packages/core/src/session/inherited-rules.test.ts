import { describe, expect, test } from "bun:test"
import type { PermissionRuleset } from "@cairn/schema/permission"
import type { Session } from "@cairn/schema/session"
import { createAgents } from "../agent/agents.ts"
import { decide, disabled, fromConfig, subjectOf } from "../permission/rule.ts"
import { agentIn, sessionsAbove } from "./inherited-rules.ts"

const agents = createAgents({ config: {}, layers: [], trusted: false, home: "/h" })

interface Known {
  readonly parentID?: string
  readonly agent?: string
  readonly permission?: PermissionRuleset
}
const reader = (sessions: Readonly<Record<string, Known>>) => ({
  session(id: string): Session | undefined {
    const known = sessions[id]
    const time = { created: 0, updated: 0 }
    return known && { id, slug: id, projectID: "p", directory: "/w", title: id, version: "test", time, ...known }
  },
})
function stackOf(sessions: Readonly<Record<string, Known>>, sessionID: string, name: string) {
  const agent = agents.get(name)
  if (!agent.ok) throw new Error(agent.error.message)
  return agentIn(reader(sessions), agents, sessionID, agent.value).rules
}
const act = (rules: ReturnType<typeof stackOf>, permission: string, text: string) =>
  decide(rules, permission, subjectOf(permission, text, "/w")).action

describe("the sessions above", () => {
  test("nearest first, to the top; one that is gone still counts, a circle ends", () => {
    const sessions = {
      c: { parentID: "b" },
      b: { parentID: "a" },
      a: {},
      x: { parentID: "gone" },
      y: { parentID: "y" },
    }
    expect(sessionsAbove(reader(sessions), "c")).toEqual(["b", "a"])
    expect(sessionsAbove(reader(sessions), "a")).toEqual([])
    expect(sessionsAbove(reader(sessions), "nobody")).toEqual([])
    expect(sessionsAbove(reader(sessions), "x")).toEqual(["gone"])
    expect(sessionsAbove(reader(sessions), "y")).toEqual([])
    expect(sessionsAbove(reader({ a: { parentID: "b" }, b: { parentID: "a" } }), "a")).toEqual(["b"])
  })
})

describe("the agent in a session", () => {
  test("without a session above, and without rules of the session, it is as it is", () => {
    const build = agents.get("build")
    if (!build.ok) throw new Error(build.error.message)
    expect(agentIn(reader({ a: {} }), agents, "a", build.value)).toBe(build.value)
  })

  test("below a session of plan it changes nothing, however deep, and editing is not even offered below explore", () => {
    const sessions = { top: { agent: "plan" }, mid: { agent: "build", parentID: "top" }, low: { parentID: "mid" } }
    for (const id of ["mid", "low"])
      for (const name of ["build", "general"]) {
        const rules = stackOf(sessions, id, name)
        expect(act(rules, "edit", "/w/src/a.ts")).toBe("deny")
        expect(act(rules, "bash", "rm x")).toBe("deny")
        expect(act(rules, "read", "/w/a.ts")).toBe("allow")
      }
    const below = stackOf({ top: { agent: "explore" }, low: { parentID: "top" } }, "low", "general")
    expect([...disabled(["edit", "write", "read"], ...below)]).toEqual(["edit", "write"])
  })

  test("what the session above may not do by its own rules its subagents may not do either, and no rule of theirs lifts it", () => {
    const sessions = {
      top: { permission: fromConfig({ bash: "deny", webfetch: "ask" }) },
      low: { parentID: "top", permission: fromConfig({ bash: "allow", webfetch: "allow", grep: "deny" }) },
    }
    const rules = stackOf(sessions, "low", "general")
    expect(["bash", "webfetch", "grep", "read"].map((key) => act(rules, key, "x"))).toEqual([
      "deny",
      "ask",
      "deny",
      "allow",
    ])
  })

  test("where nobody knows any more what the session above might do, everything is asked for", () => {
    const families: Record<string, Known>[] = [
      { low: { parentID: "gone" } },
      { low: { parentID: "top" }, top: { agent: "an agent that left the config" } },
    ]
    for (const sessions of families) {
      const rules = stackOf(sessions, "low", "build")
      for (const key of ["read", "edit", "bash", "doom_loop"]) expect(act(rules, key, "x")).toBe("ask")
      expect(disabled(["read", "edit"], ...rules).size).toBe(0)
    }
  })
})
