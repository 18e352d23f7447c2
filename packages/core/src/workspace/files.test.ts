import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { contentHash, ioFailure, openRegular, readSnapshot, shownPath, shownSize } from "./files.ts"
import { bytesFor, readTextFile } from "./text-file.ts"

let root = ""
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-files-")))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const kindOf = async (path: string) => {
  const read = await readSnapshot(path)
  return read.ok ? "ok" : read.error.kind
}

test("a snapshot has the bytes, their hash and the stat", async () => {
  await writeFile(`${root}/a`, "hello")
  const read = await readSnapshot(`${root}/a`)
  expect(read.ok && Buffer.from(read.value.bytes).toString()).toBe("hello")
  expect(read.ok && read.value.hash).toBe(contentHash(Buffer.from("hello")))
  expect(read.ok && read.value.stat.size).toBe(5)
  await writeFile(`${root}/empty`, "")
  expect((await readSnapshot(`${root}/empty`)).ok).toBe(true)
})

test("what is no regular file is refused, by what it is", async () => {
  await mkdir(`${root}/dir`)
  expect(Bun.spawnSync(["mkfifo", `${root}/pipe`]).exitCode).toBe(0)
  const server = createServer().listen(`${root}/socket`)
  await new Promise<void>((resolve) => server.once("listening", () => resolve()))
  try {
    expect(await kindOf(`${root}/dir`)).toBe("directory")
    expect(await kindOf(`${root}/pipe`)).toBe("refused")
    expect(await kindOf(`${root}/socket`)).toBe("refused")
    expect(await kindOf("/dev/zero")).toBe("refused")
    expect(await kindOf(`${root}/missing`)).toBe("missing")
  } finally {
    server.close()
  }
})

test("a path that became a link between check and use is not followed", async () => {
  await writeFile(`${root}/secret`, "secret")
  await symlink(`${root}/secret`, `${root}/link`)
  expect(await kindOf(`${root}/link`)).toBe("changed")
  await mkdir(`${root}/real`)
  await writeFile(`${root}/real/a`, "")
  await symlink(`${root}/real`, `${root}/dir`)
  const opened = await openRegular(`${root}/dir/a`)
  expect(!opened.ok && opened.error.kind).toBe("changed")
})

test("a file of two gigabytes is refused without being read", async () => {
  await writeFile(`${root}/huge`, "")
  await truncate(`${root}/huge`, 2 * 1024 ** 3)
  const before = process.memoryUsage().rss
  const read = await readSnapshot(`${root}/huge`)
  expect(!read.ok && read.error).toMatchObject({ kind: "refused" })
  expect(!read.ok && read.error.message).toContain("2.0 GB")
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2)
})

test("text is read with its encoding; what cannot be written back is binary", async () => {
  await writeFile(`${root}/crlf`, "\ufeffa\r\nb")
  const read = await readTextFile(`${root}/crlf`)
  expect(read.ok && read.value).toMatchObject({ text: "a\r\nb", encoding: { encoding: "utf-8", bom: true } })
  await writeFile(`${root}/nul`, "a\0b")
  await writeFile(`${root}/latin`, new Uint8Array([0xe9]))
  for (const name of ["nul", "latin"]) {
    const binary = await readTextFile(`${root}/${name}`)
    expect(!binary.ok && binary.error.kind).toBe("binary")
  }
  expect(await readTextFile(`${root}/missing`)).toEqual({ ok: true, value: undefined })
})

test("text that no file can hold is refused", () => {
  expect(bytesFor("a", "/a")).toEqual({ ok: true, value: Buffer.from("a") })
  const nul = bytesFor("\0", "/a")
  expect(!nul.ok && nul.error.kind).toBe("binary")
  const half = bytesFor("\udc00", "/a")
  expect(!half.ok && half.error.kind).toBe("refused")
})

test("messages show paths and sizes for people", () => {
  expect(shownPath("/a b")).toBe("/a b")
  expect(shownPath("/a\nb")).toBe('"/a\\nb"')
  expect([shownSize(10), shownSize(2048), shownSize(50 * 1024 ** 2)]).toEqual(["10 bytes", "2.0 kB", "50 MB"])
})

test("an error that is none of the system's is a defect, not a failure", () => {
  expect(() => ioFailure(new TypeError("bug"), "/a")).toThrow("bug")
  expect(ioFailure(Object.assign(new Error("x"), { code: "EIO" }), "/a").kind).toBe("io")
})
