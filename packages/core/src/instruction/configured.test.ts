import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import fc from "fast-check"
import { isAddress, type NamedInstruction, namedFiles } from "./configured.ts"
import { isForeign } from "./foreign.ts"

let root = ""
let lines: string[] = []
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-globs-")))
  lines = []
})
afterEach(() => rm(root, { recursive: true, force: true }))

const put = async (path: string, text = path) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
const find = async (entry: string, more: Partial<NamedInstruction & { trusted: boolean }> = {}) => {
  const clock = new TestClock()
  const named = { entry, layer: more.layer ?? "user", base: join(root, more.base ?? "home/.config") } as const
  const places = { worktree: join(root, "w"), home: join(root, "home"), trusted: more.trusted ?? false }
  const log = createLog({ write: (line) => void lines.push(line) }, clock, "info")
  const found = await namedFiles(named, { ...places, clock, log }, new TaskGroup().signal)
  return found.map(({ path, from }) => `${from} ${path.slice(root.length + 1)}`)
}

test("beside the config file first, else below the worktree; whose words they are goes by the place", async () => {
  await put("w/docs/b.md")
  await put("w/docs/deep/a.md")
  expect(await find("docs/**/*.md")).toEqual(["project w/docs/b.md", "project w/docs/deep/a.md"])
  await put("home/.config/docs/mine.md")
  expect(await find("docs/**/*.md")).toEqual(["user home/.config/docs/mine.md"])
})

test("a plain path, one from home, one from the root, one that goes up", async () => {
  await put("w/RULES.md")
  await put("home/notes/x.md")
  await put("home/other.md")
  expect(await find("RULES.md")).toEqual(["project w/RULES.md"])
  expect(await find("~/notes/*.md")).toEqual(["user home/notes/x.md"])
  expect(await find(join(root, "home/*.md"))).toEqual(["user home/other.md"])
  expect(await find(join(root, "home/other.md"))).toEqual(["user home/other.md"])
  expect(await find("../other.md")).toEqual(["user home/other.md"])
})

test("hidden files are found, directories, empty files and other people's code are not", async () => {
  await put("w/.github/copilot.md")
  await put("w/node_modules/x/bad.md")
  await put("w/vendor/y/bad.md")
  await put("w/empty.md", " \n")
  await mkdir(join(root, "w/dir.md"))
  expect(await find("**/*.md")).toEqual(["project w/.github/copilot.md"])
  expect(isForeign("a/node_modules/b")).toBe(true)
  expect(isForeign("a/node_modules.md")).toBe(false)
})

test("an untrusted project reaches nothing outside, by a link neither; a trusted one does", async () => {
  await put("home/secret.md")
  await put("w/in.md")
  await symlink(join(root, "home/secret.md"), join(root, "w/out.md"))
  const project = { layer: "project", base: "w" } as const
  expect(await find("*.md", project)).toEqual(["project w/in.md"])
  expect(await find("~/secret.md", project)).toEqual([])
  expect(await find("../home/secret.md", project)).toEqual([])
  expect(await find("*.md", { ...project, trusted: true })).toEqual(["project w/in.md", "user w/out.md"])
})

test("a loop of links ends, and the number of files is bounded, with a line in the log", async () => {
  await Promise.all(Array.from({ length: 60 }, (_, index) => put(`w/d/${String(index).padStart(2, "0")}.md`)))
  await symlink(join(root, "w"), join(root, "w/d/loop"))
  const found = await find("d/**/*.md")
  expect(found).toHaveLength(50)
  expect(found).toEqual(found.toSorted())
  expect(lines.join("\n")).toContain('"files":60')
})

test("what names nothing is said in the log, and breaks nothing", async () => {
  for (const entry of ["gone.md", "gone/*.md", "[", "{a,", "", "\0", "***/"]) expect(await find(entry)).toEqual([])
  expect(lines.length).toBeGreaterThanOrEqual(7)
})

test("no entry is an error, whatever it is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("*", "?", "[", "]", "{", "}", ",", "a", "!", "\\"), { maxLength: 8 }),
      async (parts) => {
        expect(await find(parts.join(""))).toEqual([])
      },
    ),
    { numRuns: 40 },
  )
})

test("an address is told from a path", () => {
  expect(["https://a/b.md", "HTTP://a", "file:///x"].map(isAddress)).toEqual([true, true, true])
  expect(["docs/*.md", "~/x", "/x", "a:b", "c://x"].map(isAddress)).toEqual([false, false, false, false, false])
})
