import { mediaTokens } from "../session/estimate.ts"

/** `?1`: calls since this time; `?2`: project ids as JSON, or NULL for all. */
export type Values = [from: number, projects: string | null]

const within = (project: string) => `(?2 IS NULL OR ${project} IN (SELECT value FROM json_each(?2)))`

/** The calls of models that are meant, with what is known of their sessions. */
export const picked = `WITH picked AS (
  SELECT spend.*, session.parent_id, session.directory, session.id IS NULL AS gone,
    coalesce(session.project_id, spend.project_id) AS project
  FROM spend LEFT JOIN session ON session.id = spend.session_id
  WHERE spend.time >= ?1 AND ${within("coalesce(session.project_id, spend.project_id)")})`

/** Columns of `Usage`. */
export const sums = `sum(calls) AS calls, sum(input) AS input, sum(output) AS output, sum(reasoning) AS reasoning,
  sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(cost) AS cost, sum(unpriced * calls) AS unpriced`

/** Calls of tools that have settled. */
export const calls = `SELECT tool, count(*) AS calls, sum(failed) AS failures,
    sum((bytes + 3) / 4 + media * ${mediaTokens}) AS tokens
  FROM tool_call JOIN session ON session.id = tool_call.session_id
  WHERE ended >= ?1 AND ${within("session.project_id")}
  GROUP BY tool ORDER BY tokens DESC, calls DESC`

/** A request has the tools that were recorded with it, or else with the agent's last one before it in its session. */
export const schemas = `WITH request AS (
    SELECT spend.session_id, agent, time, tool_tokens,
      count(tool_tokens) OVER (PARTITION BY spend.session_id, agent ORDER BY time, spend.id) AS epoch
    FROM spend JOIN session ON session.id = spend.session_id
    WHERE ${within("session.project_id")}),
  epoch AS (
    SELECT max(tool_tokens) AS tools, sum(time >= ?1) AS requests FROM request GROUP BY session_id, agent, epoch)
  SELECT tool.key AS tool, sum(tool.value * requests) AS tokens, sum(requests) AS requests
  FROM epoch, json_each(epoch.tools) AS tool WHERE requests > 0
  GROUP BY tool.key ORDER BY tokens DESC`
