import type { Database } from "bun:sqlite"
import { startOfDay } from "../session/budget.ts"
import type { DayUsage, ProjectUsage, SessionUsage, Stats, ToolUsage, Usage } from "@cairn/schema/stats"
import { calls, picked, schemas, sums, type Values } from "./sql.ts"

export interface StatsInput {
  readonly now: number
  /** Days up to today; absent: everything. */
  readonly days?: number
  /** Ids of the projects that are meant; absent: all. */
  readonly projects?: readonly string[]
}

/** Entries of a list: names come from models and the disk, so there may be any number. */
const most = 200

/**
 * Sums over the projections, from one snapshot: a fixed number of statements, and memory for the answer alone. Changes
 * nothing and needs no lease, so it works beside running sessions.
 */
export function readStats(database: Database, { now, days, projects }: StatsInput): Stats {
  const from = days === undefined ? undefined : firstDay(now, days)
  const values: Values = [from ?? Number.MIN_SAFE_INTEGER, projects === undefined ? null : JSON.stringify(projects)]
  const read = database.transaction((): Stats => ({
    ...(from !== undefined && { from }),
    to: now,
    totals: totals(database, values),
    days: byDay(database, values, now),
    models: grouped(database, values, "provider_id, model_id", ({ provider_id, model_id }) => ({
      providerID: String(provider_id),
      modelID: String(model_id),
    })),
    agents: grouped(database, values, "agent", ({ agent }) => ({ agent: String(agent) })),
    projects: byProject(database, values),
    sessions: bySession(database, values),
    tools: byTool(database, values),
  }))
  return read.deferred()
}

/** Ids of the projects whose sessions worked in a directory or below it, with those that they had before. */
export function projectsAt(database: Database, directory: string): string[] {
  using statement = database.prepare<{ id: string }, [string]>(
    `WITH found (id) AS (
       SELECT project_id FROM session WHERE directory = ?1 OR substr(directory, 1, length(?1) + 1) = ?1 || '/'
       UNION SELECT id FROM project WHERE json_extract(data, '$.worktree') = ?1)
     SELECT id FROM found
     UNION SELECT value FROM project, json_each(project.data, '$.aliases') WHERE project.id IN found`,
  )
  return statement.all(directory).map(({ id }) => id)
}

/** Midnight before the first of `days` days, the last of which is today. */
function firstDay(now: number, days: number): number {
  const date = new Date(startOfDay(now))
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days + 1).getTime()
}

type Row = Record<string, string | number | null>

const number = (row: Row, name: string): number => Number(row[name] ?? 0)

function usageOf(row: Row): Usage {
  const cache = { read: number(row, "cache_read"), write: number(row, "cache_write") }
  const [input, output, reasoning] = [number(row, "input"), number(row, "output"), number(row, "reasoning")]
  return {
    calls: number(row, "calls"),
    tokens: { input, output, reasoning, cache },
    cost: number(row, "cost"),
    unpriced: number(row, "unpriced"),
    cacheHitRate: cache.read / Math.max(1, input + cache.read + cache.write),
  }
}

const order = `ORDER BY cost DESC, input + output + reasoning + cache_read + cache_write DESC LIMIT ${most}`

/** Rows of one query, which ends with them. */
function rowsOf(database: Database, sql: string, values: Values): Row[] {
  using statement = database.prepare<Row, Values>(sql)
  return statement.all(...values)
}

function totals(database: Database, values: Values): Stats["totals"] {
  const [row = {}] = rowsOf(
    database,
    `${picked} SELECT ${sums}, count(DISTINCT session_id) AS sessions,
       count(DISTINCT CASE WHEN parent_id IS NOT NULL THEN session_id END) AS subagents,
       count(DISTINCT CASE WHEN gone THEN session_id END) AS deleted FROM picked`,
    values,
  )
  const counts = { sessions: number(row, "sessions"), subagents: number(row, "subagents") }
  return { ...usageOf(row), ...counts, deleted: number(row, "deleted") }
}

function grouped<T>(database: Database, values: Values, columns: string, name: (row: Row) => T): (T & Usage)[] {
  const rows = rowsOf(database, `${picked} SELECT ${columns}, ${sums} FROM picked GROUP BY ${columns} ${order}`, values)
  return rows.map((row) => ({ ...name(row), ...usageOf(row) }))
}

/** Days begin at a full quarter of an hour in every time zone of today; which one it is, only the clock of JavaScript knows. */
function byDay(database: Database, values: Values, now: number): DayUsage[] {
  using statement = database.prepare<Row, Values>(
    `${picked} SELECT time / 900000 * 900000 AS time, ${sums} FROM picked GROUP BY 1 ORDER BY 1`,
  )
  const days: DayUsage[] = []
  let sum: Row = {}
  for (const row of statement.iterate(...values)) {
    // A clock that was set back has left calls in the future.
    const date = dateOf(Math.min(number(row, "time"), now))
    const same = days.at(-1)?.date === date
    sum = same ? plus(sum, row) : row
    days.splice(same ? days.length - 1 : days.length, 1, { date, ...usageOf(sum) })
  }
  return days
}

/** Two rows of sums as one. */
function plus(a: Row, b: Row): Row {
  return Object.fromEntries(Object.keys(b).map((name) => [name, number(a, name) + number(b, name)]))
}

function dateOf(time: number): string {
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Ids that a project had before belong to it. */
function byProject(database: Database, values: Values): ProjectUsage[] {
  const rows = rowsOf(
    database,
    `${picked},
     alias (id, project) AS (SELECT value, project.id FROM project, json_each(project.data, '$.aliases')),
     named AS (SELECT picked.*, coalesce(alias.project, picked.project) AS now
       FROM picked LEFT JOIN alias ON alias.id = picked.project)
     SELECT now, ${sums}, count(DISTINCT session_id) AS sessions,
       coalesce(max(json_extract(project.data, '$.worktree')), max(directory)) AS directory
     FROM named LEFT JOIN project ON project.id = now GROUP BY now ${order}`,
    values,
  )
  return rows.map((row) => ({
    id: String(row["now"]),
    ...(typeof row["directory"] === "string" && { directory: row["directory"] }),
    sessions: number(row, "sessions"),
    ...usageOf(row),
  }))
}

/** Each subagent counts in the outermost session above it. */
function bySession(database: Database, values: Values): SessionUsage[] {
  const rows = rowsOf(
    database,
    `${picked.replace("WITH", "WITH RECURSIVE")},
     root (id, top) AS (
       SELECT id, id FROM session WHERE parent_id IS NULL OR parent_id NOT IN (SELECT id FROM session)
       UNION SELECT session.id, root.top FROM root JOIN session ON session.parent_id = root.id),
     summed AS (SELECT top, ${sums}, count(DISTINCT CASE WHEN session_id <> top THEN session_id END) AS subagents
       FROM picked JOIN root ON root.id = picked.session_id GROUP BY top ${order})
     SELECT summed.*, session.directory, json_extract(session.data, '$.title') AS title
     FROM summed JOIN session ON session.id = top ${order}`,
    values,
  )
  return rows.map((row) => ({
    id: String(row["top"]),
    title: String(row["title"]),
    directory: String(row["directory"]),
    subagents: number(row, "subagents"),
    ...usageOf(row),
  }))
}

function byTool(database: Database, values: Values): ToolUsage[] {
  const tools = new Map<string, ToolUsage>()
  const put = (row: Row, more: Partial<ToolUsage>) => {
    const tool = String(row["tool"])
    const none = { tool, calls: 0, failures: 0, requests: 0, schemaTokens: 0, outputTokens: 0 }
    tools.set(tool, { ...none, ...tools.get(tool), ...more })
  }
  for (const row of rowsOf(database, `${calls} LIMIT ${most}`, values))
    put(row, { calls: number(row, "calls"), failures: number(row, "failures"), outputTokens: number(row, "tokens") })
  for (const row of rowsOf(database, `${schemas} LIMIT ${most}`, values))
    put(row, { requests: number(row, "requests"), schemaTokens: number(row, "tokens") })
  const size = (tool: ToolUsage) => tool.schemaTokens + tool.outputTokens
  return [...tools.values()].sort((a, b) => size(b) - size(a) || b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
}
