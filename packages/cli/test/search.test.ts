import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import path from "node:path"
import type { SearchHit } from "@cairn/schema/search"
import { text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"

/** A workspace with one session that read a file and said what is in it. */
async function spoken(): Promise<AsyncDisposable & { space: TempWorkspace; id: string }> {
  const space = await tempWorkspace({ files: { "notes.txt": "the numbat\x1b[2J sleeps\n" } })
  await using server = await startModelServer([
    [toolCall("read", { filePath: "notes.txt" })],
    [text("In getUserName 设定 a wombat digs.")],
  ])
  const run = await cairn(space, ["run", "--format", "json", "--title", "Animals", "read my notes"], { server })
  return { space, id: String(run.result()["sessionID"]), [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() }
}

async function hits(space: TempWorkspace, ...words: string[]): Promise<SearchHit[]> {
  const { code, out, err } = await cairn(space, ["session", "search", "--format", "json", ...words])
  expect([code, err]).toEqual([0, ""])
  return (JSON.parse(out) as { hits: SearchHit[] }).hits
}

describe("session search", () => {
  test("finds what was said and what a tool gave, and show begins there", async () => {
    await using made = await spoken()
    const found = await cairn(made.space, ["session", "search", "wombat"])
    expect([found.code, found.err]).toEqual([0, ""])
    expect(found.out).toMatch(
      /^Animals, (just now|\d min ago), answer\n {2}In getUserName 设定 a wombat digs\.\n {2}cairn session show ses_/,
    )
    const jump = / {2}cairn (session show ses_\w+ --message msg_\w+)\n$/.exec(found.out)?.[1] ?? ""
    const shown = await cairn(made.space, jump.split(" "))
    expect(shown).toMatchObject({ code: 0, err: "" })
    expect(shown.out).toContain("a wombat digs")
    expect(shown.out).not.toContain("read my notes")
    const [numbat] = await hits(made.space, "numbat")
    expect(numbat).toMatchObject({ sessionID: made.id, type: "tool", tool: "read" })
    for (const word of ["user", "getuser", "UserName", "设定", "notes.txt", '"a wombat"'])
      expect([word, (await hits(made.space, word)).length]).not.toEqual([word, 0])
  }, 30_000)

  test("marks the words with colours, and lets no control character through", async () => {
    await using made = await spoken()
    const env = { FORCE_COLOR: "1" }
    const wombat = await cairn(made.space, ["session", "search", "wombat"], { env })
    expect(wombat.out).toContain("\x1b[36m\x1b[1mwombat\x1b[22m\x1b[39m")
    const numbat = await cairn(made.space, ["session", "search", "numbat"], { env })
    expect(numbat.out).toContain("␛[2J sleeps")
    expect(numbat.out).not.toContain("\x1b[2J")
  }, 20_000)

  test("stays in the directory unless --all, and finds nothing of a deleted session", async () => {
    await using made = await spoken()
    const elsewhere = await tempWorkspace()
    await using _ = elsewhere
    const other = await cairn(elsewhere, ["session", "search", "wombat"], { env: { ...made.space.env } })
    expect(other).toMatchObject({ code: 0, out: "", err: expect.stringContaining("Nothing found") })
    expect(await hits(made.space, "--all", "wombat")).toHaveLength(1)
    expect((await cairn(made.space, ["session", "delete", "--yes", made.id])).code).toBe(0)
    expect(await hits(made.space, "wombat")).toEqual([])
    expect((await cairn(made.space, ["debug", "verify"])).code).toBe(0)
  }, 30_000)

  test("what is no search is exit 2 with a reason, whatever the shell passes on", async () => {
    await using space = await tempWorkspace()
    for (const query of ["::", "", '"', "x".repeat(1_001)]) {
      const { code, out, err } = await cairn(space, ["session", "search", query])
      expect([query, code, out]).toEqual([query, 2, ""])
      expect(err).toMatch(/search|word/)
    }
    for (const query of ['a" OR "b', "NEAR(a b)", "said:x AND", "*x", "a'; DROP TABLE part; --", "^a + b"])
      expect(await hits(space, query)).toEqual([])
    expect((await cairn(space, ["session", "search"])).code).toBe(2)
  }, 30_000)
})

test("an index that is damaged is said by search and verify, and rebuild-search mends it", async () => {
  await using made = await spoken()
  const file = path.join(made.space.env["XDG_DATA_HOME"] ?? "", "cairn/cairn.db")
  {
    using database = new Database(file)
    database.run("DELETE FROM search_words")
  }
  const verified = await cairn(made.space, ["debug", "verify"])
  expect(verified).toMatchObject({ code: 1, out: expect.stringContaining("cairn debug rebuild-search") })
  expect(await cairn(made.space, ["debug", "rebuild-search"])).toMatchObject({
    code: 0,
    out: "the search index was built again\n",
    err: "",
  })
  expect(await hits(made.space, "wombat")).toHaveLength(1)
  {
    using database = new Database(file)
    database.run("UPDATE search SET damaged = 1")
  }
  const refused = await cairn(made.space, ["session", "search", "wombat"])
  expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining("cairn debug rebuild-search") })
  expect((await cairn(made.space, ["debug", "rebuild-search"])).code).toBe(0)
  expect(await hits(made.space, "wombat")).toHaveLength(1)
}, 30_000)
