import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { appendHistory, History, readHistory } from "./history.ts"

describe("a walk through what was sent", () => {
  test("goes back to the oldest and forward to what was being written", () => {
    const history = new History(["one", "two"])
    expect(history.previous("draft")).toBe("two")
    expect(history.previous("two")).toBe("one")
    expect(history.previous("one")).toBeUndefined()
    expect(history.following()).toBe("two")
    expect(history.following()).toBe("draft")
    expect(history.following()).toBeUndefined()
  })

  test("begins anew after a key that changed the text", () => {
    const history = new History(["one", "two"])
    history.previous("")
    history.stop()
    expect(history.previous("other")).toBe("two")
    expect(history.following()).toBe("other")
  })

  test("has each prompt once, the newest last, and nothing empty", () => {
    const history = new History(["one", "two"])
    expect([history.add("one"), history.add("one"), history.add("  "), history.add("x".repeat(100_001))]).toEqual([
      ...[true, false, false, false],
    ])
    expect(history.entries).toEqual(["two", "one"])
  })

  test("keeps five hundred", () => {
    const history = new History(Array.from({ length: 700 }, (_, at) => `p${at}`))
    expect([history.entries.length, history.entries[0]]).toEqual([500, "p200"])
    history.add("more")
    expect([history.entries.length, history.entries[0]]).toEqual([500, "p201"])
  })

  test("is searched backwards, in any case", () => {
    const history = new History(["Fix A", "other", "fix b"])
    const first = history.search("FIX")
    expect(first).toEqual({ text: "fix b", at: 2 })
    expect(history.search("fix", first!.at)).toEqual({ text: "Fix A", at: 0 })
    expect(history.search("fix", 0)).toBeUndefined()
    expect(history.search("nothing")).toBeUndefined()
  })
})

describe("the file", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cairn-history-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test("is made for this user alone, and read again", async () => {
    const file = join(folder, "deep/project.jsonl")
    await appendHistory(file, { text: "one\nline" })
    await appendHistory(file, { text: "two" })
    expect(await readHistory(file)).toEqual(["one\nline", "two"])
    if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test("may be damaged, or not be there", async () => {
    const file = join(folder, "damaged.jsonl")
    await writeFile(file, '{"text":"one"}\nnull\n[]\n{"text":7}\n{"te')
    expect(await readHistory(file)).toEqual(["one"])
    expect(await readHistory(join(folder, "none.jsonl"))).toEqual([])
  })

  test("is made short when it got long", async () => {
    const file = join(folder, "long.jsonl")
    await writeFile(file, Array.from({ length: 1_500 }, (_, at) => `{"text":"p${at}"}\n`).join(""))
    expect((await readHistory(file)).at(0)).toBe("p1000")
    expect((await readFile(file, "utf8")).split("\n")).toHaveLength(501)
  })
})
