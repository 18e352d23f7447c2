import type { Database, Statement } from "bun:sqlite"

type Value = string | number | null
type StatementOf<Row, Values extends Value[]> = ReturnType<typeof Database.prototype.prepare<Row, Values>>

/**
 * A statement that is prepared when it is first used, and kept: of the hundred that the store knows, a short run uses
 * some thirty. What is wrong with its text is thrown then.
 */
export function prepareLater<Row, Values extends Value[]>(
  database: Database,
  sql: string,
): Pick<Statement<Row, Values>, "get" | "all" | "run"> {
  let prepared: StatementOf<Row, Values> | undefined
  const statement = () => (prepared ??= database.prepare<Row, Values>(sql)) as Statement<Row, Values>
  return {
    get: (...values) => statement().get(...values),
    all: (...values) => statement().all(...values),
    run: (...values) => statement().run(...values),
  }
}
