import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "../process/environment.ts"
import { ripgrepPath } from "../process/ripgrep.ts"
import { createSupervisor } from "../process/supervisor.ts"
import { asNobody } from "../../test/support/as-nobody.ts"
import { createSearch, manyResults } from "./search.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-search-")))
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const search = createSearch({ supervisor, ripgrep: () => ripgrepPath(supervisor.env) })
const signal = new TaskGroup().signal

let age = 1_700_000_000
function put(path: string, text: string | Uint8Array): void {
  const full = join(home, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, text)
  utimesSync(full, ++age, age)
}

beforeAll(() => {
  put("repo/.git/HEAD", "ref: refs/heads/main\n")
  put("repo/.git/objects/needle", "needle")
  put("repo/.git/refs/x", "")
  put("repo/.gitignore", "dist/\n*.log\n")
  put("repo/src/a.ts", "one\nneedle here\nthree needle\n")
  put("repo/src/b.js", "needle\r\n")
  put("repo/src/lib/.gitignore", "gen.ts\n")
  put("repo/src/lib/gen.ts", "needle")
  put("repo/src/lib/.hidden.ts", "needle hidden")
  put("repo/dist/out.ts", "needle")
  put("repo/x.log", "needle")
  put("repo/-dash\nline.ts", "needle dash")
  put("repo/long.min.js", `${"x".repeat(5_000)}needle${"é".repeat(5_000)}\n`)
  put("repo/binary.ts", new Uint8Array([0x6e, 0, 0x65]))
  put("plain/.gitignore", "skip\n")
  put("plain/skip", "needle")
  put("plain/kept", "needle")
  for (let i = 0; i < manyResults / 100 + 5; i++) put(`many/f${String(i).padStart(3, "0")}`, "needle\n".repeat(100))
})
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const grep = async (
  pattern: string,
  path: string,
  more: { include?: string; limit?: number; keep?: (path: string) => boolean } = {},
) => {
  const found = await search.grep(pattern, { path: join(home, path), limit: 100, signal, ...more })
  if (!found.ok) throw new Error(`${found.error.kind}: ${found.error.message}`)
  return found.value
}
const files = async (path: string, pattern?: string, limit = 100) => {
  const found = await search.files({
    path: join(home, path),
    limit,
    signal,
    ...(pattern === undefined ? {} : { pattern }),
  })
  if (!found.ok) throw new Error(`${found.error.kind}: ${found.error.message}`)
  return found.value
}
const lines = (found: { results: readonly { path: string; line: number }[] }) =>
  found.results.map((hit) => `${hit.path}:${hit.line}`)

describe("grep", () => {
  test("newest file first, then by line; ignored files, .git and binary files are left out, hidden ones are not", async () => {
    const found = await grep("needle", "repo")
    expect(lines(found)).toEqual([
      "long.min.js:1",
      "-dash\nline.ts:1",
      "src/lib/.hidden.ts:1",
      "src/b.js:1",
      "src/a.ts:2",
      "src/a.ts:3",
    ])
    expect(found).toMatchObject({ truncated: false, order: "newest", timedOut: false })
    expect(found.results.at(-1)?.text).toBe("three needle")
    expect(found.results.at(3)?.text).toBe("needle")
  })

  test("a long line is cut around the match, between characters", async () => {
    const [hit] = (await grep("needle", "repo", { include: "*.min.js" })).results
    expect(hit?.text).toMatch(/^…x{100}needleé+…$/)
    expect(hit?.text.length).toBeLessThan(402)
  })

  test("include: a name at any depth, or a path; it never brings back what is ignored", async () => {
    expect(lines(await grep("needle", "repo", { include: "*.js" }))).toEqual(["long.min.js:1", "src/b.js:1"])
    expect(lines(await grep("needle", "repo", { include: "src/*.{js,ts}" }))).toEqual([
      "src/b.js:1",
      "src/a.ts:2",
      "src/a.ts:3",
    ])
    expect(lines(await grep("needle", "repo", { include: "*.log" }))).toEqual([])
    expect(lines(await grep("needle", "repo", { include: "gen.ts" }))).toEqual([])
  })

  test("what is named itself is searched although it is ignored", async () => {
    expect(lines(await grep("needle", "repo/dist"))).toEqual(["out.ts:1"])
    expect(lines(await grep("needle", "repo/x.log"))).toEqual(["x.log:1"])
  })

  test("outside of a repository the directory's own ignore file counts", async () => {
    expect(lines(await grep("needle", "plain"))).toEqual(["kept:1"])
  })

  test("a limit cuts the list and says so", async () => {
    const found = await grep("needle", "repo", { limit: 2 })
    expect(lines(found)).toEqual(["long.min.js:1", "-dash\nline.ts:1"])
    expect(found.truncated).toBe(true)
    expect((await grep("needle", "repo", { limit: 6 })).truncated).toBe(false)
  })

  test("very many matches come by path, and the same ones each time", async () => {
    const found = await grep("needle", "many", { limit: 150 })
    expect(found).toMatchObject({ order: "path", truncated: true })
    expect(lines(found)).toEqual(lines(await grep("needle", "many", { limit: 150 })))
    expect([lines(found)[0], lines(found).at(-1)]).toEqual(["f000:1", "f001:50"])
  })

  test("a filter decides before anything is counted", async () => {
    const found = await grep("needle", "repo", { limit: 2, keep: (path) => path.endsWith("a.ts") })
    expect(lines(found)).toEqual(["src/a.ts:2", "src/a.ts:3"])
    expect(found.truncated).toBe(false)
  })

  test("nothing found is an empty list", async () => {
    expect(await grep("no such thing", "repo")).toMatchObject({ results: [], truncated: false })
  })

  test("a pattern that begins with a dash, spans lines, or asks for backtracking", async () => {
    expect(lines(await grep("-dash", "repo"))).toEqual([])
    expect(lines(await grep("here\\nthree", "repo"))).toEqual(["src/a.ts:2"])
    expect(lines(await grep("(x+x+)+y", "repo"))).toEqual([])
  })

  test("an invalid expression is told in ripgrep's words", async () => {
    const found = await search.grep("foo(", { path: join(home, "repo"), limit: 10, signal })
    expect(found).toMatchObject({ ok: false, error: { kind: "invalid_arguments" } })
    expect(found.ok ? "" : found.error.message).toContain("unclosed group")
    expect(await search.grep("a\0b", { path: home, limit: 1, signal })).toMatchObject({
      ok: false,
      error: { kind: "invalid_arguments" },
    })
  })

  test("a directory that is missing is told", async () => {
    const found = await search.grep("x", { path: join(home, "absent"), limit: 10, signal })
    expect(found).toEqual({ ok: false, error: { kind: "missing", message: `${join(home, "absent")} does not exist.` } })
  })

  test("a line of 3 MB is found without being held", async () => {
    put("huge/one.json", `${"y".repeat(3_000_000)}needle`)
    expect((await grep("needle", "huge")).results).toEqual([
      { path: "one.json", line: 0, text: "[a line too long to show]" },
    ])
  })

  test("an unreadable directory beside others does not fail the search", async () => {
    put("locked/in/a", "needle")
    put("locked/b", "needle")
    chmodSync(join(home, "locked/in"), 0)
    const found = await grep("needle", "locked")
    expect(lines(found)).toContain("b:1")
    chmodSync(join(home, "locked/in"), 0o700)
  })

  test("without ripgrep it is a failure that says what to do", async () => {
    const none = createSearch({ supervisor, ripgrep: () => undefined })
    const found = await none.files({ path: home, limit: 1, signal })
    expect(found).toMatchObject({ ok: false, error: { kind: "io" } })
    expect(found.ok ? "" : found.error.message).toContain("ripgrep")
  })

  test("an interruption rejects with its reason", async () => {
    const turn = new TaskGroup()
    const running = search.grep("needle", { path: join(home, "many"), limit: 10, signal: turn.signal })
    turn.cancel(new Interrupted("enough"))
    expect(await running.catch((error: unknown) => error)).toEqual(new Interrupted("enough"))
  })
})

describe("files", () => {
  test("all, newest first, as git would show them", async () => {
    expect((await files("repo")).results).toEqual([
      "binary.ts",
      "long.min.js",
      "-dash\nline.ts",
      "src/lib/.hidden.ts",
      "src/lib/.gitignore",
      "src/b.js",
      "src/a.ts",
      ".gitignore",
    ])
  })

  test("by glob: a name at any depth, or a path from the root", async () => {
    expect((await files("repo", "*.ts")).results).toEqual([
      "binary.ts",
      "-dash\nline.ts",
      "src/lib/.hidden.ts",
      "src/a.ts",
    ])
    expect((await files("repo", "src/*.ts")).results).toEqual(["src/a.ts"])
    expect((await files("repo", "**/*.{js,md}")).results).toEqual(["long.min.js", "src/b.js"])
    expect((await files("repo", "nothing*")).results).toEqual([])
    // Tied to its start it says how deep to look.
    expect((await files("repo", "./*.ts")).results).toEqual(["binary.ts", "-dash\nline.ts"])
    expect((await files("repo", "./*/a.ts")).results).toEqual(["src/a.ts"])
    expect((await files("repo", "./{src,none}/lib/*.ts")).results).toEqual(["src/lib/.hidden.ts"])
    expect((await files("repo", "./**/*.ts")).results).toHaveLength(4)
  })

  test("a limit, and very many", async () => {
    expect(await files("repo", "*.ts", 1)).toMatchObject({ results: ["binary.ts"], truncated: true })
    for (let i = 0; i <= manyResults; i++) writeFileSync(join(home, "many", `g${String(i).padStart(5, "0")}`), "")
    expect(await files("many", "g*", 2)).toMatchObject({
      results: ["g00000", "g00001"],
      truncated: true,
      order: "path",
    })
  })

  test("a missing directory", async () => {
    expect(await search.files({ path: join(home, "absent"), limit: 1, signal })).toMatchObject({
      ok: false,
      error: { kind: "missing" },
    })
  })
})

test.each([
  ["neither listed nor entered", 0o000],
  ["only listed", 0o400],
  ["only entered", 0o100],
])("a directory that may be %s is said to be unreadable", async (_, mode) => {
  const path = join(home, `locked-${mode}`)
  put(`locked-${mode}/inside`, "needle")
  chmodSync(path, mode)
  await asNobody(home, async () => {
    const message = `There is no permission to read ${path}.`
    for (const found of [
      await search.files({ path, limit: 1, signal }),
      await search.grep("needle", { path, limit: 1, signal }),
    ]) {
      expect(found).toEqual({ ok: false, error: { kind: "io", message } })
    }
  })
})

test("a file that may not be read is said to be unreadable", async () => {
  put("secret/file", "needle")
  const path = join(home, "secret/file")
  chmodSync(path, 0)
  await asNobody(home, async () => {
    const found = await search.grep("needle", { path, limit: 1, signal })
    expect(found).toEqual({
      ok: false,
      error: { kind: "io", message: `There is no permission to read ${path}.` },
    })
  })
})
