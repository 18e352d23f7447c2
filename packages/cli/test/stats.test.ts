import { Database } from "bun:sqlite"
import { expect, setDefaultTimeout, test } from "bun:test"
import { mkdir, rm } from "node:fs/promises"
import type { Stats } from "@cairn/schema/stats"
import { gate } from "@cairn/testkit/gate"
import { headers, text, toolCall, usage, waitFor, type Scenario } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { cairn, startCairn } from "./run-cairn.ts"

// Several processes one after the other.
setDefaultTimeout(30_000)

const work: Scenario = (request) =>
  request.text.includes("notes.txt")
    ? [text("Read."), usage({ input: 100, output: 10, cacheRead: 900 })]
    : [toolCall("read", { filePath: "notes.txt" }), usage({ input: 1_000, output: 10 })]

/** A workspace in which a session read a file: 2,000 tokens in and 20 out, at 100 and 200 dollars a million. */
async function worked(title = "Read my notes"): Promise<TempWorkspace> {
  const space = await tempWorkspace({ files: { "notes.txt": "one line\n" }, git: true })
  const models = { model: { cost: { input: 100, output: 200, cache_read: 10 } } }
  await space.write(`${space.home}/.config/cairn/cairn.json`, JSON.stringify({ provider: { scripted: { models } } }))
  await using server = await startModelServer(work)
  const run = await cairn(space, ["run", "--title", title, "go"], { server })
  if (run.code !== 0) throw new Error(run.err)
  return space
}

const statsOf = async (space: TempWorkspace, ...argv: string[]): Promise<Stats> => {
  const { code, out, err } = await cairn(space, ["stats", "--format", "json", ...argv])
  expect([code, err]).toEqual([0, ""])
  return JSON.parse(out) as Stats
}

test("in a pipe: plain lines without colour or bars", async () => {
  await using space = await worked()
  const { code, out, err } = await cairn(space, ["stats"])
  expect([code, err]).toEqual([0, ""])
  // 1,100 in at 100, 900 from the cache at 10, 20 out at 200.
  expect(out).toStartWith("all projects, the last 30 days\ncost    $0.12\ntokens  2k in (900 cached), 20 out\n")
  expect(out).toContain("cache   gave 45 % of what went in\ncalls   2 in 1 session\n")
  expect(out).toMatch(/^\d{4}-\d\d-\d\d {2}\$0\.12 {6}2k$/m)
  expect(out).toMatch(/^scripted\/model {2}\$0\.12 {6}2 {2}2k {3}20 {4}45 %$/m)
  expect(out).toMatch(/^Read my notes {2}\$0\.12 .* ses_\w+$/m)
  expect(out).not.toMatch(/[\u0000-\u0009\u001b█▏]/)
})

test("as JSON: sums, and what each tool cost in context", async () => {
  await using space = await worked()
  const stats = await statsOf(space)
  expect(stats.totals).toMatchObject({ calls: 2, sessions: 1, subagents: 0, deleted: 0, cacheHitRate: 900 / 2_000 })
  expect(stats.totals.cost).toBeCloseTo(0.123, 9)
  expect(stats.models).toMatchObject([{ providerID: "scripted", modelID: "model", calls: 2, unpriced: 0 }])
  expect(stats.projects).toMatchObject([{ directory: space.dir, sessions: 1 }])
  const read = stats.tools.find((each) => each.tool === "read")!
  expect(read).toMatchObject({ calls: 1, failures: 0, requests: 2 })
  expect(read.outputTokens).toBeGreaterThan(2)
  const unused = stats.tools.find((each) => each.tool === "edit")!
  expect(unused).toMatchObject({ calls: 0, requests: 2, outputTokens: 0 })
  expect(unused.schemaTokens).toBeGreaterThan(100)
  const table = await cairn(space, ["stats", "--tools"])
  expect(table.out).toMatch(/^read +1 +0 +\d/m)
  expect(table.out).toMatch(/^edit +0 +0 +\d/m)
})

test("an empty database is no error: nothing on stdout, the reason on stderr, zeros as JSON", async () => {
  await using space = await tempWorkspace()
  const { code, out, err } = await cairn(space, ["stats"])
  expect([code, out]).toEqual([0, ""])
  expect(err).toBe("No model was called: all projects, the last 30 days (--days all: ever).\n")
  expect((await statsOf(space, "--days", "all")).totals.calls).toBe(0)
  expect((await cairn(space, ["stats", "--days", "all"])).err).toBe(
    "No model was called: all projects, from the beginning.\n",
  )
})

test("a project is that of this directory, of another one, or of one that is gone", async () => {
  await using space = await worked()
  const other = `${space.home}/other`
  await mkdir(other)
  await using server = await startModelServer([[text("Elsewhere."), usage({ input: 7, output: 0 })]])
  await cairn(space, ["run", "go"], { server, cwd: other })
  const calls = async (...argv: string[]) => (await statsOf(space, ...argv)).totals.calls
  expect(await calls()).toBe(3)
  expect(await calls("--project", "here")).toBe(2)
  expect(await calls("--project", ".")).toBe(2)
  expect(await calls("--project", other)).toBe(1)
  expect((await cairn(space, ["stats", "--project", "here"])).out).toStartWith(`${space.dir}, the last 30 days\n`)
  await rm(other, { recursive: true })
  expect(await calls("--project", other)).toBe(1)
  const nowhere = await cairn(space, ["stats", "--project", "/nowhere"])
  expect(nowhere).toMatchObject({ code: 0, out: "", err: expect.stringContaining("No model was called: /nowhere") })
  const file = await cairn(space, ["stats", "--project", "notes.txt"])
  expect(file).toMatchObject({ code: 2, out: "", err: expect.stringContaining("not a directory") })
})
test("a deleted session stays counted, and that is said", async () => {
  await using space = await worked("A PRIVATE title")
  const [id = ""] = (await cairn(space, ["session", "list"])).out.split(" ")
  expect((await cairn(space, ["session", "delete", "--yes", id])).code).toBe(0)
  const { out } = await cairn(space, ["stats"])
  expect(out).toContain("cost    $0.12\n")
  expect(out).toContain("calls   2 in 1 session (1 deleted since)\n")
  expect(out).not.toContain("PRIVATE")
  const stats = await statsOf(space)
  expect([stats.sessions, stats.tools]).toEqual([[], []])
  expect(stats.projects).toMatchObject([{ directory: space.dir }])
  expect((await cairn(space, ["debug", "verify"])).code).toBe(0)
})

test("works beside a run of another process, takes no lease and writes nothing", async () => {
  await using space = await worked()
  const hold = gate()
  await using server = await startModelServer([[headers(), waitFor(hold), text("Done.")]])
  const run = startCairn(space, ["run", "--format", "json", "slowly"], { server })
  await run.printed(/"type":"start"/)
  await server.received(0)
  const before = entries(space)
  expect((await statsOf(space)).totals.calls).toBe(2)
  expect(entries(space)).toBe(before)
  hold.open()
  expect((await run.ended).code).toBe(0)
  expect((await statsOf(space)).totals.calls).toBe(3)
})

/** How many events the log has. */
function entries(space: TempWorkspace): number {
  using database = new Database(`${space.env["XDG_DATA_HOME"]}/cairn/cairn.db`, { readonly: true })
  return database.query<{ count: number }, []>("SELECT count(*) AS count FROM event").get()!.count
}

test("names are harmless on a terminal, and narrow ones get narrow tables", async () => {
  await using space = await worked(
    "\u001b]0;pwned\u0007 a title that is much longer than a narrow terminal has room for",
  )
  const screen = async (columns: number, env: Record<string, string> = {}) => {
    const decoder = new TextDecoder()
    let out = ""
    // The stream ends after the process.
    const ended = Promise.withResolvers<void>()
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/../src/main.ts`, "stats"], {
      cwd: space.dir,
      env: { ...space.env, TERM: "xterm", ...env },
      terminal: {
        ...{ cols: columns, rows: 40 },
        data: (_, bytes) => void (out += decoder.decode(bytes, { stream: true })),
        exit: () => ended.resolve(),
      },
    })
    await Promise.all([child.exited, ended.promise])
    child.terminal?.close()
    return out.replaceAll("\r", "")
  }
  const wide = await screen(100)
  expect(wide).toContain("█")
  expect(wide).not.toContain("\u001b]")
  expect(wide).toContain("␛]0;pwned␇")
  for (const columns of [60, 40]) {
    const lines = (await screen(columns, { NO_COLOR: "1" })).split("\n")
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns)
    expect(lines.join("\n")).toContain("█")
  }
  expect(await screen(80, { CAIRN_PLAIN: "1" })).not.toMatch(/[█\u001b]/)
})
