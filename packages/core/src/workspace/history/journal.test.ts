import { expect, test } from "bun:test"
import { chmod, lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { err } from "@cairn/kernel/result"
import { type ToolBench, createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import { createApplyPatchTool } from "../../tool/apply-patch/apply-patch.ts"
import { createEditTool } from "../../tool/edit/edit.ts"
import { createWriteTool } from "../../tool/write/write.ts"
import { contentHash } from "../files.ts"

const hashOf = (text: string) => contentHash(new TextEncoder().encode(text))
const file = (text: string, mode = 0o644) => ({ kind: "file" as const, hash: hashOf(text), size: text.length, mode })
const changesOf = (bench: ToolBench) =>
  bench.recorded.flatMap(({ changes }) =>
    changes.map(({ path, before, after }) => [path.slice(bench.worktree.length + 1), before, after]),
  )

test("what is written is recorded before it is visible, with its mode", async () => {
  await using bench = await createToolBench()
  const path = `${bench.worktree}/run.sh`
  await writeFile(path, "old\n")
  await chmod(path, 0o750)
  const seenOnDisk: string[] = []
  const { journal } = bench.deps
  const watched = {
    ...bench.deps,
    journal: {
      ...journal,
      record: async (...args: Parameters<typeof journal.record>) => {
        const recorded = await journal.record(...args)
        seenOnDisk.push(await readFile(path, "utf8"))
        return recorded
      },
    },
  }
  await runTool(createEditTool(watched), bench, { filePath: "run.sh", oldString: "old", newString: "new" })
  expect(seenOnDisk).toEqual(["old\n"])
  expect(changesOf(bench)).toEqual([["run.sh", file("old\n", 0o750), file("new\n", 0o750)]])
  expect((await lstat(path)).mode & 0o777).toBe(0o750)
})

test("a new file is recorded with the mode that it gets, and the directory that was made for it", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.worktree}/there`)
  await runTool(createWriteTool(bench.deps), bench, { filePath: "there/a/b/c.txt", content: "c\n" })
  const mode = (await lstat(`${bench.worktree}/there/a/b/c.txt`)).mode & 0o7777
  expect(changesOf(bench)).toEqual([["there/a/b/c.txt", { kind: "absent" }, file("c\n", mode)]])
  expect(bench.recorded[0]?.changes[0]?.madeDirectory).toBe(`${bench.worktree}/there/a`)
})

test("content that is there already is no change", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "a\n")
  await runTool(createEditTool(bench.deps), bench, { filePath: "a", oldString: "", newString: "" })
  await runTool(createWriteTool(bench.deps), bench, { filePath: "b", content: "b\n" })
  await runTool(createWriteTool(bench.deps), bench, { filePath: "b", content: "b\n" })
  expect(changesOf(bench).map(([path]) => path)).toEqual(["b"])
})

test("a change that cannot become visible is taken out of the journal", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "a\n")
  const rename = () => Promise.reject(Object.assign(new Error("disk full"), { code: "ENOSPC" }))
  const operations = { ...bench.deps.operations, rename }
  const tool = createEditTool({ ...bench.deps, operations })
  const done = await runTool(tool, bench, { filePath: "a", oldString: "a", newString: "b" })
  expect(shownResult(done)).toStartWith("io: ")
  expect(changesOf(bench)).toEqual([
    ["a", file("a\n"), file("b\n")],
    ["a", file("a\n"), file("a\n")],
  ])
  const [first, second] = bench.recorded.flatMap(({ changes }) => changes)
  expect(second!.id).toBe(first!.id)
})

test("of a patch that breaks off only what could not be taken back stays in the journal", async () => {
  await using bench = await createToolBench()
  for (const name of ["a", "b", "c"]) await writeFile(`${bench.worktree}/${name}`, `${name}\n`)
  const { rename } = bench.deps.operations
  const operations = {
    ...bench.deps.operations,
    rename: async (from: Parameters<typeof rename>[0], to: Parameters<typeof rename>[1]) => {
      if (!String(to).endsWith("/c")) return await rename(from, to)
      // The user is at work on b in the meantime, so that b stays as it is.
      await writeFile(`${bench.worktree}/b`, "user's\n")
      throw Object.assign(new Error("disk full"), { code: "ENOSPC" })
    },
  }
  const lines = ["a", "b", "c"].flatMap((name) => [`*** Update File: ${name}`, `-${name}`, `+${name}${name}`])
  const patchText = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")
  const done = await runTool(createApplyPatchTool({ ...bench.deps, operations }), bench, { patchText })
  expect(shownResult(done)).toContain("All files are as before, except: ")
  expect(bench.recorded).toHaveLength(2)
  const withdrawn = bench.recorded[1]!.changes
  expect(withdrawn.map(({ path }) => path.at(-1))).toEqual(["a", "c"])
  expect(withdrawn.map(({ before, after }) => [before, after])).toEqual([
    [file("a\n"), file("a\n")],
    [file("c\n"), file("c\n")],
  ])
})

test("a move is a file that comes and one that goes, and counts its lines once", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/old`, "one\ntwo\n")
  const patchText = "*** Begin Patch\n*** Update File: old\n*** Move to: new\n-one\n+1\n*** End Patch"
  await runTool(createApplyPatchTool(bench.deps), bench, { patchText })
  expect(changesOf(bench)).toEqual([
    ["new", { kind: "absent" }, file("1\ntwo\n")],
    ["old", file("one\ntwo\n"), { kind: "absent" }],
  ])
  expect(bench.recorded[0]!.changes.map(({ additions, deletions }) => [additions, deletions])).toEqual([
    [1, 1],
    [0, 0],
  ])
})

test("a binary file that is deleted is kept", async () => {
  await using bench = await createToolBench()
  const bytes = new Uint8Array([0, 255, 1, 0, 10])
  await writeFile(`${bench.worktree}/image`, bytes)
  await runTool(createApplyPatchTool(bench.deps), bench, {
    patchText: "*** Begin Patch\n*** Delete File: image\n*** End Patch",
  })
  const kept = { kind: "file" as const, hash: contentHash(bytes), size: 5, mode: 0o644 }
  expect(changesOf(bench)).toEqual([["image", kept, { kind: "absent" }]])
})

test("without a place for the content nothing is written, by any of the tools", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "a\n")
  await writeFile(`${bench.root}/blob`, "a file where the store should be")
  const refused = async (done: ReturnType<typeof runTool>) => shownResult(await done)
  const edit = createEditTool(bench.deps)
  expect(await refused(runTool(edit, bench, { filePath: "a", oldString: "a", newString: "b" }))).toContain(
    "Nothing was written, since it could not be undone",
  )
  const write = createWriteTool(bench.deps)
  expect(await refused(runTool(write, bench, { filePath: "deep/new", content: "x" }))).toContain("Nothing was written")
  const patchText = "*** Begin Patch\n*** Update File: a\n-a\n+b\n*** Add File: c\n+c\n*** End Patch"
  const patch = createApplyPatchTool(bench.deps)
  expect(await refused(runTool(patch, bench, { patchText }))).toContain("Nothing was written")
  expect(await readFile(`${bench.worktree}/a`, "utf8")).toBe("a\n")
  expect(await Array.fromAsync(new Bun.Glob("**").scan({ cwd: bench.worktree, onlyFiles: false }))).toEqual(["a"])
  expect(bench.recorded).toEqual([])
  await rm(`${bench.root}/blob`)
  expect((await runTool(patch, bench, { patchText })).ok).toBe(true)
})

test("a user who says no leaves no trace in the journal", async () => {
  await using bench = await createToolBench()
  bench.answer = () => err({ kind: "denied", message: "no" })
  await runTool(createWriteTool(bench.deps), bench, { filePath: "a", content: "a" })
  expect(bench.recorded).toEqual([])
})
