import { afterEach, beforeEach, expect, test } from "bun:test"
import { chmod, chown, link, lstat, mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { createWriteOperations, prepareWrite } from "./atomic-write.ts"
import type { PreparedChange, WriteOperations } from "./atomic-write.ts"
import { readSnapshot } from "./files.ts"
import type { FileSnapshot } from "./files.ts"

let root = ""
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-write-")))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const usual = createWriteOperations()
const failing = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

async function snapshot(path: string): Promise<FileSnapshot> {
  const read = await readSnapshot(path)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

async function prepare(
  path: string,
  text: string,
  before?: FileSnapshot,
  operations: WriteOperations = usual,
): Promise<PreparedChange> {
  const prepared = await prepareWrite(path, Buffer.from(text), before, operations)
  if (!prepared.ok) throw new Error(prepared.error.message)
  return prepared.value
}

async function write(path: string, text: string, before?: FileSnapshot, operations: WriteOperations = usual) {
  await using prepared = await prepare(path, text, before, operations)
  return await prepared.commit()
}

const text = (path: string) => readFile(path, "utf8")

test("a new file appears whole, with its parents, and the usual mode", async () => {
  const path = `${root}/a/b/new.txt`
  expect((await write(path, "hello")).ok).toBe(true)
  expect(await text(path)).toBe("hello")
  expect((await lstat(path)).mode & 0o777).toBe(0o666 & ~process.umask())
  expect(await readdir(`${root}/a/b`)).toEqual(["new.txt"])
})

test("an existing file is replaced by rename and keeps its mode", async () => {
  const path = `${root}/run.sh`
  await writeFile(path, "old")
  await chmod(path, 0o4750)
  const before = await snapshot(path)
  expect((await write(path, "new", before)).ok).toBe(true)
  const after = await lstat(path)
  expect(await text(path)).toBe("new")
  expect(after.mode & 0o7777).toBe(0o4750)
  expect(after.ino).not.toBe(before.stat.ino)
  expect(await readdir(root)).toEqual(["run.sh"])
})

test("a file with another hard link is written in place, so that both names see it", async () => {
  await writeFile(`${root}/a`, "a longer old text")
  await link(`${root}/a`, `${root}/b`)
  const before = await snapshot(`${root}/a`)
  expect((await write(`${root}/a`, "new", before)).ok).toBe(true)
  expect(await text(`${root}/b`)).toBe("new")
  expect((await lstat(`${root}/a`)).ino).toBe(before.stat.ino)
})

test.if(process.getuid?.() === 0)("a file of another owner keeps its owner", async () => {
  await writeFile(`${root}/a`, "old")
  await chown(`${root}/a`, 12345, 12345)
  expect((await write(`${root}/a`, "new", await snapshot(`${root}/a`))).ok).toBe(true)
  expect(await lstat(`${root}/a`)).toMatchObject({ uid: 12345, gid: 12345 })
  expect(await text(`${root}/a`)).toBe("new")
})

test("a file with attributes that a copy would lose is written in place", async () => {
  await writeFile(`${root}/a`, "old")
  const before = await snapshot(`${root}/a`)
  const operations = { ...usual, attributes: () => Promise.resolve({ of: () => ["user.tag"] }) }
  expect((await write(`${root}/a`, "new", before, operations)).ok).toBe(true)
  expect((await lstat(`${root}/a`)).ino).toBe(before.stat.ino)
})

test.each(["EXDEV", "EBUSY", "EACCES"])("a rename that gives %s becomes a write in place", async (code) => {
  await writeFile(`${root}/a`, "a longer old text")
  const before = await snapshot(`${root}/a`)
  expect((await write(`${root}/a`, "new", before, { ...usual, rename: () => failing(code) })).ok).toBe(true)
  expect(await text(`${root}/a`)).toBe("new")
  expect((await lstat(`${root}/a`)).ino).toBe(before.stat.ino)
  expect(await readdir(root)).toEqual(["a"])
})

test("a rename that fails otherwise changes nothing and leaves no temp file", async () => {
  await writeFile(`${root}/a`, "old")
  const before = await snapshot(`${root}/a`)
  const done = await write(`${root}/a`, "new", before, { ...usual, rename: () => failing("ENOSPC") })
  expect(!done.ok && done.error.kind).toBe("io")
  expect(await text(`${root}/a`)).toBe("old")
  expect(await readdir(root)).toEqual(["a"])
})

test("without hard links a new file is still never written over one that appeared", async () => {
  const operations = { ...usual, link: () => failing("EPERM") }
  expect((await write(`${root}/a`, "mine", undefined, operations)).ok).toBe(true)
  await using prepared = await prepare(`${root}/b`, "mine", undefined, operations)
  await writeFile(`${root}/b`, "theirs")
  const done = await prepared.commit()
  expect(!done.ok && done.error.kind).toBe("changed")
  expect(await text(`${root}/b`)).toBe("theirs")
})

test("a change by somebody else between plan and commit is never overwritten", async () => {
  await writeFile(`${root}/a`, "old")
  for (const disturb of [
    () => writeFile(`${root}/a`, "old and theirs"),
    () => writeFile(`${root}/a`, "OLD"),
    () => chmod(`${root}/a`, 0o600),
    () => rm(`${root}/a`),
  ]) {
    await writeFile(`${root}/a`, "old")
    await chmod(`${root}/a`, 0o644)
    await using prepared = await prepare(`${root}/a`, "new", await snapshot(`${root}/a`))
    await disturb()
    const theirs = await text(`${root}/a`).catch(() => "gone")
    const done = await prepared.commit()
    expect(!done.ok && done.error.kind).toBe("changed")
    expect(await text(`${root}/a`).catch(() => "gone")).toBe(theirs)
  }
  expect((await readdir(root)).filter((name) => name.includes("cairn"))).toEqual([])
})

test("a prepared change that is dropped leaves no file and no directory", async () => {
  {
    await using prepared = await prepare(`${root}/x/y/z`, "text")
    expect((await readdir(`${root}/x/y`)).length).toBe(1)
    expect(prepared.path).toBe(`${root}/x/y/z`)
  }
  expect(await readdir(root)).toEqual([])
})

test("a directory in the way, and a parent that is a file, are failures", async () => {
  await mkdir(`${root}/dir`)
  const done = await write(`${root}/dir`, "x")
  expect(!done.ok && done.error.kind).toBe("changed")
  await writeFile(`${root}/file`, "")
  const below = await prepareWrite(`${root}/file/x`, Buffer.from("x"), undefined, usual)
  expect(!below.ok && below.error.kind).toMatch(/missing|io/)
})

test("rolling back restores what was there, and spares what changed since", async () => {
  await writeFile(`${root}/a`, "old")
  await using changed = await prepare(`${root}/a`, "new", await snapshot(`${root}/a`))
  await changed.commit()
  expect((await changed.rollback()).ok).toBe(true)
  expect(await text(`${root}/a`)).toBe("old")

  await using created = await prepare(`${root}/d/e/f`, "new")
  await created.commit()
  expect((await created.rollback()).ok).toBe(true)
  expect(await readdir(root)).toEqual(["a"])

  await using touched = await prepare(`${root}/a`, "new", await snapshot(`${root}/a`))
  await touched.commit()
  await writeFile(`${root}/a`, "user")
  expect((await touched.rollback()).ok).toBe(false)
  expect(await text(`${root}/a`)).toBe("user")
})

test("any bytes over any bytes give exactly the new bytes, by rename and in place", async () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  await fc.assert(
    fc.asyncProperty(bytes, bytes, fc.boolean(), async (old, fresh, inPlace) => {
      const path = `${root}/any`
      await writeFile(path, old)
      const operations = inPlace ? { ...usual, rename: () => failing("EXDEV") } : usual
      const prepared = await prepareWrite(path, fresh, await snapshot(path), operations)
      if (!prepared.ok) throw new Error(prepared.error.message)
      await using change = prepared.value
      expect((await change.commit()).ok).toBe(true)
      expect(new Uint8Array(await readFile(path))).toEqual(new Uint8Array(fresh))
    }),
    { numRuns: 60 },
  )
})
