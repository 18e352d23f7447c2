import type { Database } from "bun:sqlite"
import type { Spending } from "@cairn/schema/model"

export interface Spent {
  readonly tokens: number
  /** Dollars. */
  readonly money: number
}

/** What was spent, as the projections have it. */
export interface SpendReader {
  /** Every call of a model since a time, in all sessions and in those that were deleted. */
  spentSince(time: number): Spent
  /** The outermost session above this one, with all its subagents, as their rows say. */
  spentInTree(sessionID: string): Spent
  /** A session's calls, gathered by agent, model and quarter of an hour: what stays when it is deleted. */
  spendingOf(sessionID: string): Spending[]
}

/** Days begin at a full quarter of an hour in every time zone of today. Milliseconds. */
const quarter = 15 * 60_000

export function createSpendReader(database: Database): SpendReader {
  const nothing: Spent = { tokens: 0, money: 0 }
  // Prepared when first asked: most runs have no budget.
  return {
    spentSince: (time) => database.query<Spent, [number]>(since).get(time) ?? nothing,
    spentInTree: (sessionID) => database.query<Spent, [string]>(inTree).get(sessionID) ?? nothing,
    spendingOf: (sessionID) => database.query<SpendRow, [string]>(ofSession).all(sessionID).map(toSpending),
  }
}

const since = `SELECT coalesce(sum(input + output + reasoning + cache_read + cache_write), 0) AS tokens,
    coalesce(sum(cost), 0) AS money
  FROM spend WHERE time >= ?`

/** `UNION` drops what came before, so that a ring of parents ends. */
const inTree = `WITH RECURSIVE
    up (id, parent) AS (
      SELECT id, parent_id FROM session WHERE id = ?1
      UNION SELECT session.id, session.parent_id FROM up JOIN session ON session.id = up.parent),
    tree (id) AS (
      SELECT ?1
      UNION SELECT id FROM up WHERE parent IS NULL OR parent NOT IN (SELECT id FROM up)
      UNION SELECT session.id FROM tree JOIN session ON session.parent_id = tree.id)
  SELECT coalesce(sum(json_extract(data, '$.tokens.input') + json_extract(data, '$.tokens.output')
      + json_extract(data, '$.tokens.reasoning') + json_extract(data, '$.tokens.cache.read')
      + json_extract(data, '$.tokens.cache.write')), 0) AS tokens,
    coalesce(sum(json_extract(data, '$.cost')), 0) AS money
  FROM tree JOIN session ON session.id = tree.id`

const ofSession = `SELECT min(time) AS time, agent, provider_id, model_id, sum(calls) AS calls, sum(input) AS input,
    sum(output) AS output, sum(reasoning) AS reasoning, sum(cache_read) AS cache_read,
    sum(cache_write) AS cache_write, sum(cost) AS cost, unpriced
  FROM spend WHERE session_id = ?
  GROUP BY time / ${quarter}, agent, provider_id, model_id, unpriced
  ORDER BY min(time), agent, provider_id, model_id`

interface SpendRow {
  readonly time: number
  readonly agent: string
  readonly provider_id: string
  readonly model_id: string
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cost: number
  readonly unpriced: number
}

function toSpending(row: SpendRow): Spending {
  const { time, agent, input, output, reasoning, cost, calls } = row
  return {
    time,
    agent,
    providerID: row.provider_id,
    modelID: row.model_id,
    tokens: { input, output, reasoning, cache: { read: row.cache_read, write: row.cache_write } },
    cost,
    ...(row.unpriced !== 0 && { unpriced: true }),
    ...(calls !== 1 && { calls }),
  }
}
