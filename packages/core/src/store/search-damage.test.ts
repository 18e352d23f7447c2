import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { closeSync, existsSync, openSync, readdirSync, renameSync, statSync, writeSync } from "node:fs"
import { part, textPart } from "../../test/store/events.ts"
import { begin, fillUp, foundBy, searchIn } from "../../test/store/search.ts"
import { opened, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { markSuspect } from "./damage.ts"
import { openDatabase } from "./database.ts"
import { verify } from "./verify.ts"

/** A closed database with a session of 300 parts, all in the index. */
function fill(file: string): void {
  using temp = tempStore({ file })
  begin(temp)
  const parts = Array.from({ length: 300 }, (_, n) => {
    const words = Array.from({ length: 60 }, (_, k) => `word${n * 60 + k}`)
    return part(textPart("ses_1", "msg_1", `prt_${1_000 + n}`, `needle ${words.join(" ")}`))
  })
  temp.store.append("ses_1", parts)
  fillUp(temp.store)
}

/** Overwrites every page of a table, or one of them. */
function spoil(file: string, table: string, which: "every" | "first" | "last"): void {
  const pages = pagesOf(file, table)
  const chosen = which === "every" ? pages : [which === "first" ? pages[0] : pages.at(-1)]
  expect(chosen.length).toBeGreaterThan(0)
  const descriptor = openSync(file, "r+")
  for (const page of chosen) writeSync(descriptor, Buffer.alloc(4_096), 0, 4_096, ((page ?? 0) - 1) * 4_096)
  closeSync(descriptor)
}

function pagesOf(file: string, table: string): number[] {
  using database = new Database(file, { readwrite: true })
  const query = "SELECT pageno AS page FROM dbstat WHERE name = ? ORDER BY pageno"
  return database
    .query<{ page: number }, [string]>(query)
    .all(table)
    .map((row) => row.page)
}

const damages = [
  ["search_words_data", "every"],
  ["search_words_data", "first"],
  ["search_words_data", "last"],
  ["search_words_docsize", "every"],
  ["search_words_idx", "every"],
  ["search_words_config", "every"],
] as const

describe("a damaged search index costs nothing that was said", () => {
  test.each(damages)("%s, %s page: a session goes on, and the next start has all of it", (table, which) => {
    using dir = tempDir()
    fill(dir.file)
    spoil(dir.file, table, which)
    {
      using temp = tempStore({ file: dir.file })
      for (let n = 0; n < 200; n++)
        temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", `prt_${2_000 + n}`, `later needle ${n}`))])
      temp.store.append("ses_1", [
        { type: "message.part.removed", properties: { sessionID: "ses_1", messageID: "msg_1", partID: "prt_1000" } },
      ])
      expect(temp.store.read.parts("msg_1")).toHaveLength(499)
    }
    markSuspect(dir.file)
    const result = openDatabase({ file: dir.file, now: () => Date.UTC(2026, 0, 2) })
    if (!result.ok) throw new Error(result.error.message)
    result.value.database.close()
    const aside = `${dir.file}.damaged-2026-01-02T00-00-00-000Z`
    expect(result.value.warnings).toEqual([expect.stringContaining("Every session was copied to a fresh file")])
    expect(result.value.warnings[0]).toContain(aside)
    for (const file of [dir.file, aside]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(`${dir.file}.mended`)).toBe(false)

    using temp = tempStore({ file: dir.file })
    expect(foundBy(temp, '"word61"')).toEqual(["prt_1001"])
    expect(foundBy(temp, '"later needle 199"')).toEqual(["prt_2199"])
    expect(foundBy(temp, "word1*")).not.toContain("prt_1000")
    expect(verify(temp.database)).toMatchObject({ sessions: 1, problems: [] })
    const [entry] = temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", "prt_9999", "goes on"))])
    expect(entry?.seq).toBeGreaterThan(500)
  })

  test("numbers of the log go on after the highest there ever was, also when its entries are gone", () => {
    using dir = tempDir()
    fill(dir.file)
    {
      using database = opened(dir.file)
      database.run("DELETE FROM event WHERE seq > 100")
    }
    spoil(dir.file, "search_words_data", "first")
    markSuspect(dir.file)
    using temp = tempStore({ file: dir.file })
    const [entry] = temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", "prt_9999", "goes on"))])
    expect(entry?.seq).toBe(303)
  })

  test("also when the mending was cut short between its two renames", () => {
    using dir = tempDir()
    fill(dir.file)
    renameSync(dir.file, `${dir.file}.mended`)
    markSuspect(dir.file)
    using temp = tempStore({ file: dir.file })
    expect(foundBy(temp, '"word61"')).toEqual(["prt_1001"])
    expect(readdirSync(dir.path).filter((name) => /mended|suspect/.test(name))).toEqual([])
  })

  test("a table that is damaged too: the file is set aside as ever", () => {
    using dir = tempDir()
    fill(dir.file)
    spoil(dir.file, "search_words_data", "first")
    spoil(dir.file, "part", "last")
    markSuspect(dir.file)
    const result = openDatabase({ file: dir.file, now: () => 0 })
    if (!result.ok) throw new Error(result.error.message)
    using database = result.value.database
    expect(result.value.warnings).toEqual([expect.stringContaining("a new one was started")])
    expect(database.query("SELECT count(*) AS sessions FROM session").get()).toEqual({ sessions: 0 })
    expect(readdirSync(dir.path).filter((name) => name.includes("mended"))).toEqual([])
  })
})

describe("while the index is damaged", () => {
  /** What the engine of SQLite finds wrong in an index whose pages are sound. */
  const confuse = (file: string) => {
    const pages = pagesOf(file, "search_words_data")
    const descriptor = openSync(file, "r+")
    for (const page of pages.slice(1))
      writeSync(descriptor, Buffer.alloc(700, 0xff), 0, 700, (page - 1) * 4_096 + 3_000)
    closeSync(descriptor)
  }

  test("a search says so and what to do, the file is not suspected, and a reset mends it", () => {
    using dir = tempDir()
    fill(dir.file)
    confuse(dir.file)
    using temp = tempStore({ file: dir.file })
    const found = searchIn(temp, { query: "word17*" })
    expect(found).toMatchObject({ ok: false, error: { kind: "damaged" } })
    expect(found.ok || found.error.message).toContain("cairn debug rebuild-search")
    expect(existsSync(`${dir.file}.suspect`)).toBe(false)
    expect(temp.store.search.reset()).toEqual({ ok: true, value: undefined })
    expect(foundBy(temp, '"word61"')).toEqual(["prt_1001"])
    expect(verify(temp.database).problems).toEqual([])
  })

  test("one that cannot even be dropped is left to the next start", () => {
    using dir = tempDir()
    fill(dir.file)
    spoil(dir.file, "search_words_docsize", "every")
    {
      using temp = tempStore({ file: dir.file })
      const dropped = temp.store.search.reset()
      expect(dropped).toMatchObject({ ok: false, error: { kind: "damaged" } })
      expect(dropped.ok || dropped.error.message).toContain("the next start copies the sessions to a fresh file")
      expect(temp.store.read.parts("msg_1")).toHaveLength(300)
    }
    using temp = tempStore({ file: dir.file })
    expect(foundBy(temp, '"word61"')).toEqual(["prt_1001"])
  })

  test("appends notice once, go on without it, and another process does too", () => {
    using dir = tempDir()
    fill(dir.file)
    spoil(dir.file, "search_words_docsize", "every")
    using temp = tempStore({ file: dir.file })
    using other = tempStore({ file: dir.file })
    const say = (to: typeof temp, id: string) => to.store.append("ses_1", [part(textPart("ses_1", "msg_1", id, "x"))])
    const remove = (to: typeof temp, partID: string) =>
      to.store.append("ses_1", [
        { type: "message.part.removed", properties: { sessionID: "ses_1", messageID: "msg_1", partID } },
      ])
    remove(temp, "prt_1000")
    expect(temp.store.search.state()).toEqual({ is: "damaged" })
    expect(temp.lines.filter((line) => line.includes("search index"))).toHaveLength(1)
    expect(temp.published.filter((event) => event.type === "message.part.removed")).toHaveLength(1)
    remove(temp, "prt_1001")
    for (let n = 0; n < 70; n++) say(other, `prt_${3_000 + n}`)
    remove(other, "prt_1002")
    expect(temp.lines.filter((line) => line.includes("search index"))).toHaveLength(1)
    expect(other.lines.filter((line) => line.includes("search index"))).toEqual([])
    expect(temp.store.read.parts("msg_1")).toHaveLength(367)
    temp.store.search.fill()
    expect(temp.store.search.state()).toEqual({ is: "damaged" })
  })

  test("an SQLite that cannot keep one: sessions are kept, and why there is no search is said", () => {
    using temp = tempStore()
    // A name that is taken stands for an option that is not known.
    temp.database.run("CREATE TABLE search_words_config (x)")
    begin(temp)
    for (let n = 0; n < 70; n++) temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", `prt_${n}`, "x"))])
    expect(temp.store.read.parts("msg_1")).toHaveLength(70)
    expect(temp.store.search.state()).toEqual({ is: "damaged" })
    expect(temp.store.search.reset()).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/^The search index cannot be kept here: .*search_words_config/) },
    })
  })
})

describe("verify compares the index by its content:", () => {
  const problemsAfter = (change: (database: Database) => void) => {
    using temp = tempStore()
    begin(temp)
    for (const [id, text] of Object.entries({ prt_1: "the needle", prt_2: "needle and fooBar", prt_3: "thread" }))
      temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", id, text))])
    fillUp(temp.store)
    expect(verify(temp.database).problems).toEqual([])
    change(temp.database)
    return verify(temp.database).problems
  }
  const differs = (word: string) => [
    `search index: the word ${JSON.stringify(word)} is not where the log has it; "cairn debug rebuild-search" builds it again`,
  ]

  test("a part that is missing in it", () => {
    expect(problemsAfter((database) => database.run("DELETE FROM search_words WHERE rowid = 5"))).toEqual(
      differs("thread"),
    )
  })

  test("a part that is gone, a word that was never said, another place, another column", () => {
    const put =
      (columns: string, ...values: string[]) =>
      (database: Database) => {
        database.run("DELETE FROM search_words WHERE rowid = 3")
        const marks = values.map(() => "?").join(", ")
        database.run(`INSERT INTO search_words (rowid, ${columns}) VALUES (3, ${marks})`, values)
      }
    expect(problemsAfter(put("said", "the needle"))).toEqual([])
    expect(problemsAfter(put("said", "the needle never"))).toEqual(differs("never"))
    expect(problemsAfter(put("said", "needle the"))).toEqual(differs("needle"))
    expect(problemsAfter(put("done", "the needle"))).toEqual(differs("needle"))
    const ghost = "INSERT INTO search_words (rowid, said) VALUES (999, 'thread')"
    expect(problemsAfter((database) => database.run(ghost))).toEqual(differs("thread"))
  })

  test("what still waits is not compared, and an index that is damaged is said to be", () => {
    const change = (waits: string) => (database: Database) => {
      database.run("DELETE FROM search_words WHERE rowid = 5")
      database.run(waits)
    }
    expect(problemsAfter(change("INSERT INTO search_pending VALUES (5)"))).toEqual([])
    expect(problemsAfter(change("UPDATE search SET ceiling = 5"))).toEqual([])
    expect(problemsAfter(change("UPDATE search SET ceiling = 6"))).toEqual(differs("thread"))
    expect(problemsAfter((database) => database.run("UPDATE search SET damaged = 1"))).toEqual([
      'search index: it is damaged; "cairn debug rebuild-search" builds it again',
    ])
  })

  test("nothing is left behind, also by a comparison that failed", () => {
    using temp = tempStore()
    begin(temp)
    fillUp(temp.store)
    verify(temp.database)
    temp.database.run("DROP TABLE search_words")
    expect(verify(temp.database).problems).toEqual([expect.stringContaining("search")])
    expect(temp.database.query("SELECT name FROM sqlite_temp_schema").all()).toEqual([])
    expect(temp.database.inTransaction).toBe(false)
  })
})
