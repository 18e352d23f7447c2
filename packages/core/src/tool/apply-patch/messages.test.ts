import { expect, test } from "bun:test"
import { chmod, mkdir, open, symlink, writeFile } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { asNobody } from "../../../test/support/as-nobody.ts"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createReadTool } from "../read/read.ts"
import { createApplyPatchTool } from "./apply-patch.ts"

/** What the tool says to a patch whose second section, at line 4, holds these lines. */
const said = async (bench: ToolBench, ...lines: string[]) =>
  shownResult(
    await runTool(createApplyPatchTool(bench.deps), bench, {
      patchText: ["*** Begin Patch", "*** Add File: fine", "+x", ...lines, "*** End Patch"].join("\n"),
    }),
  )
const update = (path: string) => [`*** Update File: ${path}`, "-a", "+b"]
const atLine4 = (kind: string) =>
  expect.stringMatching(
    new RegExp(`^${kind}: (Line 4 of the patch: .|.*line [45] of the patch).*Nothing was written\\.`),
  )

test("whatever is wrong with a file, the line of the patch is named, and that nothing was written", async () => {
  await using bench = await createToolBench()
  const at = (name: string) => `${bench.worktree}/${name}`
  await symlink("gone", at("dangling"))
  await symlink("circle", at("circle"))
  await mkdir(at("dir"))
  await writeFile(at("file"), "x\n")
  Bun.spawnSync(["mkfifo", at("pipe")])
  await writeFile(at("binary"), "a\0\n")
  await writeFile(at("invalid"), new Uint8Array([0x61, 0xff, 0x0a]))
  await using large = await open(at("large"), "w")
  await large.truncate(11 * 1024 * 1024)
  await writeFile(at("stale"), "a\n")
  await runTool(createReadTool(bench.deps), bench, { filePath: "stale" })
  await writeFile(at("stale"), "a\nuser\n")
  for (const [kind, ...lines] of [
    ["missing", ...update("dangling")],
    ["refused", ...update("circle")],
    ["missing", ...update("nope")],
    ["missing", "*** Delete File: nope"],
    ["missing", "*** Add File: file/below", "+x"],
    ["directory", ...update("dir")],
    ["refused", ...update("pipe")],
    ["refused", "*** Delete File: pipe"],
    ["binary", ...update("binary")],
    ["binary", ...update("invalid")],
    ["refused", ...update("large")],
    ["changed", ...update("stale")],
    ["refused", "*** Add File: half", "+\ud800"],
    ["binary", "*** Add File: nul", "+\0"],
    ["invalid_arguments", `*** Add File: ${"n".repeat(300)}`, "+x"],
    ["outside", "*** Add File: ../x", "+x"],
    ["context", ...update("file")],
    ["exists", "*** Add File: file", "+x"],
  ] as const) {
    expect(await said(bench, ...lines)).toEqual(atLine4(kind))
  }
  const patchText = "*** Begin Patch\n*** Delete File: .\n*** End Patch"
  expect(shownResult(await runTool(createApplyPatchTool(bench.deps), bench, { patchText }))).toBe(
    "directory: Line 2 of the patch: . is a directory. Nothing was written.",
  )
})

test("what the system does not permit is told alike", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.worktree}/closed`)
  for (const name of ["closed/a", "unreadable"]) await writeFile(`${bench.worktree}/${name}`, "a\n")
  await chmod(`${bench.worktree}/unreadable`, 0)
  await chmod(`${bench.worktree}/closed`, 0o555)
  await asNobody(bench.root, async () => {
    expect(await said(bench, "*** Add File: closed/new", "+x")).toEqual(atLine4("io"))
    expect(await said(bench, "*** Add File: closed/deep/new", "+x")).toEqual(atLine4("io"))
    expect(await said(bench, ...update("unreadable"))).toEqual(atLine4("io"))
  })
})

test("what goes wrong at the last moment names the line, and that all is as before", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "a\n")
  bench.answer = async () => {
    await writeFile(`${bench.worktree}/a`, "user's\n")
    return ok({})
  }
  const output = await said(bench, ...update("a"))
  expect(output).toStartWith("changed: Line 4 of the patch: ")
  expect(output).toEndWith(" All files are as before.")
  bench.answer = () => err({ kind: "denied", message: "no" })
  expect(await said(bench, "*** Delete File: a")).toBe("denied: no")
})
