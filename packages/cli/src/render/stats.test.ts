import { describe, expect, test } from "bun:test"
import type { ModelUsage, SessionUsage, Stats, ToolUsage, Usage } from "@cairn/schema/stats"
import { styleOf } from "../terminal/look.ts"
import { type StatsView, statsText } from "./stats.ts"

const usage = (more: Partial<Usage> = {}): Usage => ({
  calls: 10,
  tokens: { input: 1_000, output: 500, reasoning: 100, cache: { read: 8_000, write: 1_000 } },
  cost: 1.25,
  unpriced: 0,
  cacheHitRate: 0.8,
  ...more,
})
const model = (modelID: string, more: Partial<Usage> = {}): ModelUsage => ({
  providerID: "anthropic",
  modelID,
  ...usage(more),
})
const session = (title: string, more: Partial<SessionUsage> = {}): SessionUsage => ({
  ...{ id: "ses_0123456789abcdefghijklmnop", title, directory: "/repo/a", subagents: 0 },
  ...usage(),
  ...more,
})
const tool = (name: string, more: Partial<ToolUsage> = {}): ToolUsage => ({
  ...{ tool: name, calls: 4, failures: 1, requests: 10, schemaTokens: 3_000, outputTokens: 5_000 },
  ...more,
})
const stats = (more: Partial<Stats> = {}): Stats => ({
  to: new Date(2026, 10, 22, 12).getTime(),
  totals: { ...usage({ unpriced: 2 }), sessions: 3, subagents: 1, deleted: 1 },
  days: [{ date: "2026-11-22", ...usage() }],
  models: [model("claude-sonnet-4-5"), model("local", { cost: 0, unpriced: 10 })],
  agents: [],
  projects: [
    { id: "a", directory: "/repo/a", sessions: 2, ...usage() },
    { id: "b", sessions: 1, ...usage({ cost: 0.004 }) },
  ],
  sessions: [session("Fix the parser", { subagents: 2 }), session("Explore", { cost: 0 })],
  tools: [tool("read"), tool("edit", { calls: 0, failures: 0, outputTokens: 0 })],
  ...more,
})
const text = (of: Stats, more: Partial<StatsView> & { width?: number; live?: boolean; color?: boolean } = {}) => {
  const { width = Infinity, live = false, color = false, ...view } = more
  const look = { width, live, color }
  return statsText(of, {
    title: "all projects, today",
    models: false,
    tools: false,
    ...view,
    look,
    style: styleOf(color),
  })
}

test("the overview: totals, days, and what cost most", () => {
  expect(text(stats())).toEqual([
    "all projects, today",
    "cost    $1.25+?",
    "tokens  10k in (8k cached), 600 out (100 reasoning)",
    "cache   gave 80 % of what went in",
    "calls   10 in 3 sessions (1 subagent, 1 deleted since)",
    "?       no price was known for 2 calls",
    "",
    "days         cost  tokens",
    "2026-11-22  $1.25   10.6k",
    "",
    "models                        cost  calls   in  out  cached",
    "anthropic/claude-sonnet-4-5  $1.25     10  10k  600    80 %",
    "anthropic/local                  ?     10  10k  600    80 %",
    "",
    "projects      cost  calls  tokens  sessions",
    "/repo/a      $1.25     10   10.6k         2",
    "(deleted)  $0.0040     10   10.6k         1",
    "",
    "sessions                       cost  calls  tokens                              id",
    "Fix the parser (2 subagents)  $1.25     10   10.6k  ses_0123456789abcdefghijklmnop",
    "Explore                          $0     10   10.6k  ses_0123456789abcdefghijklmnop",
  ])
})

test("the tables that are asked for stand alone, with every column", () => {
  const lines = text(stats(), { models: true, tools: true })
  expect(lines.slice(6)).toEqual([
    "",
    "models                        cost  calls   in  out  cached  read  written  thoughts",
    "anthropic/claude-sonnet-4-5  $1.25     10  10k  600    80 %    8k       1k       100",
    "anthropic/local                  ?     10  10k  600    80 %    8k       1k       100",
    "",
    "tools  calls  failed  schema  sent  results  share",
    "read       4       1     300    3k       5k   73 %",
    "edit       0       0     300    3k        0   27 %",
  ])
  expect(text(stats(), { tools: true }).join("\n")).not.toContain("models")
})

test("of long lists the overview shows five and says how many more there are", () => {
  const many = stats({ models: Array.from({ length: 9 }, (_, index) => model(`m${index}`)) })
  expect(text(many)).toContain("4 more")
  expect(text(many, { models: true }).filter((line) => line.startsWith("anthropic/"))).toHaveLength(9)
  expect(text(stats({ projects: stats().projects.slice(0, 1) })).join("\n")).not.toContain("projects  ")
})

describe.each([100, 60, 40, 20])("on a terminal of %d columns", (width) => {
  const long = stats({
    models: [model("a-model-with-a-name-that-nobody-would-want-to-type-2026-11-22")],
    projects: ["a", "b"].map((id) => ({
      ...{ id, directory: `/home/somebody/code/${id.repeat(60)}`, sessions: 1 },
      ...usage(),
    })),
    sessions: [
      session("A title that goes on and on 標題標題標題標題標題標題標題標題標題標題標題標題", { subagents: 3 }),
    ],
  })

  test("no line is wider, names stay apart, and a number is never cut", () => {
    for (const view of [{}, { models: true, tools: true }]) {
      const lines = text(long, { width, live: true, ...view })
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width)
      expect(lines.find((line) => line.includes("-22 "))).toContain("$1.25")
    }
    const named = text(long, { width, live: true }).join("\n")
    expect(named).toContain("aaa  ")
    expect(named).toContain("bbb  ")
  })
})

test("what a model, a tool or a person wrote into a name is harmless", () => {
  const hostile = "\u001b]52;c;aGk=\u0007\u202e\nx"
  const lines = text(
    stats({
      models: [{ ...model(hostile), providerID: "\u001b[31m" }],
      sessions: [session(hostile)],
      tools: [tool(hostile)],
      projects: ["a", "b"].map((id) => ({ id, directory: `/${hostile}`, sessions: 1, ...usage() })),
    }),
    { title: hostile, width: 50 },
  )
  const tools = text(stats({ tools: [tool(hostile)] }), { tools: true })
  for (const line of [...lines, ...tools]) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
})

test("heads stand out where there is colour, and nothing does where there is none", () => {
  expect(text(stats(), { color: true, live: true, width: 80 }).join("\n")).toContain("\u001b[1mmodels")
  expect(text(stats(), { live: true, width: 80 }).join("\n")).not.toContain("\u001b")
})
