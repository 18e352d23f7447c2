import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { loadConfig } from "./load.ts"
import { xdgPaths } from "./paths.ts"
import { trustFileOf } from "./trust-file.ts"
import { saveTrust, trustOf } from "./trust-of.ts"

let root = ""
let worktree = ""

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-trust-")))
  worktree = join(root, "work")
  await mkdir(worktree)
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(worktree, path)), { recursive: true })
  await writeFile(join(worktree, path), typeof content === "string" ? content : JSON.stringify(content))
}
const home = () => join(root, "home")
const places = (directory = worktree) => ({ directory, worktree, env: {}, paths: xdgPaths({}, home()) })
const look = (directory?: string) => trustOf(places(directory))
const say = async () => expect(await saveTrust(places(), await look(), 1)).toMatchObject({ ok: true })
async function loaded(directory = worktree) {
  const result = await loadConfig({ directory, worktree, env: {}, home: home() })
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
const keysOf = (items: readonly { key: string; where: string }[]) => items.map(({ key, where }) => key || where)

describe("surface", () => {
  test("what an untrusted project may not say, what it loosens, and what it takes in, each with its place", async () => {
    await put(
      "cairn.json",
      '{\n  "mcp": {"a": {"command": ["x"], "environment": {"TOKEN": "s3cret"}}},\n  "model": "a/b"\n}',
    )
    await put("opencode.json", {
      permission: { bash: { "*": "allow" } },
      agent: { build: { prompt: "{file:hint.txt}", model: "a/c", permission: { edit: "deny" } } },
      compaction: { prune: false },
    })
    const { surface, trusted, changed } = await look()
    expect(keysOf(surface)).toEqual(["agent.build.model", "agent.build.prompt", "permission", "model", "mcp"])
    expect(surface.find(({ key }) => key === "mcp")).toMatchObject({ id: "cairn.json#mcp", where: "cairn.json:2:3" })
    expect(JSON.stringify(surface)).not.toContain("s3cret")
    expect([trusted, changed]).toEqual([false, false])
  })

  test("rules that only deny, and what everybody may say, need no trust", async () => {
    await put("cairn.json", {
      permission: { bash: "deny" },
      compaction: { prune: false },
      agent: { a: { prompt: "b" } },
    })
    expect((await look()).surface).toEqual([])
  })

  test("files in folders that are run, in each directory on the way", async () => {
    await put(".opencode/plugin/a.ts", "1")
    await put(".cairn/command/deep/b.md", "2")
    await put("sub/.cairn/tool/c.ts", "3")
    await put("other/.cairn/tool/d.ts", "4")
    await put(".cairn/plans/e.md", "5")
    expect(keysOf((await look()).surface)).toEqual([".opencode/plugin/a.ts", ".cairn/command/deep/b.md"])
    expect(keysOf((await look(join(worktree, "sub"))).surface)).toContain("sub/.cairn/tool/c.ts")
  })

  test("files in folders that are run, beside a link that leads in a circle and behind one that leads elsewhere", async () => {
    await put(".opencode/tool/x.ts", "x")
    await put("elsewhere/y.ts", "y")
    await symlink("loop", join(worktree, ".opencode/tool/loop"))
    await symlink("..", join(worktree, ".opencode/tool/up"))
    await symlink("../../elsewhere", join(worktree, ".opencode/tool/other"))
    const wheres = (await look()).surface.map(({ where }) => where)
    expect(wheres).toContain(".opencode/tool/x.ts")
    expect(wheres).toContain(".opencode/tool/other/y.ts")
    expect(wheres).toContain(".opencode/tool/loop")
  })

  test("so many files that nobody can look at them are never trusted", async () => {
    await Promise.all(Array.from({ length: 1_001 }, (_, n) => put(`.cairn/tool/${n}.ts`, "")))
    await say()
    expect(await look()).toMatchObject({ trusted: false, changed: true, changes: { length: 1 } })
  })
})

describe("what was trusted", () => {
  test("counts from then on, until something comes or changes; what goes needs no trust", async () => {
    await put("cairn.json", { model: "a/b", shell: "/bin/x" })
    await put(".cairn/tool/t.ts", "one")
    expect((await loaded()).trusted).toBe(false)
    await say()
    const value = await loaded()
    expect(value).toMatchObject({ trusted: true, trustedBy: "remembered", config: { model: "a/b" }, warnings: [] })
    expect((await stat(trustFileOf(places().paths.stateDir))).mode & 0o777).toBe(0o600)

    await put("cairn.json", { shell: "/bin/x" })
    expect((await loaded()).trusted).toBe(true)
    await put(".cairn/tool/t.ts", "two")
    const changed = await loaded()
    expect(changed.trusted).toBe(false)
    expect(changed.config).toEqual({})
    expect(changed.warnings.join("\n")).toContain(".cairn/tool/t.ts")
    await say()
    expect((await loaded()).trusted).toBe(true)
  })

  const changes: Record<string, () => Promise<void>> = {
    "a value": () =>
      put("cairn.json", { shell: "/bin/y", permission: { bash: "ask" }, agent: { a: { prompt: "{file:p}" } } }),
    "a new key": () =>
      put("cairn.json", {
        shell: "/bin/x",
        mcp: {},
        permission: { bash: "ask" },
        agent: { a: { prompt: "{file:p}" } },
      }),
    "the order of rules": () =>
      put("cairn.json", {
        shell: "/bin/x",
        permission: { edit: "ask", bash: "ask" },
        agent: { a: { prompt: "{file:p}" } },
      }),
    "a file that a value takes in": () => put("p", "other"),
    "a new file beside": () => put("opencode.json", { plugin: ["x"] }),
    "a new file in a folder": () => put(".opencode/hooks/x.sh", ""),
  }
  for (const [name, change] of Object.entries(changes))
    test(`is shown and asked about again after ${name}`, async () => {
      await put("p", "prompt")
      await put("cairn.json", { shell: "/bin/x", permission: { bash: "ask" }, agent: { a: { prompt: "{file:p}" } } })
      await say()
      expect((await look()).trusted).toBe(true)
      await change()
      const after = await look()
      expect(after).toMatchObject({ trusted: false, changed: true })
      expect(after.changes).toHaveLength(1)
      expect((await loaded()).config.shell).toBeUndefined()
    })

  test("holds for this directory alone, by its real path, and can be taken back", async () => {
    await put("cairn.json", { shell: "/bin/x" })
    await say()
    const moved = join(root, "work2")
    await mkdir(moved)
    await writeFile(join(moved, "cairn.json"), '{"shell": "/bin/x"}')
    expect((await trustOf({ ...places(), worktree: moved, directory: moved })).trusted).toBe(false)
    expect(await saveTrust(places(), undefined, 2)).toMatchObject({ ok: true })
    expect((await look()).trusted).toBe(false)
  })

  test("of one directory stays when another of the worktree is trusted", async () => {
    await put("a/cairn.json", { shell: "/a" })
    await put("b/cairn.json", { shell: "/b" })
    for (const name of ["a", "b"]) {
      const there = places(join(worktree, name))
      await saveTrust(there, await trustOf(there), 1)
    }
    for (const name of ["a", "b"]) expect((await loaded(join(worktree, name))).trusted).toBe(true)
  })

  test("a file that is damaged, or says something else, trusts nothing and is no error", async () => {
    await put("cairn.json", { shell: "/bin/x" })
    await say()
    for (const text of ["", "{", '{"version":2,"directories":{}}', '{"version":1,"directories":[]}', "null"]) {
      await writeFile(trustFileOf(places().paths.stateDir), text)
      expect((await loaded()).trusted).toBe(false)
    }
  })

  test("a state directory that cannot be written is said, and nothing is trusted", async () => {
    await put("cairn.json", { shell: "/bin/x" })
    await mkdir(join(home(), ".local"), { recursive: true })
    await writeFile(join(home(), ".local/state"), "a file")
    expect(await saveTrust(places(), await look(), 1)).toMatchObject({ ok: false, error: { kind: "data_directory" } })
    expect((await loaded()).trusted).toBe(false)
  })
})
