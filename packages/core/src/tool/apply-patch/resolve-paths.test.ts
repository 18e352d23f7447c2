import { expect, test } from "bun:test"
import { lstat, mkdir, readFile, readdir, readlink, symlink, writeFile } from "node:fs/promises"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createApplyPatchTool } from "./apply-patch.ts"

const shown = async (bench: ToolBench, ...lines: string[]) =>
  shownResult(
    await runTool(createApplyPatchTool(bench.deps), bench, {
      patchText: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
    }),
  )

/** Everything below the worktree: what a file holds, and where a link leads. */
async function tree(bench: ToolBench): Promise<Record<string, string>> {
  const entries = await readdir(bench.worktree, { recursive: true, withFileTypes: true })
  const result: Record<string, string> = {}
  for (const entry of entries) {
    const path = `${entry.parentPath}/${entry.name}`
    if (entry.isSymbolicLink()) result[path] = `-> ${await readlink(path)}`
    else result[path] = entry.isFile() ? await readFile(path, "utf8") : "directory"
  }
  return result
}

async function createLinks(): Promise<ToolBench> {
  const bench = await createToolBench()
  await mkdir(`${bench.worktree}/dir`)
  await writeFile(`${bench.worktree}/dir/b`, "b\n")
  await writeFile(`${bench.root}/secret`, "b\n")
  await symlink("dir/b", `${bench.worktree}/link`)
  await symlink("link", `${bench.worktree}/chain`)
  await symlink("nothing", `${bench.worktree}/dangling`)
  await symlink("dir", `${bench.worktree}/dirlink`)
  await symlink("../secret", `${bench.worktree}/out`)
  return bench
}

test("deleting or moving a symbolic link is refused, and its target stays", async () => {
  await using bench = await createLinks()
  const before = await tree(bench)
  const spellings = ["link", "./link", "link/", "link/.", "dir/../link", "dirlink/../link", "chain"]
  for (const path of [...spellings, `${bench.worktree}/link`]) {
    for (const lines of [
      [`*** Delete File: ${path}`],
      [`*** Update File: ${path}`, "*** Move to: moved"],
      [`*** Update File: ${path}`, "*** Move to: moved", "-b", "+B"],
    ]) {
      expect(await shown(bench, "*** Add File: other", "+x", ...lines)).toBe(
        `conflict: Line 4 of the patch: ${path} is a symbolic link to dir/b; a patch neither deletes nor moves a link, ` +
          "name dir/b. Nothing was written.",
      )
    }
  }
  expect(await shown(bench, "*** Delete File: dangling")).toStartWith("conflict: ")
  expect(await shown(bench, "*** Delete File: dirlink")).toStartWith("conflict: ")
  expect(bench.asks).toEqual([])
  expect(await tree(bench)).toEqual(before)
})

test("a link that leads out of the worktree is outside, whatever is done to it", async () => {
  await using bench = await createLinks()
  const before = await tree(bench)
  for (const lines of [
    ["*** Delete File: out"],
    ["*** Update File: out", "*** Move to: moved"],
    ["*** Update File: out", "-b", "+B"],
    ["*** Update File: dir/b", "*** Move to: out"],
  ]) {
    const output = await shown(bench, ...lines)
    expect(output).toStartWith("outside: ")
    expect(output).toContain(`out leads to ${bench.root}/secret, which is outside of the worktree ${bench.worktree}`)
  }
  expect(await tree(bench)).toEqual(before)
  expect(await readFile(`${bench.root}/secret`, "utf8")).toBe("b\n")
})

test("an update through a link writes the target and leaves the link", async () => {
  await using bench = await createLinks()
  expect(await shown(bench, "*** Update File: chain", "-b", "+B")).toBe("Patch applied:\nM dir/b")
  expect(await readFile(`${bench.worktree}/dir/b`, "utf8")).toBe("B\n")
  expect((await lstat(`${bench.worktree}/chain`)).isSymbolicLink()).toBe(true)
  expect((await lstat(`${bench.worktree}/link`)).isSymbolicLink()).toBe(true)
})

test("a file is deleted and moved below a linked directory: the file itself is no link", async () => {
  await using bench = await createLinks()
  expect(await shown(bench, "*** Update File: dirlink/b", "*** Move to: dirlink/c")).toBe("Patch applied:\nR dir/c")
  expect(await shown(bench, "*** Delete File: dirlink/c")).toBe("Patch applied:\nD dir/c")
  expect(await readdir(`${bench.worktree}/dir`)).toEqual([])
  expect((await lstat(`${bench.worktree}/dirlink`)).isSymbolicLink()).toBe(true)
})

test("a link and its target in one patch are a conflict", async () => {
  await using bench = await createLinks()
  const before = await tree(bench)
  const update = (path: string) => [`*** Update File: ${path}`, "-b", "+B"]
  expect(await shown(bench, ...update("link"), ...update("dir/b"))).toStartWith("conflict: ")
  expect(await shown(bench, ...update("dir/b"), "*** Delete File: link")).toStartWith("conflict: ")
  expect(await tree(bench)).toEqual(before)
})
