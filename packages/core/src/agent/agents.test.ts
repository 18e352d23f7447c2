import { describe, expect, test } from "bun:test"
import type { Config } from "@cairn/schema/config"
import type { PermissionAction, PermissionRuleset } from "@cairn/schema/permission"
import type { ConfigLayer } from "../config/load.ts"
import { planCommand } from "../permission/command.ts"
import { planVerdict } from "../permission/command-verdict.ts"
import { loadBashParser } from "../permission/shell/parser.ts"
import { decide, disabled, fromConfig, subjectOf } from "../permission/rule.ts"
import { type AgentsInput, createAgents } from "./agents.ts"
import type { Agent } from "./define.ts"

const layer = (
  kind: ConfigLayer["layer"],
  permission: PermissionRuleset,
  agents: ConfigLayer["agents"] = {},
): ConfigLayer => ({
  source: kind,
  layer: kind,
  permission,
  agents,
})
const parse = await loadBashParser()
const create = (config: Config = {}, more: Partial<AgentsInput> = {}) =>
  createAgents({ config, layers: [], trusted: false, home: "/h", ...more })
function agent(name: string, config: Config = {}, more: Partial<AgentsInput> = {}): Agent {
  const found = create(config, more).get(name)
  if (!found.ok) throw new Error(found.error.message)
  return found.value
}
const act = (who: Agent, permission: string, subject: string): PermissionAction =>
  decide(who.rules, permission, subjectOf(permission, subject, "/w")).action
const run = (who: Agent, line: string): PermissionAction =>
  planVerdict(
    planCommand(parse, line, { cwd: "/w", worktree: "/w", home: "/h", unbounded: true }).asks,
    who.rules,
    "/w",
  )
const problem = (result: ReturnType<ReturnType<typeof create>["get"]>) => (result.ok ? "" : result.error.message)

test("within a session that has rules they are the last word, also where a project speaks; without any nothing changes", () => {
  const deny = { permission: "bash", pattern: "*", action: "deny" } as const
  const project = [layer("project", [deny])]
  const agents = create({}, { layers: project, trusted: true })
  const build = agents.get("build")
  if (!build.ok) throw new Error(build.error.message)
  expect(agents.within(build.value, [])).toBe(build.value)
  expect(act(build.value, "bash", "ls")).toBe("deny")
  const within = agents.within(build.value, [
    { ...deny, action: "allow" },
    { ...deny, permission: "grep" },
  ])
  expect([act(within, "bash", "ls"), act(within, "grep", "x")]).toEqual(["allow", "deny"])
  expect(within.permission.at(-1)).toMatchObject({ permission: "grep", action: "deny" })
  const plan = agents.get("plan")
  const lifted = plan.ok && agents.within(plan.value, [{ permission: "edit", pattern: "*", action: "allow" }])
  expect(lifted && act(lifted, "edit", "src/a.ts")).toBe("deny")
})

describe("built in", () => {
  test("seven, of which two lead and two are given work", () => {
    const list = create().list()
    expect(list.map((one) => one.name)).toEqual([
      "build",
      "plan",
      "general",
      "explore",
      "compaction",
      "title",
      "summary",
    ])
    expect(list.filter((one) => one.mode === "primary" && !one.hidden).map((one) => one.name)).toEqual([
      "build",
      "plan",
    ])
    expect(list.filter((one) => one.mode === "subagent").map((one) => one.name)).toEqual(["general", "explore"])
    expect(list.every((one) => one.native)).toBe(true)
    expect(agent("title").temperature).toBe(0.5)
    for (const name of ["title", "summary", "compaction", "explore", "general"]) expect(agent(name).prompt).toBeString()
    expect(agent("plan").reminder).toContain("planning")
  })

  test("build may do everything but leave the worktree or go in circles", () => {
    const build = agent("build")
    expect(["bash", "edit", "question", "plan_enter", "mcp_x"].map((key) => act(build, key, "x"))).toEqual(
      Array(5).fill("allow"),
    )
    expect(act(build, "external_directory", "/etc/*")).toBe("ask")
    expect(act(build, "doom_loop", "bash")).toBe("ask")
    expect(act(build, "plan_exit", "*")).toBe("deny")
    expect(act(build, "read", "/w/.env")).toBe("ask")
  })

  test("general has no todo list, nor questions", () => {
    expect([...disabled(["todowrite", "question", "bash", "edit"], ...agent("general").rules)]).toEqual([
      "todowrite",
      "question",
    ])
  })

  test("those that work in the background have no tools", () => {
    for (const name of ["title", "summary", "compaction"]) {
      expect([
        ...disabled(
          ["bash", "read", "edit", "task"],
          ...agent(name, {}, { layers: [layer("user", fromConfig("allow"))] }).rules,
        ),
      ]).toHaveLength(4)
    }
  })
})

describe("read-only agents", () => {
  const allow: PermissionRuleset = [
    ...fromConfig("allow"),
    ...fromConfig({ edit: "allow", bash: { "*": "allow", "rm *": "allow" } }),
  ]
  const lifted: Partial<AgentsInput> = {
    trusted: true,
    layers: [
      layer("user", allow, { plan: allow, explore: allow }),
      layer("project", allow, { plan: allow, explore: allow }),
      layer("override", allow, { plan: allow, explore: allow }),
    ],
  }

  test.each(["plan", "explore"])("%s stays read-only whatever the config allows", (name) => {
    for (const who of [agent(name), agent(name, {}, lifted)]) {
      expect(act(who, "edit", "/w/src/a.ts")).toBe("deny")
      for (const line of [
        "rm x",
        "touch x",
        "npm install",
        "git commit -m x",
        "git checkout x",
        "git diff --output=x",
        "git branch x",
        "sort -o x y",
        "sort -ro x y",
        "sed -i s/a/b/ x",
        "find . -delete",
        "ls && rm x",
        "echo x > a.ts",
        "cat a >> b",
        "env make",
        "bash -c make",
        "echo $(rm x)",
        "cat <<EOF > x\ny\nEOF",
        "tee x",
        "python x.py",
      ]) {
        expect([name, line, run(who, line)]).toEqual([name, line, "deny"])
      }
    }
  })

  test.each(["plan", "explore"])("%s can look", (name) => {
    const who = agent(name)
    for (const line of [
      "ls -la",
      "git log -3 | head -5",
      "cat a.ts && wc -l a.ts",
      "rg x",
      "git diff",
      "find . -name '*.ts'",
    ]) {
      expect([line, run(who, line)]).toEqual([line, "allow"])
    }
    expect(act(who, "read", "/w/a.ts")).toBe("allow")
    expect(act(who, "read", "/w/.env")).toBe("ask")
    expect(disabled(["read", "grep", "glob", "bash"], ...who.rules).size).toBe(0)
  })

  test("plan writes plan files and nothing that only looks like one", () => {
    const plan = agent("plan", {}, lifted)
    expect(act(plan, "edit", "/w/.cairn/plans/today.md")).toBe("allow")
    expect(act(plan, "edit", "/w/.opencode/plans/today.md")).toBe("allow")
    for (const path of [
      "/w/.cairn/plans/a/b.md",
      "/w/.cairn/plans/a.ts",
      "/w/x/.cairn/plans/a.md",
      "/x/.cairn/plans/a.md",
    ]) {
      expect([path, act(plan, "edit", path)]).toEqual([path, "deny"])
    }
    expect(disabled(["edit", "write"], ...plan.rules).size).toBe(0)
    expect(act(plan, "task", "general")).toBe("deny")
    expect(act(plan, "task", "explore")).toBe("allow")
  })

  test("explore has only what it needs", () => {
    expect([
      ...disabled(
        ["edit", "write", "task", "todowrite", "read", "bash", "webfetch"],
        ...agent("explore", {}, lifted).rules,
      ),
    ]).toEqual(["edit", "write", "task", "todowrite"])
  })
})

describe("config", () => {
  test("changes a built-in agent", () => {
    const build = agent("build", {
      agent: {
        build: {
          model: "p/vendor/m",
          model_fallback: ["q/m"],
          temperature: 0.1,
          top_p: 0.9,
          prompt: "hi",
          maxSteps: 5,
          color: "accent",
          options: { a: 1 },
          reasoningEffort: "high",
        },
      },
    })
    expect(build).toMatchObject({
      native: true,
      mode: "primary",
      model: { providerID: "p", modelID: "vendor/m" },
      modelFallback: [{ providerID: "q", modelID: "m" }],
      temperature: 0.1,
      topP: 0.9,
      prompt: "hi",
      steps: 5,
      color: "accent",
      options: { a: 1, reasoningEffort: "high" },
    })
    expect(agent("build", { agent: { build: { steps: 3, maxSteps: 5 } } }).steps).toBe(3)
  })

  test("adds agents; the older `mode` makes ones that lead", () => {
    const agents = create({ agent: { review: { description: "r" } }, mode: { ship: { prompt: "s" } } })
    expect(
      agents
        .list()
        .slice(-2)
        .map((one) => [one.name, one.mode, one.native]),
    ).toEqual([
      ["ship", "primary", false],
      ["review", "all", false],
    ])
    expect(agents.primary("ship").ok && agents.primary("review").ok).toBe(true)
  })

  test("rules of the agent stand above the user's, the project's above neither", () => {
    const layers = [
      layer("user", fromConfig({ bash: "ask" }), { build: fromConfig({ bash: { "ls *": "allow", "rm *": "deny" } }) }),
      layer("project", fromConfig({ bash: "allow" }), { build: fromConfig({ bash: "allow" }) }),
    ]
    const untrusted = agent("build", {}, { layers })
    expect(["ls", "make", "rm x"].map((line) => run(untrusted, line))).toEqual(["allow", "ask", "deny"])
    const trusted = agent("build", {}, { layers, trusted: true })
    expect(["ls", "make", "rm x"].map((line) => run(trusted, line))).toEqual(["allow", "allow", "deny"])
    expect(run(agent("general", {}, { layers }), "rm x")).toBe("ask")
  })

  test("rules that the engine adds are defaults", () => {
    const engineRules: PermissionRuleset = [{ permission: "external_directory", pattern: "/spill/*", action: "allow" }]
    expect(act(agent("build", {}, { engineRules }), "external_directory", "/spill/*")).toBe("allow")
    const layers = [layer("user", fromConfig({ external_directory: "deny" }))]
    expect(act(agent("build", {}, { engineRules, layers }), "external_directory", "/spill/*")).toBe("deny")
  })

  test("a model that is not provider/model is an error of that agent alone", () => {
    const agents = create({ agent: { build: { model: "gpt" }, plan: { model_fallback: ["/x"] } } })
    expect(problem(agents.get("build"))).toBe('agent.build.model: "gpt" is not of the form provider/model.')
    expect(problem(agents.get("plan"))).toContain("agent.plan.model_fallback")
    expect(problem(agents.primary())).toContain("agent.build.model")
    expect(agents.get("general").ok).toBe(true)
  })
})

describe("choosing", () => {
  test("build, or default_agent, or the first that is left", () => {
    const name = (config: Config) => {
      const found = create(config).primary()
      return found.ok ? found.value.name : found.error.message
    }
    expect(name({})).toBe("build")
    expect(name({ default_agent: "plan" })).toBe("plan")
    expect(name({ agent: { build: { disable: true } } })).toBe("plan")
    expect(name({ agent: { build: { disable: true }, plan: { disable: true } } })).toContain("No agent is left")
    expect(name({ default_agent: "nobody" })).toStartWith('default_agent: There is no agent "nobody".')
    expect(name({ default_agent: "explore" })).toContain("is a subagent")
  })

  test("an unknown name, with the nearest", () => {
    const agents = create()
    expect(problem(agents.get("paln"))).toBe(
      'There is no agent "paln". Did you mean "plan"? There are: build, plan, general, explore, compaction, title, summary.',
    )
    expect(problem(agents.primary("biuld"))).toBe(
      'There is no agent "biuld". Did you mean "build"? There are: build, plan.',
    )
    expect(problem(agents.get("constructor"))).toContain("There is no agent")
  })

  test("a subagent, a hidden or a disabled one cannot lead", () => {
    expect(problem(create().primary("general"))).toBe(
      'The agent "general" is a subagent and cannot lead a session. Choose one of: build, plan.',
    )
    expect(problem(create().primary("title"))).toContain("works in the background")
    expect(problem(create({ agent: { plan: { disable: true } } }).primary("plan"))).toContain("is disabled")
  })
})
