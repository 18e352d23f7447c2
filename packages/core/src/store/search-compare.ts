import type { Database } from "bun:sqlite"
import { type SearchState, createSearchWriter, searchState, searchTable } from "./search-writer.ts"
import { isDamage, messageOf } from "./trouble.ts"

const rebuild = `"cairn debug rebuild-search" builds it again`

/**
 * Compares the search index by content with that of a replay: each word, and every place where it stands. Gives one
 * problem, or none. Parts that still wait are not compared.
 */
export function compareSearch(stored: Database, replayed: Database): string | undefined {
  const state = searchState(stored)
  if (state.is !== "kept") return state.is === "damaged" ? `search index: it is damaged; ${rebuild}` : undefined
  fillUp(replayed)
  copyPending(stored, replayed)
  try {
    using left = wordsIn(stored, Number.MAX_SAFE_INTEGER) // above its ceiling there must be none
    using right = wordsIn(replayed, state.ceiling)
    return difference(left.rows, right.rows)
  } catch (error) {
    if (!isDamage(error)) throw error
    return `search index: it is damaged (${messageOf(error)}); ${rebuild}`
  }
}

function fillUp(database: Database): void {
  const writer = createSearchWriter(database)
  const fill = database.transaction(() => writer.fill())
  do fill()
  while (!isFull(searchState(database)))
}

const isFull = (state: SearchState) => state.is === "kept" && state.waiting === 0

function copyPending(from: Database, to: Database): void {
  const add = to.prepare<never, [number]>("INSERT INTO search_pending VALUES (?)")
  const rows = from.query<{ seq: number }, []>("SELECT seq FROM search_pending")
  to.transaction(() => {
    for (const { seq } of rows.iterate()) add.run(seq)
  })()
}

interface WordRow {
  readonly word: string
  readonly count: number
  readonly places: number
}

/** Every word in order, with a number made of all its places. The table over the index is temporary: nothing is written. */
function wordsIn(database: Database, ceiling: number): Disposable & { readonly rows: IterableIterator<WordRow> } {
  database.run(`CREATE VIRTUAL TABLE temp.search_places USING fts5vocab('main', '${searchTable}', 'instance')`)
  const statement = database.prepare<WordRow, [number]>(
    `SELECT term AS word, count(*) AS count,
       sum((doc * 1000003 + offset * 31 + unicode(col)) % 2147483647) AS places
     FROM temp.search_places WHERE doc < ? AND doc NOT IN (SELECT seq FROM search_pending) GROUP BY term`,
  )
  return {
    rows: statement.iterate(ceiling),
    [Symbol.dispose]() {
      statement[Symbol.dispose]()
      database.run("DROP TABLE temp.search_places")
    },
  }
}

function difference(stored: Iterator<WordRow>, replayed: Iterator<WordRow>): string | undefined {
  for (;;) {
    const [a, b] = [stored.next(), replayed.next()]
    if (a.done && b.done) return undefined
    if (a.done || b.done || a.value.word !== b.value.word || a.value.count !== b.value.count)
      return different(a.done ? b.value?.word : a.value.word)
    if (a.value.places !== b.value.places) return different(a.value.word)
  }
}

const different = (word: string | undefined) =>
  `search index: the word ${JSON.stringify(word)} is not where the log has it; ${rebuild}`
