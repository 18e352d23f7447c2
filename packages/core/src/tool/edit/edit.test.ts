import { expect, test } from "bun:test"
import { chmod, lstat, readFile, readdir, truncate, writeFile } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import fc from "fast-check"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createReadTool } from "../read/read.ts"
import type { Tool } from "../define.ts"
import { createEditTool } from "./edit.ts"

const edit = async (
  bench: ToolBench,
  oldString: string,
  newString: string,
  more: Record<string, unknown> = {},
  tool: Tool = createEditTool(bench.deps),
) => await runTool(tool, bench, { filePath: "f", oldString, newString, ...more })
const text = (bench: ToolBench) => readFile(`${bench.worktree}/f`, "utf8")

test("an edit needs no earlier read, and says what it did", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, "one\ntwo\nthree\n")
  const done = await edit(bench, "two", "TWO\nand a half")
  expect(shownResult(done)).toBe("Edited f (+2 -1).")
  expect(await text(bench)).toBe("one\nTWO\nand a half\nthree\n")
  expect(done.ok && done.value.metadata).toMatchObject({
    filediff: { file: `${bench.worktree}/f`, additions: 2, deletions: 1 },
    diagnostics: {},
    seen: [{ path: `${bench.worktree}/f` }],
  })
  expect(bench.asks.map((ask) => ask.permission)).toEqual(["edit"])
  expect(bench.asks[0]?.metadata?.diff).toBe(done.ok && done.value.metadata.diff)
})

test("several places at once, and a tolerant match is told", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, "x\ny\nx\n")
  expect(shownResult(await edit(bench, "x", "z", { replaceAll: true }))).toBe("Edited f in 2 places (+2 -2).")
  await writeFile(`${bench.worktree}/f`, "  a\n  b\n")
  await runTool(createReadTool(bench.deps), bench, { filePath: "f" })
  expect(shownResult(await edit(bench, "a\nb", "c\nd"))).toContain("oldString matched but for indentation")
  expect(await text(bench)).toBe("  c\n  d\n")
})

test("an empty oldString creates a file, and never replaces one", async () => {
  await using bench = await createToolBench()
  expect(shownResult(await edit(bench, "", "new\n"))).toBe("Created f (+1 -0).")
  expect(shownResult(await edit(bench, "", "other\n"))).toContain("refused: oldString is empty")
  expect(await text(bench)).toBe("new\n")
})

test("a missing file is said, with the one that was perhaps meant", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/config.ts`, "x")
  const done = await edit(bench, "x", "y", { filePath: "confg.ts" })
  expect(shownResult(done)).toContain(`Did you mean ${bench.worktree}/config.ts?`)
  expect(!done.ok && done.error.kind).toBe("missing")
})

test("a file that changed since it was seen is refused until it is read again", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, "a\nb\n")
  await edit(bench, "a", "A")
  await writeFile(`${bench.worktree}/f`, "A\nb\nuser's\n")
  expect(shownResult(await edit(bench, "b", "B"))).toContain("changed: ")
  await runTool(createReadTool(bench.deps), bench, { filePath: "f" })
  expect((await edit(bench, "b", "B")).ok).toBe(true)
  expect(await text(bench)).toBe("A\nB\nuser's\n")
})

test("text of a file that was not seen is only shown to those who may read it", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, "SECRET=abc\n")
  bench.answer = (ask) => (ask.permission === "read" ? err({ kind: "denied", message: "no" }) : ok({}))
  const hidden = await edit(bench, "SECRET=abd", "x")
  expect(shownResult(hidden)).toContain("not_found: ")
  expect(shownResult(hidden)).not.toContain("SECRET=abc")
  bench.answer = () => ok({})
  expect(shownResult(await edit(bench, "SECRET=abd", "x"))).toContain("1\tSECRET=abc")
})

test("after two failures on a file the answer has the text to work from", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, Array.from({ length: 100 }, (_, index) => `row ${index} of it\n`).join(""))
  const tool = createEditTool(bench.deps)
  expect(shownResult(await edit(bench, "row 50 of that", "x", {}, tool))).not.toContain("in a row")
  const second = shownResult(await edit(bench, "row 50 of those", "x", {}, tool))
  expect(second).toContain("failed edit number 2 of this file in a row")
  expect(second).toContain("45\trow 44 of it")
  expect((await edit(bench, "row 50 of it", "row fifty", {}, tool)).ok).toBe(true)
  expect(shownResult(await edit(bench, "row 51 of that", "x", {}, tool))).not.toContain("in a row")
})

test("binary files, huge files and equal strings are refused, and nothing is written", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, "a\0b")
  expect(shownResult(await edit(bench, "a", "c"))).toContain("binary: ")
  await writeFile(`${bench.worktree}/f`, "")
  await truncate(`${bench.worktree}/f`, 2 * 1024 ** 3)
  expect(shownResult(await edit(bench, "a", "c"))).toContain("refused: ")
  await writeFile(`${bench.worktree}/f`, "a")
  expect(shownResult(await edit(bench, "a", "a"))).toContain("identical: ")
  expect(await text(bench)).toBe("a")
})

test("encoding, mark, line ends, final line end and mode stay, whatever is edited", async () => {
  await using bench = await createToolBench()
  const encodings = ["utf8", "utf8-bom", "utf16le", "utf16be"] as const
  const bytes = (value: string, encoding: (typeof encodings)[number]): Buffer => {
    if (encoding === "utf8") return Buffer.from(value)
    if (encoding === "utf8-bom") return Buffer.from(`\ufeff${value}`)
    const wide = Buffer.from(`\ufeff${value}`, "utf16le")
    return encoding === "utf16be" ? wide.swap16() : wide
  }
  const line = fc.constantFrom("a", "ü", "  x = 1", "𝄞", "")
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...encodings),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(line, { maxLength: 6 }),
      fc.boolean(),
      fc.constantFrom(0o644, 0o755, 0o600),
      async (encoding, end, lines, final, mode) => {
        const value = [...lines, "the needle", ...lines].join(end) + (final ? end : "")
        await writeFile(`${bench.worktree}/f`, bytes(value, encoding))
        await chmod(`${bench.worktree}/f`, mode)
        bench.deps.seen.forget("ses_1")
        expect((await edit(bench, "the needle", "one\ntwo")).ok).toBe(true)
        const expected = bytes(value.replace("the needle", `one${value === "the needle" ? "\n" : end}two`), encoding)
        expect((await readFile(`${bench.worktree}/f`)).toString("hex")).toBe(expected.toString("hex"))
        expect((await lstat(`${bench.worktree}/f`)).mode & 0o777).toBe(mode)
      },
    ),
    { numRuns: 60 },
  )
})

test("edits of one file at the same time all take effect", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/f`, Array.from({ length: 10 }, (_, index) => `<${index}>\n`).join(""))
  const all = await Promise.all(Array.from({ length: 10 }, (_, index) => edit(bench, `<${index}>`, `[${index}]`)))
  expect(all.filter((done) => !done.ok)).toEqual([])
  expect(await text(bench)).toBe(Array.from({ length: 10 }, (_, index) => `[${index}]\n`).join(""))
})

test("an interruption leaves the file as it was, and no temp file and no lock", async () => {
  const group = new TaskGroup()
  await using bench = await createToolBench(group.signal)
  await writeFile(`${bench.worktree}/f`, "a\n")
  const held = Promise.withResolvers<void>()
  bench.answer = async () => {
    held.resolve()
    await new Promise<void>((_resolve, reject) => {
      void held.promise.then(() => {
        group.cancel(new Interrupted())
        reject(group.signal.reason)
      })
    })
    return ok({})
  }
  const outcome = await Promise.all([
    edit(bench, "a", "b").then(
      () => "done",
      (error: unknown) => error,
    ),
    edit(bench, "a", "c").then(
      () => "done",
      (error: unknown) => error,
    ),
  ])
  expect(outcome.every((error) => error instanceof Interrupted)).toBe(true)
  expect(await text(bench)).toBe("a\n")
  expect(await readdir(bench.worktree)).toEqual(["f"])
  expect(bench.deps.locks.size).toBe(0)
})
