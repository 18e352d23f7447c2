import { expect, test } from "bun:test"
import { lstat, open, readFile, readdir, writeFile } from "node:fs/promises"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createReadTool } from "../read/read.ts"
import { createApplyPatchTool } from "./apply-patch.ts"

const shown = async (bench: ToolBench, ...lines: string[]) =>
  shownResult(
    await runTool(createApplyPatchTool(bench.deps), bench, {
      patchText: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
    }),
  )
const names = async (bench: ToolBench) => (await readdir(bench.worktree)).toSorted((a, b) => (a < b ? -1 : 1))
const gigabytes = 2 * 1024 ** 3

/** A file that takes no room and is as long as this. */
async function sparse(path: string, size: number): Promise<void> {
  await using file = await open(path, "w")
  await file.truncate(size)
}

const contents: readonly [string, Uint8Array<ArrayBuffer>][] = [
  ["binary", new Uint8Array([0, 1, 2, 0xff])],
  ["not valid UTF-8", new Uint8Array([0x61, 0xff, 0x0a])],
  ["UTF-16 of odd length", new Uint8Array([0xff, 0xfe, 0x61])],
]

test.each(contents)("a file that is %s moves and goes as it is", async (_, bytes) => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, bytes)
  const { ino, mtimeMs } = await lstat(`${bench.worktree}/a`)
  expect(await shown(bench, "*** Update File: a", "*** Move to: d/b")).toBe("Patch applied:\nR d/b")
  expect(new Uint8Array(await readFile(`${bench.worktree}/d/b`))).toEqual(bytes)
  expect(await lstat(`${bench.worktree}/d/b`)).toMatchObject({ ino, mtimeMs, nlink: 1 })
  expect(bench.asks[0]?.metadata?.diff).toContain("rename from a\nrename to d/b")
  expect(await shown(bench, "*** Delete File: d/b")).toBe("Patch applied:\nD d/b")
  expect(await readdir(`${bench.worktree}/d`)).toEqual([])
  expect(
    bench.recorded.flatMap(({ changes }) => changes.map(({ before, after }) => [before.kind, after.kind])),
  ).toEqual([
    ["absent", "file"],
    ["file", "absent"],
    ["file", "absent"],
  ])
})

test("a file of 2 GB moves and goes without being read; that it cannot be brought back is said before", async () => {
  await using bench = await createToolBench()
  await sparse(`${bench.worktree}/a`, gigabytes)
  expect(await shown(bench, "*** Update File: a", "*** Move to: b")).toBe("Patch applied:\nR b")
  expect(await lstat(`${bench.worktree}/b`)).toMatchObject({ size: gigabytes, nlink: 1 })
  expect(await shown(bench, "*** Delete File: b")).toBe("Patch applied:\nD b (too large to be brought back)")
  expect(bench.asks[1]?.metadata?.diff).toContain("deleted file b (2.0 GB, too large to be brought back)")
  expect(await names(bench)).toEqual([])
  const absent = { kind: "absent" as const }
  const large = { kind: "not_covered" as const, reason: "larger than 10 MB" }
  expect(bench.recorded.flatMap(({ changes }) => changes.map(({ before, after }) => [before, after]))).toEqual([
    [absent, large],
    [large, absent],
    [large, absent],
  ])
})

test("when a later file fails, all that moved or went is back", async () => {
  await using bench = await createToolBench()
  const at = (name: string) => `${bench.worktree}/${name}`
  await sparse(at("large"), gigabytes)
  await sparse(at("going"), gigabytes)
  await writeFile(at("binary"), contents[0]![1])
  await writeFile(at("last"), "last\n")
  const before = await Promise.all((await names(bench)).map(async (name) => (await lstat(at(name))).ino))
  const { rename } = bench.deps.operations
  const operations: typeof bench.deps.operations = {
    ...bench.deps.operations,
    // Updates come first and removals last: the last of those fails.
    rename: async (from, to) => {
      if (String(from) === at("last")) throw Object.assign(new Error("read-only"), { code: "EROFS" })
      await rename(from, to)
    },
  }
  const done = await runTool(createApplyPatchTool({ ...bench.deps, operations }), bench, {
    patchText: [
      "*** Begin Patch",
      ...["*** Update File: large", "*** Move to: d/large", "*** Update File: binary", "*** Move to: moved"],
      ...["*** Delete File: going", "*** Add File: new", "+x", "*** Delete File: last"],
      "*** End Patch",
    ].join("\n"),
  })
  expect(shownResult(done)).toStartWith("io: Line 9 of the patch: ")
  expect(shownResult(done)).toEndWith(" All files are as before.")
  expect(await names(bench)).toEqual(["binary", "going", "large", "last"])
  expect(await Promise.all((await names(bench)).map(async (name) => (await lstat(at(name))).ino))).toEqual(before)
})

test("a large file that changed since it was seen is not deleted, and what was moved may be edited at once", async () => {
  await using bench = await createToolBench()
  for (const size of [11 * 1024 ** 2, 60 * 1024 ** 2]) {
    await writeFile(`${bench.worktree}/log`, `first\n${"line\n".repeat(size / 5)}`)
    await runTool(createReadTool(bench.deps), bench, { filePath: "log", limit: 1 })
    await writeFile(`${bench.worktree}/log`, `other\n${"line\n".repeat(size / 5)}`)
    expect(await shown(bench, "*** Delete File: log")).toStartWith("changed: Line 2 of the patch: ")
    await runTool(createReadTool(bench.deps), bench, { filePath: "log", limit: 1 })
    expect(await shown(bench, "*** Delete File: log")).toStartWith("Patch applied:")
  }
  await writeFile(`${bench.worktree}/a`, "a\n")
  await shown(bench, "*** Update File: a", "*** Move to: b")
  expect(await shown(bench, "*** Update File: b", "-a", "+b")).toBe("Patch applied:\nM b")
})
