import { expect, test } from "bun:test"
import { appendFile, mkdir, symlink, truncate, writeFile } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import { contentHash } from "../../workspace/files.ts"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import type { ToolBench } from "../../../test/support/tool-context.ts"
import { createReadTool } from "./read.ts"

const read = async (bench: ToolBench, filePath: string, more: Record<string, unknown> = {}) =>
  await runTool(createReadTool(bench.deps), bench, { filePath, ...more })
const shown = async (bench: ToolBench, filePath: string, more: Record<string, unknown> = {}) =>
  shownResult(await read(bench, filePath, more))
const rows = (count: number) => Array.from({ length: count }, (_, index) => `row ${index + 1}\n`).join("")

test("lines with their numbers, and whether that is all", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "one\r\ntwo\n\nfour")
  const done = await read(bench, "a")
  expect(shownResult(done)).toBe("1\tone\n2\ttwo\n3\t\n4\tfour\n(end of file, 4 lines)")
  expect(done.ok && done.value.metadata).toMatchObject({
    preview: "one\ntwo\n\nfour",
    truncated: false,
    loaded: [],
    seen: [{ path: `${bench.worktree}/a`, hash: contentHash(Buffer.from("one\r\ntwo\n\nfour")) }],
  })
  expect(bench.asks).toMatchObject([{ permission: "read", patterns: [`${bench.worktree}/a`] }])
})

test("a part, how to go on, and an offset beyond the end", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, rows(2_500))
  expect(await shown(bench, "a", { offset: 10, limit: 2 })).toBe(
    "10\trow 10\n11\trow 11\n(lines 10-11 of 2500; continue with offset=12)",
  )
  expect(await shown(bench, "a")).toEndWith("2000\trow 2000\n(lines 1-2000 of 2500; continue with offset=2001)")
  expect(await shown(bench, "a", { offset: 2_500 })).toBe("2500\trow 2500\n(end of file, 2500 lines)")
  expect(await shown(bench, "a", { offset: 0, limit: 1 })).toStartWith("1\trow 1")
  expect(await shown(bench, "a", { offset: 2_501 })).toBe(
    `invalid_arguments: offset 2501 is beyond the end: ${bench.worktree}/a has 2500 lines.`,
  )
})

test("an empty file is said to be empty", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "")
  expect(await shown(bench, "a")).toBe("(the file is empty)")
})

test("long lines are cut with a mark, and the whole is bounded by 50 kB", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, `${"x".repeat(5_000)}\nshort\n`)
  expect(await shown(bench, "a")).toBe(
    `1\t${"x".repeat(2_000)}… (line cut: 5000 characters)\n2\tshort\n(end of file, 2 lines)`,
  )
  await writeFile(`${bench.worktree}/b`, `${"y".repeat(1_000)}\n`.repeat(100))
  const output = await shown(bench, "b")
  expect(Buffer.byteLength(output)).toBeLessThan(51_200)
  expect(output).toMatch(/\(lines 1-49 of 100; continue with offset=50\)$/)
})

test("one line of 50 MB is read without holding it", async () => {
  await using bench = await createToolBench()
  const before = process.memoryUsage().rss
  for (let index = 0; index < 10; index++) await appendFile(`${bench.worktree}/a`, "z".repeat(5_000_000))
  expect(await shown(bench, "a")).toContain("(line cut: 50000000 characters)")
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 ** 2)
})

test("of a huge file only the part that is asked for is read", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, rows(60_000))
  await truncate(`${bench.worktree}/a`, 2 * 1024 ** 3)
  // The rest is NUL bytes: reading on would find that it is no text.
  const done = await read(bench, "a", { limit: 2 })
  expect(shownResult(done)).toBe("1\trow 1\n2\trow 2\n(lines 1-2 of a file of 2.0 GB; continue with offset=3)")
  expect(done.ok && JSON.stringify(done.value.metadata.seen)).toContain("stat:2147483648:")
})

test("binary files are refused, with how to look at them", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/it's`, "a\0b")
  const output = await shown(bench, "it's")
  expect(output).toContain("binary: ")
  expect(output).toContain(`xxd -l 256 '${bench.worktree}/it'\\''s'`)
  await writeFile(`${bench.worktree}/late`, `${rows(50_000)}\0`)
  expect(await shown(bench, "late", { limit: 1 })).toContain("binary: ")
})

test("bytes that are no text are shown as such; UTF-16 is text", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/latin`, Buffer.from("caf\xe9\n", "latin1"))
  expect(await shown(bench, "latin")).toBe(
    "1\tcaf\ufffd\n(end of file, 1 line)\n(some bytes are not valid text and are shown as \ufffd; edit and write refuse this file)",
  )
  await writeFile(`${bench.worktree}/wide`, Buffer.from("\ufeffgrüße\r\nx", "utf16le"))
  expect(await shown(bench, "wide")).toBe("1\tgrüße\n2\tx\n(end of file, 2 lines)")
  await writeFile(`${bench.worktree}/big`, Buffer.from("\ufeffäöü", "utf16le").swap16())
  expect(await shown(bench, "big")).toBe("1\täöü\n(end of file, 1 line)")
  await writeFile(`${bench.worktree}/mac`, "a\rb\rc")
  expect(await shown(bench, "mac")).toBe("1\ta\n2\tb\n3\tc\n(end of file, 3 lines)")
})

test("characters and line ends across the pieces in which a file is read", async () => {
  await using bench = await createToolBench()
  for (const shift of [0, 1, 2, 3]) {
    const pad = "p".repeat(262_144 - 2 - shift)
    await writeFile(`${bench.worktree}/a`, `${pad}𝄞\r\nend\n`)
    expect(await shown(bench, "a", { offset: 2 })).toBe("2\tend\n(end of file, 2 lines)")
  }
})

test("a directory is listed in order, bounded, with what its entries are", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.worktree}/d/sub`, { recursive: true })
  await writeFile(`${bench.worktree}/d/b`, "")
  await writeFile(`${bench.worktree}/d/a\nb`, "")
  await symlink("b", `${bench.worktree}/d/link`)
  expect(await shown(bench, "d")).toBe('"a\\nb"\nb\nlink -> b\nsub/\n(4 entries)')
  expect(await shown(bench, "d", { offset: 2, limit: 1 })).toBe("b\n(1 of 4 entries; continue with offset=3)")
  expect(await shown(bench, "d", { offset: 9 })).toContain("4 entries")
  await mkdir(`${bench.worktree}/empty`)
  expect(await shown(bench, "empty")).toBe("(0 entries)")
})

test("a missing path names what was perhaps meant", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.worktree}/src/deep`, { recursive: true })
  await writeFile(`${bench.worktree}/src/Main.ts`, "")
  await writeFile(`${bench.worktree}/src/deep/unique-name.ts`, "")
  expect(await shown(bench, "src/main.ts")).toContain(
    `missing: ${bench.worktree}/src/main.ts does not exist. Did you mean ${bench.worktree}/src/Main.ts?`,
  )
  expect(await shown(bench, "unique-name.ts")).toContain(`${bench.worktree}/src/deep/unique-name.ts?`)
  expect(await shown(bench, "zzzzzzzz")).toBe(`missing: ${bench.worktree}/zzzzzzzz does not exist.`)
})

test("what lies outside is asked for by its real place, before anything is looked up", async () => {
  await using bench = await createToolBench()
  await mkdir(`${bench.root}/proj-evil`)
  await writeFile(`${bench.root}/proj-evil/secret`, "s")
  await symlink(`${bench.root}/proj-evil`, `${bench.worktree}/link`)
  await shown(bench, "link/secret")
  await shown(bench, "link")
  const external = bench.asks.filter((ask) => ask.permission === "external_directory")
  expect(external.map((ask) => ask.patterns)).toEqual([[`${bench.root}/proj-evil/*`], [`${bench.root}/proj-evil/*`]])
  bench.answer = (ask) => (ask.permission === "external_directory" ? err({ kind: "denied", message: "no" }) : ok({}))
  expect(await shown(bench, "link/secreet")).toBe("denied: no")
})

test("a denied read shows nothing and is not recorded", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/.env`, "KEY=1")
  bench.answer = () => err({ kind: "denied", message: "denied by rule" })
  expect(await shown(bench, ".env")).toBe("denied: denied by rule")
  expect(bench.deps.seen.check("ses_1", `${bench.worktree}/.env`, "x")).toBe("unseen")
})

test("pipes and devices are refused without being opened", async () => {
  await using bench = await createToolBench()
  expect(Bun.spawnSync(["mkfifo", `${bench.worktree}/pipe`]).exitCode).toBe(0)
  expect(await shown(bench, "pipe")).toContain("refused: ")
  expect(await shown(bench, "/dev/zero")).toContain("refused: /dev/zero is a device")
})

test("images and documents are attached for models that take them, else it is said how to go on", async () => {
  await using bench = await createToolBench()
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20)])
  await writeFile(`${bench.worktree}/p.bin`, png)
  await writeFile(`${bench.worktree}/d.pdf`, "%PDF-1.7 ...")
  expect(await shown(bench, "p.bin")).toContain("which this model does not take")
  expect(await shown(bench, "d.pdf")).toContain("pdftotext")
  const tool = createReadTool({ ...bench.deps, accepts: (mime) => mime.startsWith("image/") })
  const done = await runTool(tool, bench, { filePath: "p.bin" })
  expect(done.ok && done.value.attachments).toEqual([
    { type: "file", mime: "image/png", filename: "p.bin", url: `data:image/png;base64,${png.toString("base64")}` },
  ])
  await truncate(`${bench.worktree}/p.bin`, 6 * 1024 ** 2)
  expect(shownResult(await runTool(tool, bench, { filePath: "p.bin" }))).toContain("refused: ")
})

test("a notebook is shown as its cells, as JSON when a part is asked for", async () => {
  await using bench = await createToolBench()
  const cells = [
    { cell_type: "markdown", source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      source: "1+1",
      outputs: [{ data: { "text/plain": ["2"] } }, { ename: "Oops", evalue: "bad" }],
    },
  ]
  await writeFile(`${bench.worktree}/n.ipynb`, JSON.stringify({ cells }, null, 1))
  const output = await shown(bench, "n.ipynb")
  expect(output).toStartWith("[1] markdown\n# Title\ntext\n\n[2] code\n1+1\n-> 2\n-> Oops: bad\n(a notebook")
  expect(await shown(bench, "n.ipynb", { limit: 2 })).toStartWith('1\t{\n2\t "cells": [')
  await writeFile(`${bench.worktree}/broken.ipynb`, "{")
  expect(await shown(bench, "broken.ipynb")).toStartWith("1\t{")
})

test("instructions join the end of a file's result, and are named in it; a directory and a failure have none", async () => {
  await using bench = await createToolBench()
  await writeFile(`${bench.worktree}/a`, "one\ntwo")
  const asked: unknown[] = []
  const tool = createReadTool({
    ...bench.deps,
    instructions: async (read) => {
      asked.push(read)
      return { text: "<project-instructions/>", loaded: ["/w/AGENTS.md"] }
    },
  })
  const done = await runTool(tool, bench, { filePath: "a" })
  expect(shownResult(done)).toBe("1\tone\n2\ttwo\n(end of file, 2 lines)\n\n<project-instructions/>")
  expect(done.ok && done.value.metadata).toMatchObject({
    loaded: ["/w/AGENTS.md"],
    preview: "one\ntwo",
    truncated: false,
  })
  await runTool(tool, bench, { filePath: "a", limit: 1 })
  await runTool(tool, bench, { filePath: "a", offset: 2 })
  await runTool(tool, bench, { filePath: "." })
  await runTool(tool, bench, { filePath: "gone" })
  const path = `${bench.worktree}/a`
  expect(asked).toEqual([
    { path, whole: true },
    { path, whole: false },
    { path, whole: false },
  ])
})

test("an interruption ends a long read", async () => {
  const group = new TaskGroup()
  await using bench = await createToolBench(group.signal)
  await writeFile(`${bench.worktree}/a`, "text\n".repeat(200_000))
  bench.answer = () => {
    group.cancel(new Interrupted())
    return ok({})
  }
  expect(
    await read(bench, "a").then(
      () => "done",
      (error: unknown) => error,
    ),
  ).toBeInstanceOf(Interrupted)
})
