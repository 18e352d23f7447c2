import { expect, test } from "bun:test"
import { chmod, mkdir, rmdir, writeFile } from "node:fs/promises"
import { asNobody } from "../../test/support/as-nobody.ts"
import { createToolBench, runTool, shownResult } from "../../test/support/tool-context.ts"
import type { ToolBench } from "../../test/support/tool-context.ts"
import { createApplyPatchTool } from "./apply-patch/apply-patch.ts"
import { createEditTool } from "./edit/edit.ts"
import { missingPath } from "./near-paths.ts"
import { createReadTool } from "./read/read.ts"

const patchText = "*** Begin Patch\n*** Update File: nope.ts\n-a\n+b\n*** End Patch"

/** What each tool says of a file that is not there. */
async function answers(bench: ToolBench): Promise<string[]> {
  const done = await Promise.all([
    runTool(createReadTool(bench.deps), bench, { filePath: "nope.ts" }),
    runTool(createEditTool(bench.deps), bench, { filePath: "nope.ts", oldString: "a", newString: "b" }),
    runTool(createApplyPatchTool(bench.deps), bench, { patchText }),
  ])
  return done.map(shownResult)
}

test("a directory that may not be read is passed over in the search for what was meant", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.worktree}/src`)
  await writeFile(`${bench.worktree}/src/nope.ts`, "a\n")
  await mkdir(`${bench.worktree}/locked`, { mode: 0 })
  await asNobody(bench.root, async () => {
    for (const said of await answers(bench)) {
      expect(said).toStartWith("missing: ")
      expect(said).toContain(`Did you mean ${bench.worktree}/src/nope.ts?`)
    }
  })
})

test("what stands in a directory that may not be entered is not said to be missing", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.worktree}/locked`)
  await writeFile(`${bench.worktree}/locked/secret.txt`, "a\n")
  await chmod(`${bench.worktree}/locked`, 0)
  await asNobody(bench.root, async () => {
    const secret = `${bench.worktree}/locked/secret.txt`
    expect(await missingPath(secret, bench.worktree)).toEqual({
      kind: "io",
      message: `${secret}: the system does not permit it (EACCES).`,
    })
    const filePath = "locked/secret.txt"
    const said = [
      await runTool(createReadTool(bench.deps), bench, { filePath }),
      await runTool(createEditTool(bench.deps), bench, { filePath, oldString: "a", newString: "b" }),
      await runTool(createApplyPatchTool(bench.deps), bench, { patchText: patchText.replace("nope.ts", filePath) }),
    ].map(shownResult)
    for (const text of said) {
      expect(text).toStartWith("io: ")
      expect(text).toContain("the system does not permit it (EACCES)")
    }
  })
})

test("directories that come and go meanwhile are passed over", async () => {
  await using bench = await createToolBench()
  const names = Array.from({ length: 100 }, (_, index) => `${bench.worktree}/d${index}`)
  for (let turn = 0; turn < 5; turn++) {
    await Promise.all(names.map((name) => mkdir(name)))
    const [said] = await Promise.all([
      missingPath(`${bench.worktree}/nope.ts`, bench.worktree),
      ...names.map((name) => rmdir(name)),
    ])
    expect(said).toMatchObject({ kind: "missing" })
  }
})
