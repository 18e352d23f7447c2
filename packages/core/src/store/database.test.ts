import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { runTogether, spawnChild } from "../../test/store/children.ts"
import { created, message, part, textPart, userMessage } from "../../test/store/events.ts"
import { opened, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { openDatabase } from "./database.ts"
import { StoreFailed } from "./trouble.ts"
import { verify } from "./verify.ts"

const open = (file: string) => openDatabase({ file, now: () => Date.UTC(2026, 0, 2) })
const modeOf = (file: string) => statSync(file).mode & 0o777

/** Opens what must be set aside; gives the warning and the names of what stands in the directory then. */
function openDamaged(file: string) {
  const result = open(file)
  if (!result.ok) throw new Error(result.error.message)
  using database = result.value.database
  expect(database.query("SELECT count(*) AS sessions FROM session").get()).toEqual({ sessions: 0 })
  return result.value.warnings
}

/** A sound database with one session whose message has `parts` parts of 2 kB. Closed. */
function fill(file: string, parts = 3): void {
  using temp = tempStore({ file })
  temp.store.append("ses_1", [created("ses_1"), message(userMessage("ses_1", "msg_1"))])
  for (let n = 0; n < parts; n++)
    temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", `prt_${1000 + n}`, "text ".repeat(400)))])
}

/** Overwrites `length` bytes. */
function spoil(file: string, offset: number, length: number): void {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, Buffer.alloc(length, 0x5a), 0, length, offset)
  closeSync(descriptor)
}

describe("opening", () => {
  test("sets what the store relies on", () => {
    using dir = tempDir()
    using database = opened(dir.file)
    const pragma = (name: string) => Object.values(database.query(`PRAGMA ${name}`).get() ?? {})[0]
    expect(pragma("journal_mode")).toBe("wal")
    expect(pragma("synchronous")).toBe(1)
    expect(pragma("foreign_keys")).toBe(1)
    expect(pragma("busy_timeout")).toBe(10_000)
  })

  test("every file is the user's alone, also one that others could read", () => {
    using dir = tempDir()
    fill(dir.file)
    chmodSync(dir.file, 0o644)
    using temp = tempStore({ file: dir.file })
    temp.store.append("ses_2", [created("ses_2")])
    const names = readdirSync(dir.path)
    expect(names.toSorted()).toEqual(["cairn.db", "cairn.db-shm", "cairn.db-wal", "cairn.db.lock"])
    for (const name of names) expect([name, modeOf(join(dir.path, name))]).toEqual([name, 0o600])
  })

  test("closing closes the statements too, so that the last one leaves one file", () => {
    using dir = tempDir()
    fill(dir.file)
    expect(readdirSync(dir.path).toSorted()).toEqual(["cairn.db", "cairn.db.lock"])
  })

  test("an empty file is a new database", () => {
    using dir = tempDir()
    writeFileSync(dir.file, "")
    expect(openDamaged(dir.file)).toEqual([])
    expect(readdirSync(dir.path).toSorted()).toEqual(["cairn.db", "cairn.db.lock"])
  })

  test("a second opening in one process does not take the locks of the first", async () => {
    using dir = tempDir()
    using first = tempStore({ file: dir.file })
    first.store.append("ses_1", [created("ses_1")])
    opened(dir.file).close()
    // Were the locks gone, the child would think itself the last one and delete the log that we still write to.
    expect(await runTogether(1, "read", dir.file)).toEqual([{ sessions: 1 }])
    first.store.append("ses_2", [created("ses_2")])
    expect(await runTogether(1, "read", dir.file)).toEqual([{ sessions: 2 }])
  })

  test("four processes at once on an empty directory all succeed", async () => {
    using dir = tempDir()
    const said = await runTogether(4, "open", dir.file)
    expect(said).toEqual(Array.from({ length: 4 }, () => ({ warnings: [] })))
    using temp = tempStore({ file: dir.file })
    expect(temp.store.read.sessions({})).toHaveLength(4)
    expect(verify(temp.database).problems).toEqual([])
  })
})

describe("a damaged file is set aside whole, and said", () => {
  const damages: Record<string, (file: string) => void> = {
    "not a database": (file) => writeFileSync(file, "this is a letter to my aunt\n".repeat(200)),
    "a few bytes": (file) => writeFileSync(file, "0123456789"),
    "a spoilt header": (file) => spoil(file, 0, 100),
    "cut off": (file) => truncateSync(file, 8_192),
    "a spoilt first page": (file) => spoil(file, 100, 3_900),
  }
  for (const [name, damage] of Object.entries(damages))
    test(name, () => {
      using dir = tempDir()
      fill(dir.file)
      damage(dir.file)
      const bytes = readFileSync(dir.file)
      const [warning] = openDamaged(dir.file)
      const aside = `${dir.file}.damaged-2026-01-02T00-00-00-000Z`
      expect(warning).toContain("was damaged")
      expect(warning).toContain(aside)
      expect(readFileSync(aside).equals(bytes)).toBe(true)
    })

  test("emptied while its write-ahead log has everything: the log is kept", () => {
    using dir = tempDir()
    using source = tempStore({ file: join(dir.path, "source.db") })
    source.store.append("ses_1", [created("ses_1", { title: "a precious title" })])
    writeFileSync(dir.file, "")
    writeFileSync(`${dir.file}-wal`, readFileSync(`${source.file}-wal`))
    const [warning] = openDamaged(dir.file)
    expect(warning).toContain("the file is empty but its write-ahead log is not")
    const log = readdirSync(dir.path).find((name) => name.includes("damaged") && name.endsWith("-wal")) ?? ""
    expect(readFileSync(join(dir.path, log)).includes("a precious title")).toBe(true)
  })

  test("twice in the same millisecond: both are kept", () => {
    using dir = tempDir()
    for (const text of ["first letter ", "second letter "]) {
      writeFileSync(dir.file, text.repeat(100))
      openDamaged(dir.file)
    }
    const asides = readdirSync(dir.path).filter((name) => name.includes("damaged"))
    expect(asides.map((name) => readFileSync(join(dir.path, name), "utf8").slice(0, 5)).toSorted()).toEqual([
      "first",
      "secon",
    ])
  })

  test("several processes find it damaged: one sets it aside, none loses what another stored since", async () => {
    using dir = tempDir()
    writeFileSync(dir.file, "this is a letter to my aunt\n".repeat(200))
    const said = await runTogether(4, "open", dir.file)
    expect(
      said.filter((one) => Array.isArray(one["warnings"]) && one["warnings"].length > 0).length,
    ).toBeLessThanOrEqual(1)
    expect(readdirSync(dir.path).filter((name) => name.includes("damaged"))).toHaveLength(1)
    using temp = tempStore({ file: dir.file })
    expect(temp.store.read.sessions({})).toHaveLength(4)
  })

  test("a page at the end of the log: nothing could be appended, so it is found at the start", () => {
    using dir = tempDir()
    fill(dir.file, 200)
    const page = lastPageOf(dir.file, "event")
    spoil(dir.file, (page - 1) * 4_096, 4_096)
    expect(openDamaged(dir.file)[0]).toContain("was damaged")
  })
})

/** Number of the rightmost leaf page of a table, for tables of at most one inner page. */
function lastPageOf(file: string, table: string): number {
  using database = new Database(file, { readonly: true })
  const root = database
    .query<{ page: number }, [string]>("SELECT rootpage AS page FROM sqlite_schema WHERE name = ?")
    .get(table)
  const inner = readFileSync(file).subarray(((root?.page ?? 0) - 1) * 4_096)
  expect(inner[0]).toBe(5)
  return inner.readUInt32BE(8)
}

describe("a page that is damaged elsewhere", () => {
  test("is a problem for verify, and an append that meets it says what to do and writes nothing", () => {
    using dir = tempDir()
    fill(dir.file, 200)
    spoil(dir.file, (lastPageOf(dir.file, "part") - 1) * 4_096, 4_096)
    using temp = tempStore({ file: dir.file })
    expect(verify(temp.database).problems.join("\n")).toContain("the file is damaged")
    const before = temp.store.read.lastSeq()
    const more = part(textPart("ses_1", "msg_1", "prt_9999", "more"))
    expect(() => temp.store.append("ses_1", [more])).toThrow(StoreFailed)
    expect(() => temp.store.append("ses_1", [more])).toThrow("cairn debug verify")
    expect(temp.store.read.lastSeq()).toBe(before)
    expect(temp.published).toEqual([])
  })
})

describe("trouble that is not damage is an error that says what to do, and touches nothing", () => {
  const failure = (file: string) => {
    const result = open(file)
    if (result.ok) throw new Error("it opened")
    expect(result.error.kind).toBe("data_directory")
    return result.error.message
  }

  test("a directory in its place", () => {
    using dir = tempDir()
    mkdirSync(dir.file)
    writeFileSync(join(dir.file, "letter"), "dear aunt")
    expect(failure(dir.file)).toContain("A directory stands in its place")
    expect(readdirSync(dir.path)).toEqual(["cairn.db"])
  })

  test("a directory that does not exist", () => {
    using dir = tempDir()
    expect(failure(join(dir.path, "missing", "cairn.db"))).toContain("ENOENT")
    expect(existsSync(join(dir.path, "missing"))).toBe(false)
  })

  test("the database of another program", () => {
    using dir = tempDir()
    new Database(dir.file).run("CREATE TABLE bookmarks (url text)")
    expect(failure(dir.file)).toContain("another program")
    using other = new Database(dir.file, { readonly: true })
    expect(other.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "bookmarks" }])
  })

  test.skipIf(process.getuid?.() !== 0)("a directory that cannot be written (skipped unless root)", async () => {
    using dir = tempDir()
    chmodSync(dir.path, 0o755)
    const [said] = await runTogether(1, "powerless", dir.file)
    expect(said?.["kind"]).toBe("data_directory")
    expect(String(said?.["message"])).toContain("XDG_DATA_HOME")
    expect(readdirSync(dir.path)).toEqual([])
  })

  const mounted = (path: string) =>
    process.getuid?.() === 0 && Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path]).success
  test("a full disk", () => {
    using dir = tempDir()
    const path = join(dir.path, "small")
    mkdirSync(path)
    if (!mounted(path)) return void process.stderr.write("skipped: a small file system cannot be mounted here\n")
    try {
      const file = join(path, "cairn.db")
      fill(file)
      {
        using temp = tempStore({ file })
        const grow = () => {
          for (let n = 0; n < 1_000; n++)
            temp.store.append("ses_1", [part(textPart("ses_1", "msg_1", `prt_${5000 + n}`, "text ".repeat(2_000)))])
        }
        expect(grow).toThrow(StoreFailed)
        expect(grow).toThrow("free some space")
        const stored = temp.store.read.lastSeq()
        expect(temp.published.at(-1)?.seq).toBe(stored)
      }
      using again = tempStore({ file })
      expect(again.store.read.messages("ses_1")[0]?.parts.length).toBeGreaterThan(3)
      expect(verify(again.database).problems).toEqual([])
    } finally {
      Bun.spawnSync(["umount", "-l", path])
    }
  })
})

describe("processes", () => {
  test("one that is killed in the middle of its appends leaves a database that opens and verifies", async () => {
    using dir = tempDir()
    let stored = 0
    for (const until of [1, 7, 40]) {
      await using child = await spawnChild("append", dir.file, "0")
      child.go()
      let said = await child.next()
      while (Number(said["stored"]) < until) said = await child.next()
      await child.kill("SIGKILL")
      stored += Number(said["stored"])
      using temp = tempStore({ file: dir.file })
      expect(verify(temp.database).problems).toEqual([])
      const parts = temp.store.read
        .sessions({})
        .flatMap(({ id }) => temp.store.read.messages(id).flatMap((one) => one.parts))
      expect(parts.length).toBeGreaterThanOrEqual(stored)
      stored = parts.length
    }
  }, 20_000)

  test("three that append 700 times each lose nothing and do not fail", async () => {
    using dir = tempDir()
    const said = await runTogether(3, "append", dir.file, "700")
    expect(new Set(said.map((one) => one["sessionID"])).size).toBe(3)
    using temp = tempStore({ file: dir.file })
    for (const { sessionID } of said) expect(temp.store.read.messages(String(sessionID))[0]?.parts).toHaveLength(700)
    expect(temp.store.read.lastSeq()).toBe(3 * 702)
  }, 20_000)
})
