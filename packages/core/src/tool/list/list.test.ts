import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { toolContext } from "../../../test/tool-context.ts"
import { childEnvironment } from "../../process/environment.ts"
import { ripgrepPath } from "../../process/ripgrep.ts"
import { createSupervisor } from "../../process/supervisor.ts"
import { createSearch } from "../../workspace/search.ts"
import { createOutput } from "../output.ts"
import { createListTool } from "./list.ts"
import { treeLines } from "./tree.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-list-")))
const root = join(home, "project")
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const tool = createListTool({
  search: createSearch({ supervisor, ripgrep: () => ripgrepPath(supervisor.env) }),
  output: createOutput({ directory: join(home, "spill"), clock: systemClock, log: silentLog }),
})

beforeAll(() => {
  const files = [
    ...["a.ts", "src/b.ts", "src/deep/c.ts", "src/deep/build/d.js", "build/e.js", ".hidden/f", "skip.log"],
    ...Array.from({ length: 120 }, (_, index) => `../many/${index}.txt`),
    "odd/new\nline",
  ]
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), "")
  }
  writeFileSync(join(root, ".gitignore"), "*.log\n")
})
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

async function list(args: { path?: string; ignore?: string[] } = {}, context = toolContext(root)) {
  const result = await tool.execute(args, context)
  return result.ok ? result.value.output : `${result.error.kind}: ${result.error.message}`
}

test("files as a tree, without those that are ignored", async () => {
  expect(await list({ ignore: ["build/", "odd/**"] })).toBe(
    [`${root}/`, "  .hidden/", "    f", "  src/", "    deep/", "      c.ts", "    b.ts", "  .gitignore", "  a.ts"].join(
      "\n",
    ),
  )
  expect(await list({ path: "src", ignore: ["deep/build"] })).toBe("src/\n  deep/\n    c.ts\n  b.ts")
  expect(await list({ path: "odd" })).toBe('odd/\n  "new\\nline"')
})

test("at most 100, and it says so; an empty directory has no files", async () => {
  const lines = (await list({ path: "../many" })).split("\n")
  expect(lines.filter((line) => line.endsWith(".txt"))).toHaveLength(100)
  expect(lines.at(-1)).toContain("Only 100 files")
  expect(await list({ path: "src", ignore: ["*.ts", "*.js"] })).toBe("src/\n(no files)")
})

test("a file and a missing directory are failures", async () => {
  expect(await list({ path: "a.ts" })).toMatch(/^refused: .*no directory/)
  expect(await list({ path: "nowhere" })).toMatch(/^missing: /)
})

test("asks for list by the real path, and first for what lies outside; a denial lists nothing", async () => {
  const inside = toolContext(root)
  await list({ path: "src" }, inside)
  expect(inside.asks).toMatchObject([{ permission: "list", patterns: [join(root, "src")] }])
  const outside = toolContext(root)
  await list({ path: "../many" }, outside)
  expect(outside.asks.map((ask) => ask.permission)).toEqual(["external_directory", "list"])
  expect(await list({}, toolContext(root, { deny: ["list"] }))).toBe("denied: not allowed")
  expect(await list({ path: "../many" }, toolContext(root, { deny: ["external_directory"] }))).toMatch(/^denied/)
})

test("an interruption rejects with the reason", async () => {
  const group = new TaskGroup()
  group.cancel(new Interrupted())
  await expect(list({}, toolContext(root, { signal: group.signal }))).rejects.toBeInstanceOf(Interrupted)
})

test("a tree: directories before files, each by name, however the paths come", () => {
  expect(treeLines(["z", "b/y", "a/x/1", "b/c/2", "a/0"])).toEqual([
    "  a/",
    "    x/",
    "      1",
    "    0",
    "  b/",
    "    c/",
    "      2",
    "    y",
    "  z",
  ])
  expect(treeLines([])).toEqual([])
})
