import type { Database } from "bun:sqlite"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { Message } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { SearchHit, SearchPage } from "@cairn/schema/search"
import type { Session } from "@cairn/schema/session"
import { guarded } from "./guard.ts"
import { excerpt } from "./search-excerpt.ts"
import { type Term, expressionOf, parseSearch } from "./search-query.ts"
import { searchableIn } from "./search-text.ts"
import { isOfIndex, searchTable } from "./search-writer.ts"

export interface SearchInput {
  readonly query: string
  /** Ids and aliases of one project, and directories of it. Absent: every one. */
  readonly projects?: readonly string[]
  readonly directories?: readonly string[]
  /** Hits of one page, at most 100. */
  readonly limit?: number
  /** From the page before. */
  readonly cursor?: string
}

/** What the search cannot do: the words of the query, a cursor of somebody else, or an index that is damaged. */
export type SearchFailure = { readonly kind: "query" | "cursor" | "damaged"; readonly message: string }

export const damagedSearch: SearchFailure = {
  kind: "damaged",
  message:
    'The search index is damaged or cannot be kept here. No session is affected; "cairn debug rebuild-search" builds it again.',
}

/** Matches that are ranked: the newest ones. */
const mostMatches = 2_000
const pageSize = { usual: 20, most: 100 }

/** Where a page begins: how many hits come before, in what was stored up to `before`, ranked as of `at`. */
interface Position {
  readonly skip: number
  readonly before: number
  readonly at: number
}

interface Match {
  readonly seq: number
  readonly sessionID: string
  readonly time: number
  readonly rank: number
}

/** Finds parts by their words. Reads what is committed. */
export function createSearch(database: Database, now: () => number) {
  return (input: SearchInput): Result<SearchPage, SearchFailure> => {
    const terms = parseSearch(input.query)
    if (!terms.ok) return err({ kind: "query", message: `${terms.error}.` })
    const position = positionOf(input.cursor, () => ({ skip: 0, before: lastSeq(database), at: now() }))
    if (!position) return err({ kind: "cursor", message: "The cursor is not one that a search gave." })
    const { skip, before, at } = position
    const matches = matchesOf(database, terms.value, input, before)
    if (!matches) return err(damagedSearch)
    const ranked = matches.toSorted((a, b) => scoreOf(b, at) - scoreOf(a, at) || b.seq - a.seq)
    const limit = Math.min(input.limit ?? pageSize.usual, pageSize.most)
    const page = ranked.slice(skip, skip + limit)
    const hits = guarded(database.filename, "read", () => page.flatMap((match) => hitOf(database, match, terms.value)))
    const more = skip + limit < ranked.length
    return ok({ hits, ...(more && { cursor: `${skip + limit}-${before}-${at}` }) })
  }
}

function positionOf(cursor: string | undefined, first: () => Position): Position | undefined {
  if (cursor === undefined) return first()
  const found = /^(\d{1,4})-(\d{1,15})-(\d{1,15})$/.exec(cursor)
  return found ? { skip: Number(found[1]), before: Number(found[2]), at: Number(found[3]) } : undefined
}

const lastSeq = (database: Database) =>
  guarded(database.filename, "read", () => {
    const row = database.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM event").get()
    return row?.seq ?? 0
  })

/** Undefined when the index is damaged. Words that were said weigh twice what was thought or done. */
function matchesOf(
  database: Database,
  terms: readonly Term[],
  { projects, directories }: SearchInput,
  before: number,
): Match[] | undefined {
  const list = (values: readonly string[] | undefined) => (values ? JSON.stringify(values) : null)
  try {
    const statement = database.query<Match, [string, number, string | null, string | null, number]>(
      `SELECT ${searchTable}.rowid AS seq, event.session_id AS sessionID, event.time,
         bm25(${searchTable}, 1.0, 0.5, 0.5, 0.5) AS rank
       FROM ${searchTable}
         CROSS JOIN event ON event.seq = ${searchTable}.rowid
         CROSS JOIN session ON session.id = event.session_id
       WHERE ${searchTable} MATCH ?1 AND ${searchTable}.rowid <= ?2
         AND (?3 IS NULL OR session.project_id IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR session.directory IN (SELECT value FROM json_each(?4)))
       ORDER BY ${searchTable}.rowid DESC LIMIT ?5`,
    )
    return statement.all(expressionOf(terms), before, list(projects), list(directories), mostMatches)
  } catch (error) {
    if (isOfIndex(error)) return undefined
    throw error
  }
}

const month = 30 * 24 * 3_600_000

/** How well the words fit, times how new they are: half the weight after a month, never less than a third. */
function scoreOf({ rank, time }: Match, at: number): number {
  return -rank * (1 / 3 + (2 / 3) * 4 ** (-Math.max(0, at - time) / month))
}

interface Rows {
  readonly part: string
  readonly message: string
  readonly session: string
}

function hitOf(database: Database, { seq, sessionID, time }: Match, terms: readonly Term[]): SearchHit[] {
  const rows = database
    .query<Rows, [string, number]>(
      `SELECT part.data AS part, message.data AS message, session.data AS session
       FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id
       WHERE part.session_id = ? AND part.seq = ?`,
    )
    .get(sessionID, seq)
  if (!rows) return []
  const part = JSON.parse(rows.part) as Part
  const message = JSON.parse(rows.message) as Message
  const session = JSON.parse(rows.session) as Session
  const searchable = searchableIn(part)
  if (!searchable || (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool")) return []
  return [
    {
      ...{ sessionID, title: session.title, directory: session.directory },
      ...{ messageID: part.messageID, partID: part.id, role: message.role, type: part.type },
      ...(part.type === "tool" && { tool: part.tool }),
      ...(message.role === "assistant" && message.summary && { summary: true }),
      ...(part.type === "text" && part.synthetic && { synthetic: true }),
      ...{ time, excerpt: excerpt(searchable.text, terms) },
    },
  ]
}
