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
import { Ids } from "@cairn/kernel/id"
import { silentLog } from "@cairn/kernel/log"
import { TestClock } from "@cairn/testkit/clock"
import { runTogether, spawnChild } from "../../test/store/children.ts"
import { created, message, part, textPart, userMessage } from "../../test/store/events.ts"
import { opened, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { openDatabase } from "./database.ts"
import { self } from "./lease.ts"
import { createStore } from "./store.ts"
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
    spoil(dir.file, (leavesOf(dir.file, "event").at(-1)! - 1) * 4_096, 4_096)
    expect(openDamaged(dir.file)[0]).toContain("was damaged")
  })
})

/** Numbers of the leaf pages of a table in order, for tables of exactly one inner page. */
function leavesOf(file: string, table: string): number[] {
  // Not for reading only: that would leave a log behind.
  using database = new Database(file, { readwrite: true })
  const root = database
    .query<{ page: number }, [string]>("SELECT rootpage AS page FROM sqlite_schema WHERE name = ?")
    .get(table)
  const inner = readFileSync(file).subarray(((root?.page ?? 0) - 1) * 4_096)
  expect(inner[0]).toBe(5)
  const cells = Array.from({ length: inner.readUInt16BE(3) }, (_, n) => inner.readUInt16BE(12 + 2 * n))
  return [...cells.map((at) => inner.readUInt32BE(at)), inner.readUInt32BE(8)]
}

describe("a page that is damaged elsewhere", () => {
  const asides = (path: string) => readdirSync(path).filter((name) => name.includes("damaged"))
  const change = part(textPart("ses_1", "msg_1", "prt_1100", "other"))

  /** A file with a damaged page in the middle of its parts. */
  function hurt(file: string): void {
    fill(file, 200)
    const leaves = leavesOf(file, "part")
    spoil(file, (leaves[leaves.length >> 1]! - 1) * 4_096, 4_096)
  }

  test("a write that meets it says which file and what to do, writes nothing, and marks the file", () => {
    using dir = tempDir()
    hurt(dir.file)
    using temp = tempStore({ file: dir.file })
    const before = temp.store.read.lastSeq()
    expect(() => temp.store.append("ses_1", [change])).toThrow(StoreFailed)
    expect(() => temp.store.append("ses_1", [change])).toThrow(`${dir.file} could not be written`)
    expect(() => temp.store.append("ses_1", [change])).toThrow("the next start checks it")
    expect(temp.store.read.lastSeq()).toBe(before)
    expect(temp.published).toEqual([])
    expect(modeOf(`${dir.file}.suspect`)).toBe(0o600)
  })

  test("a read that meets it says so too", () => {
    using dir = tempDir()
    hurt(dir.file)
    using temp = tempStore({ file: dir.file })
    expect(() => temp.store.read.messages("ses_1")).toThrow(StoreFailed)
    expect(() => temp.store.read.messages("ses_1")).toThrow(`${dir.file} could not be read`)
    expect(existsSync(`${dir.file}.suspect`)).toBe(true)
  })

  test("verify lists it, and marks the file", () => {
    using dir = tempDir()
    hurt(dir.file)
    using temp = tempStore({ file: dir.file })
    expect(verify(temp.database).problems.join("\n")).toContain("the file is damaged")
    expect(existsSync(`${dir.file}.suspect`)).toBe(true)
  })

  test("text that is not what was stored is damage, also where SQLite sees none", () => {
    using dir = tempDir()
    fill(dir.file)
    const bytes = readFileSync(dir.file)
    // The row of the part, not the event: the row was written later, and the log stands before it.
    for (let at = bytes.indexOf("text text"); at >= 0; at = bytes.indexOf("text text", at + 1)) bytes[at] = 0x22
    writeFileSync(dir.file, bytes)
    {
      using temp = tempStore({ file: dir.file })
      expect(() => temp.store.read.messages("ses_1")).toThrow(`${dir.file} could not be read`)
    }
    expect(openDamaged(dir.file)[0]).toContain("It was set aside")
  })

  test("the next start checks a marked file, sets it aside and takes the mark away", () => {
    using dir = tempDir()
    hurt(dir.file)
    const bytes = readFileSync(dir.file)
    writeFileSync(`${dir.file}.suspect`, "")
    expect(openDamaged(dir.file)[0]).toContain("It was set aside")
    expect(existsSync(`${dir.file}.suspect`)).toBe(false)
    expect(asides(dir.path).map((name) => readFileSync(join(dir.path, name)).equals(bytes))).toEqual([true])
    expect(openDamaged(dir.file)).toEqual([])
  })

  test("a mark on a sound file is taken away, and nothing else happens", () => {
    using dir = tempDir()
    fill(dir.file)
    writeFileSync(`${dir.file}.suspect`, "")
    using temp = tempStore({ file: dir.file })
    expect(temp.store.read.messages("ses_1")[0]?.parts).toHaveLength(3)
    expect(existsSync(`${dir.file}.suspect`)).toBe(false)
    expect(asides(dir.path)).toEqual([])
  })

  test("while somebody uses it, it stays, marked, and the user is told; then it goes", () => {
    using dir = tempDir()
    hurt(dir.file)
    writeFileSync(`${dir.file}.suspect`, "")
    {
      using user = new Database(dir.file, { readwrite: true })
      user.query("SELECT count(*) FROM project").get()
      const result = open(dir.file)
      if (!result.ok) throw new Error(result.error.message)
      result.value.database.close()
      expect(result.value.warnings[0]).toContain("End them all")
      expect(existsSync(`${dir.file}.suspect`)).toBe(true)
      expect(asides(dir.path)).toEqual([])
      // What is so damaged that it cannot be opened at all is left to its user too.
      spoil(dir.file, (leavesOf(dir.file, "event").at(-1)! - 1) * 4_096, 4_096)
      const refused = open(dir.file)
      expect(refused).toMatchObject({ ok: false, error: { kind: "data_directory" } })
      expect(asides(dir.path)).toEqual([])
    }
    expect(openDamaged(dir.file)[0]).toContain("It was set aside")
    expect(asides(dir.path)).toHaveLength(1)
  }, 20_000)

  test("whichever page it is: the second start at the latest works, and nothing is lost", () => {
    using dir = tempDir()
    fill(dir.file, 20)
    const sound = readFileSync(dir.file)
    const pages = sound.length / 4_096
    expect(pages).toBeGreaterThan(45)
    const met = { start: 0, run: 0, never: 0 }
    for (let page = 0; page < pages; page++) {
      const path = join(dir.path, String(page))
      const file = join(path, "cairn.db")
      mkdirSync(path)
      const bytes = Buffer.from(sound)
      noise(page).copy(bytes, page * 4_096)
      writeFileSync(file, bytes)
      const first = session(file)
      const second = session(file)
      expect([page, second.failure]).toEqual([page, undefined])
      const warned = [...first.warnings, ...second.warnings]
      expect([page, asides(path).length]).toEqual([page, warned.length])
      if (asides(path)[0] !== undefined) expect(statSync(join(path, asides(path)[0]!)).size).toBeGreaterThan(0)
      met[first.failure === undefined ? (warned.length > 0 ? "start" : "never") : "run"]++
    }
    // Roots are found at the start, most others by the run that needs them; a free page is no loss.
    expect(met.start).toBeGreaterThan(30)
    expect(met.never).toBeLessThan(5)
  }, 30_000)
})

/** The same bytes for the same seed, like noise to SQLite. */
function noise(seed: number): Buffer {
  const bytes = Buffer.alloc(4_096)
  for (let at = 0; at < bytes.length; at += 32)
    new Bun.CryptoHasher("sha256").update(`${seed} ${at}`).digest().copy(bytes, at)
  return bytes
}

/** What a run does: it reads everything, writes of everything, and is verified. Only the words of `StoreFailed` may come out. */
function session(file: string): { readonly warnings: readonly string[]; readonly failure: string | undefined } {
  const result = open(file)
  if (!result.ok) throw new Error(result.error.message)
  const { database, warnings } = result.value
  const clock = new TestClock()
  const store = createStore({ database, clock, ids: new Ids(clock), log: silentLog, owner: self() })
  const id = `ses_${store.read.lastSeq()}`
  try {
    for (const one of store.read.sessions({})) store.read.messages(one.id)
    store.cursor(0)
    store.append(id, [created(id), message(userMessage(id, `msg_${id}`))])
    store.append(id, [part(textPart(id, `msg_${id}`, `prt_${id}`, "text ".repeat(400)))])
    const problems = verify(database).problems
    return { warnings, failure: problems.length > 0 ? problems.join("\n") : undefined }
  } catch (error) {
    if (!(error instanceof StoreFailed)) throw error
    expect(error.message).toContain(file)
    return { warnings, failure: error.message }
  } finally {
    store.close()
  }
}

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
