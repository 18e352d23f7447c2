import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { createNet } from "../net/net.ts"
import { createInstructions } from "./instructions.ts"

let root = ""
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-nested-")))
  await mkdir(join(root, "w/pkg"), { recursive: true })
})
afterEach(() => rm(root, { recursive: true, force: true }))

const put = async (path: string, text = path) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
const clock = new TestClock()
const create = (entries: readonly string[] = [], layer: "user" | "project" = "user") =>
  createInstructions({
    ...{ clock, log: silentLog, cacheDir: join(root, "cache"), trusted: false },
    net: createNet({ env: {}, log: silentLog, clock }),
    places: {
      directory: join(root, "w/pkg"),
      worktree: join(root, "w"),
      home: join(root, "home"),
      configDir: join(root, "home/cairn"),
      opencodeConfigDir: join(root, "home/opencode"),
    },
    named: entries.map((entry) => ({ entry, layer, base: join(root, "w") })),
  })
type Made = ReturnType<typeof create>
const signal = new TaskGroup().signal
const below = async (made: Made, path: string, more: { whole?: boolean; deny?: string; session?: string } = {}) => {
  const read = { path: join(root, path), whole: more.whole ?? true }
  const joined = await made.below(more.session ?? "ses_1", read, (one) => !one.endsWith(more.deny ?? "\0"))
  return joined?.loaded.map((one) => one.slice(root.length + 1))
}

test("one file named in several ways stands there once, at its first place", async () => {
  await put("w/AGENTS.md")
  await put("w/docs/x.md")
  await symlink(join(root, "w/docs/x.md"), join(root, "w/docs/y.md"))
  const found = await create(["AGENTS.md", "docs/y.md", "docs/*.md"]).of("ses_1", signal)
  expect(found.map(({ real }) => real.slice(root.length + 1))).toEqual(["w/AGENTS.md", "w/docs/x.md"])
})

test("a session keeps what it found, another one looks again", async () => {
  await put("w/AGENTS.md", "old")
  const made = create()
  await made.of("ses_1", signal)
  await put("w/AGENTS.md", "new")
  expect((await made.of("ses_1", signal))[0]!.text).toBe("old")
  expect((await made.of("ses_2", signal))[0]!.text).toBe("new")
})

test("what an interruption cut short is not kept", async () => {
  await put("w/AGENTS.md")
  const asked = Promise.withResolvers<void>()
  let silent = true
  await using site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      asked.resolve()
      return silent ? new Promise<Response>(() => {}) : new Response("rules")
    },
  })
  const made = create([`http://127.0.0.1:${site.port}/`])
  const group = new TaskGroup()
  const first = made.of("ses_1", group.signal)
  await asked.promise
  silent = false
  group.cancel(new Interrupted())
  expect(await first).toHaveLength(1)
  expect(await made.of("ses_1", signal)).toHaveLength(2)
  await site.stop(true)
})

test("nested files: outermost first, one a directory, none of the way to the session's directory", async () => {
  await put("w/AGENTS.md")
  await put("w/pkg/CLAUDE.md")
  await put("w/pkg/a/AGENTS.md")
  await put("w/pkg/a/b/CONTEXT.md")
  await put("w/side/CLAUDE.md")
  const made = create()
  await made.of("ses_1", signal)
  expect(await below(made, "w/pkg/a/b/x.ts")).toEqual(["w/pkg/a/AGENTS.md", "w/pkg/a/b/CONTEXT.md"])
  expect(await below(made, "w/pkg/a/b/y.ts")).toBeUndefined()
  expect(await below(made, "w/side/x.ts")).toEqual(["w/side/CLAUDE.md"])
  expect(await below(made, "w/pkg/x.ts")).toBeUndefined()
  expect(await below(made, "w/side/x.ts", { session: "ses_2" })).toEqual(["w/side/CLAUDE.md"])
})

test("what the prompt has, what may not be read, what is foreign or leads outside does not join", async () => {
  await put("w/docs/AGENTS.md")
  await put("w/private/AGENTS.md")
  await put("w/node_modules/x/AGENTS.md")
  await put("secret")
  await mkdir(join(root, "w/link"))
  await symlink(join(root, "secret"), join(root, "w/link/AGENTS.md"))
  const made = create(["docs/AGENTS.md"])
  await made.of("ses_1", signal)
  expect(await below(made, "w/docs/x.md")).toBeUndefined()
  expect(await below(made, "w/private/x", { deny: "private/AGENTS.md" })).toBeUndefined()
  expect(await below(made, "w/node_modules/x/i.js")).toBeUndefined()
  expect(await below(made, "w/link/x")).toBeUndefined()
  expect(await below(made, "elsewhere/x")).toBeUndefined()
})

test("a file of instructions that is read itself is not shown twice; after a part of it, it joins", async () => {
  await put("w/a/AGENTS.md")
  const made = create()
  expect(await below(made, "w/a/AGENTS.md")).toBeUndefined()
  expect(await below(made, "w/a/x.ts")).toBeUndefined()
  const other = create()
  expect(await below(other, "w/a/AGENTS.md", { whole: false })).toBeUndefined()
  expect(await below(other, "w/a/x.ts")).toEqual(["w/a/AGENTS.md"])
})

test("reads side by side show a file once", async () => {
  await put("w/a/AGENTS.md")
  const made = create()
  const all = await Promise.all(["1", "2", "3", "4"].map((name) => below(made, `w/a/${name}`)))
  expect(all.filter((one) => one !== undefined)).toEqual([["w/a/AGENTS.md"]])
})

test("what the history still shows is what counts: after a restart and after it was cleared", async () => {
  await put("w/a/AGENTS.md")
  const made = create()
  made.restore("ses_1", [join(root, "w/a/AGENTS.md")])
  expect(await below(made, "w/a/x")).toBeUndefined()
  made.restore("ses_1", [])
  expect(await below(made, "w/a/x")).toEqual(["w/a/AGENTS.md"])
})

test("64 kB join one result; the rest joins the next", async () => {
  const way = ["w/1", "w/1/2", "w/1/2/3"]
  for (const place of way) await put(`${place}/AGENTS.md`, "x".repeat(30_000))
  const made = create()
  expect(await below(made, "w/1/2/3/f")).toEqual(["w/1/AGENTS.md", "w/1/2/AGENTS.md"])
  expect(await below(made, "w/1/2/3/f")).toEqual(["w/1/2/3/AGENTS.md"])
})
