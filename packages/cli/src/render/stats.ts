import type { ModelUsage, ProjectUsage, SessionUsage, Stats, ToolUsage } from "@cairn/schema/stats"
import type { Look, Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { textWidth, truncate, truncateStart } from "../terminal/width.ts"
import { dayChart } from "./day-chart.ts"
import { count, plural, tokens } from "./format.ts"
import { table } from "./table.ts"
import { allTokens, costOf } from "./usage.ts"

export interface StatsView {
  /** Whose numbers, and of which time. */
  readonly title: string
  readonly look: Look
  readonly style: Style
  /** These tables alone, in full, beside the totals. */
  readonly models: boolean
  readonly tools: boolean
}

/** Entries of a table that is not asked for by itself. */
const few = 5
/** Columns that a name keeps beside its numbers. */
const shortestName = 16

/** Stats as lines: totals, and either the overview (days, then what cost most) or the tables that were asked for. */
export function statsText(stats: Stats, view: StatsView): string[] {
  const { style, look } = view
  const head = [style.strong(truncate(sanitiseLine(view.title), look.width)), ...totals(stats, view)]
  const asked = [...(view.models ? [modelTable(stats.models)] : []), ...(view.tools ? [toolTable(stats.tools)] : [])]
  if (asked.length > 0) return [...head, ...asked.flatMap((each) => section(each, view))]
  const { models, projects, sessions } = stats
  const tables = [
    modelTable(models.slice(0, few), models.length),
    ...(projects.length > 1 ? [projectTable(projects.slice(0, few), projects.length)] : []),
    sessionTable(sessions.slice(0, few), sessions.length),
  ]
  return [...head, "", ...dayChart(stats, view), ...tables.flatMap((each) => section(each, view))]
}

interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Entries that there are, if these are but the first of them. */
  readonly of?: number
  /** Which part of a name may be missing. */
  readonly cut: typeof truncate
}

/** A table under its name. On a narrow terminal columns at the right go, then names are cut. */
function section({ head, rows, of = 0, cut }: Table, { look, style }: StatsView): string[] {
  if (rows.length === 0) return []
  const [first = "", ...rest] = table(fitted([head, ...rows], look.width, cut), look, 0)
  const more = of > rows.length ? [style.dim(`${of - rows.length} more`)] : []
  return ["", style.strong(first), ...rest, ...more]
}

/** As many columns as leave the first one enough to tell its names apart, numbers at the right of theirs. */
function fitted(rows: readonly (readonly string[])[], width: number, cut: typeof truncate): string[][] {
  const named = rows.map(([name = "", ...cells]) => [sanitiseLine(name), ...cells])
  const widths = named[0]!.map((_, column) => Math.max(...named.map((row) => textWidth(row[column]!))))
  let kept = widths.length
  const numbers = () => widths.slice(1, kept).reduce((sum, each) => sum + each + 2, 0)
  while (kept > 2 && numbers() + Math.min(widths[0]!, shortestName) > width) kept--
  const room = Math.max(10, width - numbers())
  return named.map(([name = "", ...cells]) => [
    cut(name, room),
    ...cells.slice(0, kept - 1).map((cell, column) => cell.padStart(widths[column + 1]!)),
  ])
}

function totals({ totals: all }: Stats, { look, style }: StatsView): string[] {
  const parts = [
    all.subagents > 0 ? plural(all.subagents, "subagent") : "",
    all.deleted > 0 ? `${all.deleted} deleted since` : "",
  ].filter((part) => part !== "")
  const within = parts.length > 0 ? ` (${parts.join(", ")})` : ""
  const lines = [
    `cost    ${costOf(all)}`,
    `tokens  ${tokens(all.tokens)}`,
    `cache   gave ${percent(all.cacheHitRate)} of what went in`,
    `calls   ${all.calls} in ${plural(all.sessions, "session")}${within}`,
  ]
  const unknown = all.unpriced > 0 ? [`?       no price was known for ${plural(all.unpriced, "call")}`] : []
  const cut = (line: string) => truncate(line, look.width)
  return [...lines.map(cut), ...unknown.map((line) => style.warn(cut(line)))]
}

function modelTable(models: readonly ModelUsage[], of?: number): Table {
  const rows = models.map((model) => {
    const { input, output, reasoning, cache } = model.tokens
    return [
      `${model.providerID}/${model.modelID}`,
      costOf(model),
      String(model.calls),
      count(input + cache.read + cache.write),
      count(output + reasoning),
      percent(model.cacheHitRate),
      ...(of === undefined ? [count(cache.read), count(cache.write), count(reasoning)] : []),
    ]
  })
  const kinds = of === undefined ? ["read", "written", "thoughts"] : []
  return {
    head: ["models", "cost", "calls", "in", "out", "cached", ...kinds],
    rows,
    cut: truncateStart,
    ...(of && { of }),
  }
}

function projectTable(projects: readonly ProjectUsage[], of: number): Table {
  const rows = projects.map((each) => [
    each.directory ?? "(deleted)",
    costOf(each),
    String(each.calls),
    count(allTokens(each)),
    String(each.sessions),
  ])
  return { head: ["projects", "cost", "calls", "tokens", "sessions"], rows, of, cut: truncateStart }
}

function sessionTable(sessions: readonly SessionUsage[], of: number): Table {
  const rows = sessions.map((each) => [
    each.subagents > 0 ? `${each.title} (${plural(each.subagents, "subagent")})` : each.title,
    costOf(each),
    String(each.calls),
    count(allTokens(each)),
    each.id,
  ])
  return { head: ["sessions", "cost", "calls", "tokens", "id"], rows, of, cut: truncate }
}

function toolTable(tools: readonly ToolUsage[]): Table {
  const sum = tools.reduce((total, tool) => total + tool.schemaTokens + tool.outputTokens, 0)
  const rows = tools.map((tool) => [
    tool.tool,
    String(tool.calls),
    String(tool.failures),
    count(tool.requests === 0 ? 0 : tool.schemaTokens / tool.requests),
    count(tool.schemaTokens),
    count(tool.outputTokens),
    percent((tool.schemaTokens + tool.outputTokens) / Math.max(1, sum)),
  ])
  return { head: ["tools", "calls", "failed", "schema", "sent", "results", "share"], rows, cut: truncate }
}

const percent = (part: number): string => `${Math.round(part * 100)} %`
