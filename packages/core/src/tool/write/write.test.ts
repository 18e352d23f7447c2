import { expect, test } from "bun:test"
import { chmod, lstat, mkdir, readFile, readlink, readdir, symlink, writeFile } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createReadTool } from "../read/read.ts"
import { createWriteTool } from "./write.ts"

const write = async (bench: ToolBench, filePath: string, content: string) =>
  await runTool(createWriteTool(bench.deps), bench, { filePath, content })
const see = async (bench: ToolBench, filePath: string) => await runTool(createReadTool(bench.deps), bench, { filePath })

test("a new file with its directories; the ask shows the real path and the diff", async () => {
  await using bench = await createToolBench()
  const done = await write(bench, "src/new/a.ts", "one\ntwo\n")
  expect(shownResult(done)).toBe("Created: src/new/a.ts (2 lines, +2 -0).")
  expect(await readFile(`${bench.worktree}/src/new/a.ts`, "utf8")).toBe("one\ntwo\n")
  const path = `${bench.worktree}/src/new/a.ts`
  expect(bench.asks).toMatchObject([
    { permission: "edit", patterns: [path], always: [path], metadata: { filepath: path } },
  ])
  expect(bench.asks[0]?.metadata?.diff).toContain("+one\n+two")
  expect(done.ok && done.value.metadata).toMatchObject({ filepath: path, exists: false, diagnostics: {} })
})

test("an existing file must have been read; after that it may be written again and again", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "user's\n")
  expect(shownResult(await write(bench, "a", "mine\n"))).toContain("refused: ")
  expect(await readFile(`${bench.worktree}/a`, "utf8")).toBe("user's\n")
  await see(bench, "a")
  expect(shownResult(await write(bench, "a", "mine\n"))).toBe("Replaced: a (1 lines, +1 -1).")
  expect(shownResult(await write(bench, "a", "mine again\n"))).toContain("Replaced")
  expect(shownResult(await write(bench, "a", "mine again\n"))).toContain("Unchanged")
})

test("a file that changed since it was seen is not overwritten", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "old\n")
  await see(bench, "a")
  await writeFile(`${bench.worktree}/a`, "user's new\n")
  expect(shownResult(await write(bench, "a", "mine\n"))).toContain("changed: ")
  expect(await readFile(`${bench.worktree}/a`, "utf8")).toBe("user's new\n")
})

test("a change while the user thinks about the ask is not overwritten either", async () => {
  await using bench = await createToolBench()
  await write(bench, "a", "old\n")
  bench.answer = async () => {
    await writeFile(`${bench.worktree}/a`, "user's new\n")
    return ok({})
  }
  expect(shownResult(await write(bench, "a", "mine\n"))).toContain("changed: ")
  expect(await readFile(`${bench.worktree}/a`, "utf8")).toBe("user's new\n")
  expect(await readdir(bench.worktree)).toEqual(["a"])
})

test.each([
  ["CRLF", "a\r\nb\r\n", "a\nB\n", "a\r\nB\r\n"],
  ["LF", "a\nb\n", "a\r\nB\r\n", "a\nB\n"],
  ["CR", "a\rb\r", "a\nB\n", "a\rB\r"],
  ["mixed", "a\r\nb\n", "a\nB\n", "a\nB\n"],
  ["a byte order mark", "\ufeffa\n", "B\n", "\ufeffB\n"],
  ["a byte order mark that the model repeats", "\ufeffa\n", "\ufeffB\n", "\ufeffB\n"],
  ["no final line end when the model gives none", "a\n", "B", "B"],
])("%s", async (_name, before, content, after) => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, before)
  await chmod(`${bench.worktree}/f`, 0o751)
  await see(bench, "f")
  expect((await write(bench, "f", content)).ok).toBe(true)
  expect(await readFile(`${bench.worktree}/f`, "utf8")).toBe(after)
  expect((await lstat(`${bench.worktree}/f`)).mode & 0o777).toBe(0o751)
})

test("UTF-16 stays UTF-16", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, Buffer.from("\ufeffgrüße\r\n", "utf16le"))
  await see(bench, "f")
  expect((await write(bench, "f", "tschüß\n")).ok).toBe(true)
  expect((await readFile(`${bench.worktree}/f`)).toString("utf16le")).toBe("\ufefftschüß\r\n")
})

test("what is no text, no file, or no place for one is refused by kind", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/latin`, new Uint8Array([0xe9]))
  await mkdir(`${bench.worktree}/dir`)
  expect(shownResult(await write(bench, "latin", "x"))).toContain("binary: ")
  expect(shownResult(await write(bench, "dir", "x"))).toContain("directory: ")
  expect(shownResult(await write(bench, "latin/below", "x"))).toContain("missing: ")
  expect(shownResult(await write(bench, "nul", "a\0b"))).toContain("binary: ")
  expect(shownResult(await write(bench, "half", "\ud800"))).toContain("refused: ")
  expect((await readdir(bench.worktree)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["dir", "latin"])
})

test("through a link the target is asked for and written, and the link stays", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.root}/proj-evil`)
  await writeFile(`${bench.root}/proj-evil/target`, "old\n")
  await symlink(`${bench.root}/proj-evil/target`, `${bench.worktree}/link`)
  await see(bench, "link")
  bench.asks.length = 0
  expect((await write(bench, "link", "new\n")).ok).toBe(true)
  expect(bench.asks.map((ask) => [ask.permission, ask.patterns])).toEqual([
    ["external_directory", [`${bench.root}/proj-evil/*`]],
    ["edit", [`${bench.root}/proj-evil/target`]],
  ])
  expect(await readlink(`${bench.worktree}/link`)).toBe(`${bench.root}/proj-evil/target`)
  expect(await readFile(`${bench.root}/proj-evil/target`, "utf8")).toBe("new\n")
})

test("outside the worktree nothing is touched when it is refused", async () => {
  await using bench = await createToolBench()
  bench.answer = (ask) => (ask.permission === "external_directory" ? err({ kind: "denied", message: "no" }) : ok({}))
  expect(shownResult(await write(bench, "../proj-evil/a", "x"))).toBe("denied: no")
  expect(await readdir(bench.root)).toEqual(["proj"])
})

test("a protected path always asks, once only", async () => {
  await using bench = await createToolBench()
  await write(bench, ".git/hooks/pre-commit", "#!/bin/sh\n")
  expect(bench.asks).toMatchObject([{ permission: "edit", always: [], mustAsk: { protected: true } }])
  expect(bench.asks[0]?.mustAsk?.reason).toContain("git runs programs from here")
  await write(bench, ".cairn/plans/p.md", "plan")
  expect(bench.asks[1]?.mustAsk).toBeUndefined()
})

test("a path with wildcard characters is never offered as a pattern", async () => {
  await using bench = await createToolBench()
  await write(bench, "a*b", "x")
  expect(bench.asks[0]).toMatchObject({ patterns: [`${bench.worktree}/a*b`], always: [] })
})

test("only the approved hunks are written, and the model learns which were left out", async () => {
  await using bench = await createToolBench()
  const before = Array.from({ length: 40 }, (_, index) => `${index}\n`).join("")
  await write(bench, "a", before)
  bench.answer = () => ok({ hunks: [1] })
  const done = await write(bench, "a", before.replace("3\n", "three\n").replace("35\n", "thirty-five\n"))
  expect(await readFile(`${bench.worktree}/a`, "utf8")).toBe(before.replace("35\n", "thirty-five\n"))
  expect(shownResult(done)).toContain("The user left out hunk 1 (@@ -1,7 +1,7 @@) of the 2 in the change of a:")
  expect(shownResult(done)).toContain("+1 -1")
  expect(bench.asks.at(-1)?.hunks).toEqual([
    { number: 0, file: "a", header: "@@ -1,7 +1,7 @@" },
    { number: 1, file: "a", header: "@@ -33,7 +33,7 @@" },
  ])
  bench.answer = () => ok({ hunks: [] })
  expect(shownResult(await write(bench, "a", "all new\n"))).toContain("rejected: ")
})

test("a refusal or an interruption during the ask writes nothing", async () => {
  const group = new TaskGroup()
  await using bench = await createToolBench(group.signal)
  bench.answer = () => err({ kind: "rejected", message: "not like this" })
  expect(shownResult(await write(bench, "a/b", "x"))).toBe("rejected: not like this")
  bench.answer = () => {
    group.cancel(new Interrupted())
    return ok({})
  }
  expect(
    await write(bench, "a/b", "x").then(
      () => "done",
      (error: unknown) => error,
    ),
  ).toBeInstanceOf(Interrupted)
  expect(await readdir(bench.worktree)).toEqual([])
  expect(bench.deps.locks.size).toBe(0)
})

test("writes to one file at the same time take turns", async () => {
  await using bench = await createToolBench()
  const all = await Promise.all(Array.from({ length: 8 }, (_, index) => write(bench, "a", `${index}\n`)))
  expect(all.every((done) => done.ok)).toBe(true)
  expect(await readFile(`${bench.worktree}/a`, "utf8")).toMatch(/^[0-7]\n$/)
  expect(await readdir(bench.worktree)).toEqual(["a"])
})

test("unusable paths are failures", async () => {
  await using bench = await createToolBench()
  await symlink("loop", `${bench.worktree}/loop`)
  expect(shownResult(await write(bench, "loop", "x"))).toContain("refused: ")
  expect(shownResult(await write(bench, "a\0b", "x"))).toContain("invalid_arguments: ")
  expect((await write(bench, " -rf\n.txt", "x")).ok).toBe(true)
  expect(await readFile(`${bench.worktree}/ -rf\n.txt`, "utf8")).toBe("x")
})
