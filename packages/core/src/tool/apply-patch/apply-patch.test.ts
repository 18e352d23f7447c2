import { expect, test } from "bun:test"
import { chmod, lstat, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createReadTool } from "../read/read.ts"
import { createApplyPatchTool } from "./apply-patch.ts"

const apply = async (bench: ToolBench, ...lines: string[]) =>
  await runTool(createApplyPatchTool(bench.deps), bench, {
    patchText: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
  })
const shown = async (bench: ToolBench, ...lines: string[]) => shownResult(await apply(bench, ...lines))
const text = (bench: ToolBench, path: string) => readFile(`${bench.worktree}/${path}`, "utf8")

/** Everything below the worktree with its content, to show that nothing changed. */
async function tree(bench: ToolBench): Promise<Record<string, string>> {
  const names = await readdir(bench.worktree, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`)
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, "hex")] as const)))
}

test("add, update, move and delete on disk, asked for once", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "\ufeffone\r\ntwo\r\n")
  await writeFile(`${bench.worktree}/run`, "#!/bin/sh\nold\n")
  await chmod(`${bench.worktree}/run`, 0o755)
  await writeFile(`${bench.worktree}/gone`, "a\0b")
  const done = await apply(
    bench,
    "*** Update File: a",
    " one",
    "-two",
    "+TWO",
    "*** Add File: deep/new",
    "+hello",
    "*** Update File: run",
    "*** Move to: bin/run",
    "-old",
    "+new",
    "*** Delete File: gone",
  )
  expect(shownResult(done)).toBe("Patch applied:\nM a\nA deep/new\nR bin/run\nD gone")
  expect(await text(bench, "a")).toBe("\ufeffone\r\nTWO\r\n")
  expect(await text(bench, "deep/new")).toBe("hello\n")
  expect(await text(bench, "bin/run")).toBe("#!/bin/sh\nnew\n")
  expect((await lstat(`${bench.worktree}/bin/run`)).mode & 0o777).toBe(0o755)
  expect((await readdir(bench.worktree)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["a", "bin", "deep"])
  const paths = ["a", "deep/new", "run", "bin/run", "gone"].map((path) => `${bench.worktree}/${path}`)
  expect(bench.asks).toMatchObject([{ permission: "edit", patterns: paths, always: paths }])
  expect(done.ok && done.value.metadata.files).toMatchObject([
    { type: "update", additions: 1, deletions: 1 },
    { type: "add", additions: 1, deletions: 0 },
    { type: "move", from: `${bench.worktree}/run` },
    { type: "delete" },
  ])
})

test("a file of mixed line ends keeps them, and a patch and its inverse leave its bytes", async () => {
  await using bench = await createToolBench()
  const content = "a\r\nb\n*** End Patch\r\nc\rd"
  await writeFile(`${bench.worktree}/f`, content)
  const change = (from: string, to: string) =>
    shown(bench, "*** Update File: f", `-${from}`, `+${to}`, " b", " *** End Patch", " c", "-d", `+${to}`, "+d")
  expect(await change("a", "z")).toBe("Patch applied:\nM f")
  expect(await text(bench, "f")).toBe("z\r\nb\n*** End Patch\r\nc\rz\rd")
  await shown(bench, "*** Update File: f", "-z", "+a", " b", " *** End Patch", " c", "-z", " d")
  expect(await text(bench, "f")).toBe(content)
})

test("a failure in the last file writes nothing at all", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "one\n")
  await mkdir(`${bench.worktree}/dir`)
  await symlink("/etc", `${bench.worktree}/link`)
  const before = await tree(bench)
  const first = ["*** Update File: a", "-one", "+two", "*** Add File: new/x", "+x"]
  for (const [lines, kind] of [
    [["*** Update File: missing", "-a", "+b"], "missing"],
    [["*** Update File: dir", "-a", "+b"], "directory"],
    [["*** Add File: dir", "+b"], "directory"],
    [["*** Add File: ../x", "+b"], "outside"],
    [["*** Add File: link/x", "+b"], "outside"],
    [["*** Add File: /tmp/x", "+b"], "outside"],
    [["*** Delete File: ./a"], "conflict"],
    [["*** Add File: a/b", "+b"], "conflict"],
    [["*** Add File: b", "oops"], "parse"],
    [["*** Add File: b", "+\ud800"], "refused"],
  ] as const) {
    expect(await shown(bench, ...first, ...lines)).toStartWith(`${kind}: `)
    expect(await tree(bench)).toEqual(before)
  }
  expect(await readdir(bench.worktree)).not.toContain("new")
})

test("when a file cannot be written the ones before it are taken back", async () => {
  await using bench = await createToolBench()
  for (const name of ["a", "b"]) await writeFile(`${bench.worktree}/${name}`, `${name}\n`)
  const before = await tree(bench)
  const operations = {
    ...bench.deps.operations,
    rename: async (
      from: Parameters<typeof bench.deps.operations.rename>[0],
      to: Parameters<typeof bench.deps.operations.rename>[1],
    ) => {
      if (String(to).endsWith("/b")) throw Object.assign(new Error("disk full"), { code: "ENOSPC" })
      await bench.deps.operations.rename(from, to)
    },
  }
  const tool = createApplyPatchTool({ ...bench.deps, operations })
  const patchText =
    "*** Begin Patch\n*** Add File: d/n\n+x\n*** Update File: a\n-a\n+A\n*** Update File: b\n-b\n+B\n*** End Patch"
  const done = await runTool(tool, bench, { patchText })
  expect(shownResult(done)).toContain("io: ")
  expect(shownResult(done)).toContain("All files are as before.")
  expect(await tree(bench)).toEqual(before)
  expect((await readdir(bench.worktree)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["a", "b"])
})

test("a file that the user changed during the ask makes the whole patch fail", async () => {
  await using bench = await createToolBench()
  for (const name of ["a", "b"]) await writeFile(`${bench.worktree}/${name}`, `${name}\n`)
  bench.answer = async () => {
    await writeFile(`${bench.worktree}/b`, "user's\n")
    return ok({})
  }
  expect(await shown(bench, "*** Update File: a", "-a", "+A", "*** Update File: b", "-b", "+B")).toStartWith(
    "changed: ",
  )
  expect([await text(bench, "a"), await text(bench, "b")]).toEqual(["a\n", "user's\n"])
})

test("a file that changed since it was seen is refused, deleting included", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "a\n")
  await runTool(createReadTool(bench.deps), bench, { filePath: "a" })
  await writeFile(`${bench.worktree}/a`, "a\nuser's\n")
  expect(await shown(bench, "*** Update File: a", "-a", "+A")).toStartWith("changed: ")
  expect(await shown(bench, "*** Delete File: a")).toStartWith("changed: ")
  expect(await text(bench, "a")).toBe("a\nuser's\n")
})

test("after a patch the model knows the files: it may go on at once", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "1\n")
  for (const [from, to] of [
    ["1", "2"],
    ["2", "3"],
  ]) {
    expect((await apply(bench, "*** Update File: a", `-${from}`, `+${to}`)).ok).toBe(true)
  }
  expect(await text(bench, "a")).toBe("3\n")
})

test("one protected file makes the whole patch an ask that always stands", async () => {
  await using bench = await createToolBench()
  await apply(bench, "*** Add File: a", "+x", "*** Add File: .github/workflows/ci.yml", "+x")
  expect(bench.asks[0]).toMatchObject({ always: [], mustAsk: { protected: true } })
  bench.answer = () => err({ kind: "denied", message: "no" })
  expect(await shown(bench, "*** Add File: b", "+x", "*** Delete File: a")).toBe("denied: no")
  expect(await readdir(bench.worktree)).toContain("a")
})

test("only the approved hunks, counted through all files", async () => {
  await using bench = await createToolBench()
  for (const name of ["a", "b", "c", "a2"]) await writeFile(`${bench.worktree}/${name}`, `${name}\n`)
  await writeFile(`${bench.worktree}/binary`, "\0")
  bench.answer = () => ok({ hunks: [1] })
  const output = await shown(
    bench,
    "*** Update File: a",
    "-a",
    "+A",
    "*** Update File: b",
    "-b",
    "+B",
    "*** Delete File: c",
    "*** Delete File: binary",
    "*** Update File: a2",
    "*** Move to: a3",
  )
  expect(bench.asks[0]?.metadata?.diff).toContain("deleted file binary (1 bytes)")
  expect(bench.asks[0]?.metadata?.diff).toContain("rename from a2\nrename to a3")
  expect(await readdir(bench.worktree)).toContain("binary")
  expect(await readdir(bench.worktree)).toContain("a2")
  expect(output).toContain("M b")
  expect(output).toContain("The user left out the change of a: it is as before.")
  expect([await text(bench, "a"), await text(bench, "b"), await text(bench, "c")]).toEqual(["a\n", "B\n", "c\n"])
})

test("text of a file that was not seen is only shown to those who may read it", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "SECRET=abc\nrest\n")
  bench.answer = (ask) => (ask.permission === "read" ? err({ kind: "denied", message: "no" }) : ok({}))
  const output = await shown(bench, "*** Update File: a", " SECRET=abd", "-rest", "+x")
  expect(output).toStartWith("context: ")
  expect(output).not.toContain("SECRET=abc")
})

test("patches over the same files in opposite order do not wait for each other for ever", async () => {
  await using bench = await createToolBench()
  for (const name of ["a", "b"]) await writeFile(`${bench.worktree}/${name}`, "0\n1\n")
  const one = ["*** Update File: a", "-0", "+x", "*** Update File: b", "-0", "+x"]
  const other = ["*** Update File: b", "-1", "+y", "*** Update File: a", "-1", "+y"]
  const done = await Promise.all([apply(bench, ...one), apply(bench, ...other)])
  expect(done.map((result) => result.ok)).toEqual([true, true])
  expect([await text(bench, "a"), await text(bench, "b")]).toEqual(["x\ny\n", "x\ny\n"])
  expect(bench.deps.locks.size).toBe(0)
})

test("the paths that a call writes are known before it runs", async () => {
  await using bench = await createToolBench()
  const tool = createApplyPatchTool(bench.deps)
  const patchText = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** End Patch"
  expect(tool.writes?.({ patchText })).toEqual(["a", "b", "c"])
  expect(tool.writes?.({ patchText: "nonsense" })).toEqual([])
})
