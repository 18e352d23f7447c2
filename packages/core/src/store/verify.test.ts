import { describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as make from "../../test/store/events.ts"
import { tempDir, tempStore } from "../../test/store/temp-store.ts"
import { verify } from "./verify.ts"

const { created, delta, message, part, textPart, userMessage } = make

/** One row in every table. */
function fill(temp: ReturnType<typeof tempStore>): void {
  const open = textPart("ses_1", "msg_1", "prt_1", "text")
  temp.store.append("ses_1", [
    created("ses_1"),
    message(userMessage("ses_1", "msg_1")),
    part(open),
    delta(open, "more"),
    message(make.assistantMessage("ses_1", "msg_2")),
    part(make.toolPart("ses_1", "msg_2", "prt_2", make.running)),
    part(make.toolPart("ses_1", "msg_2", "prt_2", make.completed("four"))),
    message(make.answered("ses_1", "msg_2", { toolTokens: { read: 5 } })),
    make.filesChanged("ses_1", "msg_2", make.fileChange("chg_1", "/a", "a", "b")),
    make.revertBegun("ses_1", "rev_1"),
    make.inboxAdded("ses_1", make.inboxItem("inb_1")),
    make.asked("ses_1", "per_1"),
    make.replied("ses_1", "per_1", { reply: "once" }),
    make.questioned("ses_1", "que_1"),
    make.turnStarted("ses_1", "run_1"),
    { type: "todo.updated", properties: { sessionID: "ses_1", todos: [] } },
  ])
  temp.store.append("root", [
    { type: "project.updated", properties: { id: "root", worktree: "/repo", time: { created: 1, updated: 1 } } },
  ])
}

const problemsAfter = (change: string): readonly string[] => {
  using temp = tempStore()
  fill(temp)
  expect(verify(temp.database)).toEqual({ sessions: 1, events: 17, problems: [] })
  temp.database.run("PRAGMA foreign_keys = OFF")
  temp.database.run(change)
  return verify(temp.database).problems
}

describe("every column of every row is compared", () => {
  using temp = tempStore()
  const columns = temp.database
    .query<{ table: string; column: string; key: number }, []>(
      `SELECT tables.name AS "table", columns.name AS "column", columns.pk AS key
       FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' AND tables.name NOT IN ('event', 'lease', 'search', 'search_pending', 'migration')`,
    )
    .all()
  test("in all thirteen tables", () => {
    expect(new Set(columns.map(({ table }) => table)).size).toBe(13)
  })
  for (const { table, column, key } of columns)
    test(`${table}.${column}`, () => {
      const indexed = column === "reply" || (table === "revert" && column === "data")
      const value = indexed ? `'"tampered"'` : "'tampered'" // its index wants JSON
      const problems = problemsAfter(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = 1`)
      if (key) expect(problems).toContainEqual(`${table} tampered: a row that the log does not give`)
      else
        expect(problems).toEqual([
          expect.stringMatching(new RegExp(`^${table} \\w+: column ${column} differs from the log$`)),
        ])
    })
})

describe("what was done to the rows or the log is found", () => {
  test("a row that is missing", () => {
    expect(problemsAfter("DELETE FROM part WHERE id = 'prt_1'")).toEqual(["part prt_1: the row is missing"])
  })

  test("an entry of the log that was changed", () => {
    expect(problemsAfter("UPDATE event SET properties = replace(properties, 'A title', 'Another')")).toEqual([
      "session ses_1: column data differs from the log",
    ])
    expect(problemsAfter("UPDATE event SET properties = replace(properties, 'more', 'less')")).toEqual([
      "part prt_1: column tail differs from the log",
    ])
  })

  test("an entry that is missing", () => {
    expect(problemsAfter("DELETE FROM event WHERE type = 'message.part.delta'")).toEqual([
      "part prt_1: column tail differs from the log",
    ])
    const problems = problemsAfter("DELETE FROM event WHERE type = 'session.created'")
    expect(problems[0]).toMatch(/^event 2 cannot be replayed: FOREIGN KEY/)
  })

  test("an entry that is not JSON, of an unknown type, or of the wrong shape", () => {
    const of = (set: string) => problemsAfter(`UPDATE event SET ${set} WHERE seq = 17`)[0]
    expect(of("properties = '{'")).toBe("event 17 (project.updated): not JSON")
    expect(of("type = 'project.forgotten'")).toStartWith("event 17 (project.forgotten): ")
    expect(of("properties = '{}'")).toStartWith("event 17 (project.updated): ")
    expect(of("type = 'constructor'")).toStartWith("event 17 (constructor): ")
  })

  test("no more than fifty problems are kept of a log that is all wrong", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    for (let n = 0; n < 200; n++)
      temp.database.run(
        "INSERT INTO event (id, session_id, time, type, properties) VALUES ('evt', 'ses_1', 1, 'nonsense', '{}')",
      )
    expect(verify(temp.database).problems).toHaveLength(50)
  })
})

test("changes nothing and leaves nothing behind, while another connection writes on", () => {
  using dir = tempDir()
  using temp = tempStore({ file: dir.file })
  using other = tempStore({ file: dir.file })
  fill(temp)
  const before = temp.store.cursor(0)
  temp.store.begin("ses_1", "run_2", [])
  // A place of our own: elsewhere other tests verify, too.
  const { TMPDIR } = process.env
  const scratch = mkdtempSync(join(tmpdir(), "cairn-scratch-"))
  process.env["TMPDIR"] = scratch
  try {
    expect(verify(temp.database).problems).toEqual([])
  } finally {
    if (TMPDIR === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = TMPDIR
  }
  expect([temp.store.cursor(0), readdirSync(scratch)]).toEqual([before, []])
  rmSync(scratch, { recursive: true })
  expect(temp.database.inTransaction).toBe(false)
  // A snapshot that was left open would keep the log from being written back.
  other.store.append("ses_1", [make.updated("ses_1")])
  expect(other.database.query("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 })
})
