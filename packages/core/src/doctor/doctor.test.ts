import { describe, expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { chmod, mkdir, readdir, stat } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { createEngine } from "../app.ts"
import { createSupervisor } from "../process/supervisor.ts"
import { createLeases, self } from "../store/lease.ts"
import type { Check } from "./check.ts"
import { examine } from "./doctor.ts"
import { programChecks } from "./programs.ts"

const version = "9.9.9"

function look(
  space: TempWorkspace,
  config: object = {},
  more: { network?: boolean; env?: Record<string, string> } = {},
) {
  const env = { ...space.env, CAIRN_CONFIG_CONTENT: JSON.stringify(config), ...more.env }
  return examine({ directory: space.dir, env, home: space.home, version, network: more.network ?? false })
}
async function engineOf(space: TempWorkspace) {
  const opened = await createEngine({ directory: space.dir, env: space.env, home: space.home, version })
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
const named = (checks: readonly Check[], area: string, name: string) =>
  checks.filter((check) => check.area === area && check.name === name)
const dataDir = (space: TempWorkspace) => space.env["XDG_DATA_HOME"] ?? join(space.home, ".local/share")
const databaseFile = (space: TempWorkspace) => join(dataDir(space), "cairn", "cairn.db")

test("a fresh home is well, and nothing is created in it", async () => {
  await using space = await tempWorkspace()
  const { ok, checks } = await look(space)
  expect(ok).toBe(true)
  expect(named(checks, "runtime", "version")[0]?.text).toContain(`Cairn 9.9.9 from source, Bun ${Bun.version}`)
  for (const name of ["git", "ripgrep", "bash"])
    expect(named(checks, "programs", name)).toEqual([expect.objectContaining({ state: "ok" })])
  expect(named(checks, "directories", "data")[0]?.text).toContain("not there yet")
  expect(named(checks, "database", "file")[0]).toMatchObject({
    state: "ok",
    text: expect.stringContaining("not there yet"),
  })
  expect(named(checks, "models", "default")[0]).toMatchObject({ state: "warning" })
  expect(named(checks, "network", "provider")[0]).toMatchObject({ state: "note" })
  expect(await readdir(space.home)).toEqual([])
})

test("a system without its shell works, and that is worth a look", async () => {
  await using space = await tempWorkspace()
  const env = { PATH: space.env["PATH"] ?? "" }
  await using supervisor = createSupervisor({ clock: systemClock, log: silentLog, env })
  const { signal } = new TaskGroup()
  const input = { supervisor, cacheDir: space.home, directory: space.dir, signal }
  const missing = await programChecks({ ...input, sh: join(space.home, "no-sh") })
  expect(named(missing, "programs", "sh")).toMatchObject([{ state: "warning", advice: expect.any(String) }])
  expect(named(await programChecks(input), "programs", "sh")).toEqual([])
})

describe("the database", () => {
  test("is opened and counted, and not changed", async () => {
    await using space = await tempWorkspace()
    const engine = await engineOf(space)
    await engine.createSession({ title: "one" })
    await engine[Symbol.asyncDispose]()
    const before = await stat(databaseFile(space))
    const { ok, checks } = await look(space)
    expect(ok).toBe(true)
    expect(named(checks, "database", "file")[0]?.text).toContain("1 session")
    expect(named(checks, "database", "runs")[0]).toMatchObject({ state: "ok", text: "none in progress" })
    expect((await stat(databaseFile(space))).mtimeMs).toBe(before.mtimeMs)
  })

  test("that is damaged is broken, and stays where it is", async () => {
    await using space = await tempWorkspace()
    await space.write(databaseFile(space), "no database at all, but long enough to be looked at".repeat(100))
    const { ok, checks } = await look(space)
    expect(ok).toBe(false)
    expect(named(checks, "database", "file")[0]).toMatchObject({ state: "broken", advice: expect.any(String) })
    expect((await readdir(join(dataDir(space), "cairn"))).filter((name) => name.includes("damaged"))).toEqual([])
  })

  test("of another program, or of a newer Cairn, is broken", async () => {
    await using space = await tempWorkspace()
    await mkdir(join(dataDir(space), "cairn"), { recursive: true })
    const database = new Database(databaseFile(space))
    database.run("CREATE TABLE theirs (x)")
    expect(named((await look(space)).checks, "database", "file")[0]?.text).toContain("another program")
    database.run("CREATE TABLE migration (name TEXT, hash TEXT, time INTEGER)")
    database.run("INSERT INTO migration VALUES ('9999_future', 'x', 0)")
    database.close()
    expect(named((await look(space)).checks, "database", "file")[0]?.text).toContain("newer Cairn (9999_future)")
  })

  test("says which runs go on and which are left over, and leaves them to the next start", async () => {
    await using space = await tempWorkspace()
    const engine = await engineOf(space)
    const [alive, dead] = [await engine.createSession({}), await engine.createSession({})]
    await engine[Symbol.asyncDispose]()
    const database = new Database(databaseFile(space))
    const leases = createLeases(database)
    leases.put(alive.id, "run_1", self(), systemClock.now())
    expect(named((await look(space)).checks, "database", "runs")[0]?.text).toBe(`in progress: pid ${process.pid}`)
    leases.put(dead.id, "run_2", { ...self(), started: "1" }, systemClock.now())
    const { ok, checks } = await look(space)
    expect(ok).toBe(true)
    expect(named(checks, "database", "runs")[0]).toMatchObject({
      state: "note",
      text: expect.stringContaining(dead.id),
    })
    expect(leases.all()).toHaveLength(2)
    database.close()
  })
})

test.skipIf(process.getuid?.() === 0)("a data directory that cannot be written is broken", async () => {
  await using space = await tempWorkspace()
  await mkdir(dataDir(space), { recursive: true })
  await chmod(dataDir(space), 0o500)
  const { ok, checks } = await look(space)
  await chmod(dataDir(space), 0o700)
  expect(ok).toBe(false)
  expect(named(checks, "directories", "data")[0]).toMatchObject({ state: "broken" })
})

test("a file in the place of a directory, and what others can look into", async () => {
  await using space = await tempWorkspace()
  await mkdir(join(dataDir(space), "cairn"), { recursive: true, mode: 0o755 })
  await chmod(join(dataDir(space), "cairn"), 0o755)
  await space.write(join(dataDir(space), "cairn", "auth.json"), "{}")
  const open = (await look(space)).checks
  expect(named(open, "directories", "data")[0]).toMatchObject({
    state: "warning",
    advice: expect.stringContaining("chmod 700"),
  })
  expect(named(open, "directories", "secret")[0]).toMatchObject({
    state: "warning",
    advice: expect.stringContaining("chmod 600"),
  })
  await space.write(join(space.home, "state"), "")
  await space.write(join(space.home, "cache", "cairn"), "")
  const env = { XDG_STATE_HOME: join(space.home, "state"), XDG_CACHE_HOME: join(space.home, "cache") }
  const { ok, checks } = await look(space, {}, { env })
  expect(named(checks, "directories", "state")[0]).toMatchObject({ state: "warning" })
  expect(named(checks, "directories", "cache")[0]).toMatchObject({ state: "broken" })
  expect(ok).toBe(false)
})

describe("the config", () => {
  test("is named file by file, with its warnings", async () => {
    await using space = await tempWorkspace({ files: { "cairn.json": `{"modle": "x/y"}` } })
    const { ok, checks } = await look(space)
    expect(ok).toBe(true)
    expect(named(checks, "config", "project")).toEqual([
      expect.objectContaining({ text: join(space.dir, "cairn.json") }),
    ])
    expect(named(checks, "config", "trust")[0]).toMatchObject({ state: "note" })
    expect(named(checks, "config", "key")[0]).toMatchObject({
      state: "warning",
      text: expect.stringContaining("modle"),
    })
  })

  test("that cannot be read is broken, and the rest is looked at all the same", async () => {
    await using space = await tempWorkspace({ files: { "cairn.json": "{" } })
    const { ok, checks } = await look(space)
    expect(ok).toBe(false)
    expect(named(checks, "config", "files")[0]).toMatchObject({
      state: "broken",
      text: expect.stringContaining("cairn.json:1"),
    })
    expect(named(checks, "database", "file")).toHaveLength(1)
  })

  test("with rules that allow more than they seem to", async () => {
    await using space = await tempWorkspace()
    const { ok, checks } = await look(space, {
      permission: { bash: { "*": "allow", "rm *": "deny", "sudo *": "allow" } },
    })
    expect(ok).toBe(true)
    const rules = checks.filter(({ area }) => area === "permission")
    expect(rules.map(({ state }) => state)).toEqual(["warning", "warning"])
    expect(rules[0]).toMatchObject({
      text: expect.stringContaining("CAIRN_CONFIG_CONTENT"),
      advice: expect.stringContaining("rm *"),
    })
  })
})

describe("models", () => {
  test.each([
    [["demo/tour"], "ok", undefined],
    [["demo/tour", "anthropic/claude-sonnet-4-5"], "warning", "ANTHROPIC_API_KEY"],
    [["box/mute"], "warning", "box/mute cannot call tools"],
    [["anthropic/claude-sonnet-4-5", "demo/torr"], "broken", `There is no model "demo/torr"`],
  ] as const)("that are to take over: %j", async (names, state, advice) => {
    await using space = await tempWorkspace()
    const provider = { box: { options: { baseURL: "http://127.0.0.1:9/v1" }, models: { mute: { tool_call: false } } } }
    const { checks } = await look(space, { model_fallback: names, provider })
    const [check] = named(checks, "models", "fallback")
    expect(check).toMatchObject({ state, text: names.join(", ") })
    if (advice === undefined) expect(check?.advice).toBeUndefined()
    else expect(check?.advice).toContain(advice)
  })

  test("keys are said by name only", async () => {
    await using space = await tempWorkspace()
    const config = { provider: { box: { options: { apiKey: "very-secret-2", baseURL: "http://127.0.0.1:1/v1" } } } }
    const { checks } = await look(space, config, { env: { ANTHROPIC_API_KEY: "very-secret" } })
    expect(named(checks, "models", "keys")[0]?.text).toBe("ANTHROPIC_API_KEY, provider.box (config)")
    expect(named(checks, "models", "default")[0]?.text).toMatch(
      /^anthropic\/claude-\S+ \(.*key from env:ANTHROPIC_API_KEY\)$/,
    )
    expect(JSON.stringify(checks)).not.toContain("very-secret")
  })

  test("a configured model that does not exist is broken", async () => {
    await using space = await tempWorkspace()
    const { ok, checks } = await look(space, { model: "no/such" })
    expect(ok).toBe(false)
    expect(named(checks, "models", "default")[0]).toMatchObject({ state: "broken", text: "no/such" })
  })
})

describe("the network, when asked for", () => {
  const box = (port: number) => ({
    model: "box/m",
    provider: {
      box: { npm: "@ai-sdk/openai-compatible", options: { baseURL: `http://127.0.0.1:${port}/v1` }, models: { m: {} } },
    },
  })

  test("one connection to the provider of the default model, and not a byte", async () => {
    await using space = await tempWorkspace()
    const seen: number[] = []
    const server = createServer((socket) => {
      seen.push(0)
      socket.on("data", (data) => seen.push(data.length))
      socket.on("error", () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    const reached = await look(space, box(port), { network: true })
    await new Promise((resolve) => server.close(resolve))
    expect(named(reached.checks, "network", "provider")[0]).toMatchObject({ state: "ok" })
    expect(seen.filter((length) => length > 0)).toEqual([])
    const gone = await look(space, box(port), { network: true })
    expect(gone.ok).toBe(false)
    expect(named(gone.checks, "network", "provider")[0]).toMatchObject({
      state: "broken",
      text: expect.stringContaining("refuses"),
    })
  })
})

test("a directory that is not there is broken", async () => {
  await using space = await tempWorkspace()
  const gone = join(space.dir, "gone")
  const report = await examine({ directory: gone, env: space.env, home: space.home, version, network: false })
  expect(report.ok).toBe(false)
  expect(named(report.checks, "config", "directory")[0]).toMatchObject({ state: "broken" })
})

test("what bounds commands is tried, and what turns it off is said", async () => {
  await using space = await tempWorkspace()
  const [found] = named((await look(space)).checks, "programs", "sandbox")
  expect(found?.text).toMatch(/^(?:bubblewrap|seatbelt) \(.+\) bounds commands$|^commands are not bounded, .+: .+/)
  const [off] = named((await look(space, { sandbox: { enabled: false } })).checks, "programs", "sandbox")
  expect(off).toMatchObject({ state: "note", text: expect.stringContaining("you turned the sandbox off") })
  const [missing] = named((await look(space, {}, { env: { PATH: space.dir } })).checks, "programs", "sandbox")
  expect(missing).toMatchObject({ state: "note", text: expect.stringMatching(/not found|there is none/) })
})
