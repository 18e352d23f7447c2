import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { createWriteOperations } from "./atomic-write.ts"
import type { PreparedChange, WriteOperations } from "./atomic-write.ts"
import { contentHash } from "./files.ts"
import { prepareDelete, prepareLink, readWhole } from "./whole-file.ts"
import type { WholeFile } from "./whole-file.ts"

let root = ""
const usual = createWriteOperations()
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
const unlinked: WriteOperations = { ...usual, link: () => failing("EPERM") }

beforeEach(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/cairn-whole-`))
})
afterEach(async () => await rm(root, { recursive: true }))

async function whole(name: string): Promise<WholeFile> {
  const read = await readWhole(`${root}/${name}`)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

async function linked(name: string, to: string, operations = usual): Promise<PreparedChange> {
  const change = await prepareLink(await whole(name), `${root}/${to}`, operations)
  if (!change.ok) throw new Error(change.error.message)
  return change.value
}

/** A file that takes no room and is as long as this. */
async function sparse(name: string, size: number): Promise<void> {
  await using file = await open(`${root}/${name}`, "w")
  await file.truncate(size)
}

const gigabytes = 2 * 1024 ** 3
const text = (name: string) => readFile(`${root}/${name}`, "utf8")
const stat = (name: string) => lstat(`${root}/${name}`)
const names = async () => (await readdir(root)).toSorted((a, b) => (a < b ? -1 : 1))
const failed = (result: Awaited<ReturnType<PreparedChange["commit"] | PreparedChange["rollback"]>>) =>
  result.ok ? "" : `${result.error.kind}: ${result.error.message}`

test("small files are kept whole, larger ones by their hash, the largest by their stat", async () => {
  await writeFile(`${root}/small`, "a\0b")
  await sparse("middle", 11 * 1024 ** 2)
  await sparse("large", gigabytes)
  expect(await whole("small")).toMatchObject({ bytes: Buffer.from("a\0b"), hash: contentHash(Buffer.from("a\0b")) })
  expect(await whole("middle")).toMatchObject({
    bytes: "too_large",
    hash: contentHash(new Uint8Array(11 * 1024 ** 2)),
  })
  expect(await whole("large")).toMatchObject({
    bytes: "too_large",
    hash: expect.stringContaining(`stat:${gigabytes}:`),
  })
  expect(await readWhole(root)).toMatchObject({ ok: false, error: { kind: "directory" } })
})

test.each([
  ["small", usual],
  ["small", unlinked],
  ["large", usual],
  ["large", unlinked],
] as const)("a %s file that is removed comes back as it was", async (size, operations) => {
  if (size === "small") await writeFile(`${root}/a`, "text")
  else await sparse("a", gigabytes)
  await chmod(`${root}/a`, 0o640)
  const before = await stat("a")
  await using removal = prepareDelete(await whole("a"), operations)
  expect(failed(await removal.commit())).toBe("")
  expect(await names()).not.toContain("a")
  expect(failed(await removal.rollback())).toBe("")
  const { ino, mode, mtimeMs, nlink, size: length } = await stat("a")
  expect({ ino, mode, mtimeMs, nlink, size: length }).toEqual({
    ino: before.ino,
    mode: before.mode,
    mtimeMs: before.mtimeMs,
    nlink: 1,
    size: before.size,
  })
  expect(await names()).toEqual(["a"])
})

test("what is removed is gone once the change is disposed of", async () => {
  await writeFile(`${root}/a`, "text")
  {
    await using removal = prepareDelete(await whole("a"), usual)
    await removal.commit()
  }
  expect(await names()).toEqual([])
  {
    await writeFile(`${root}/a`, "text")
    await using _uncommitted = prepareDelete(await whole("a"), usual)
  }
  expect(await names()).toEqual(["a"])
})

test("a file that changed, or is another one by now, is not removed", async () => {
  await writeFile(`${root}/small`, "text")
  await sparse("large", gigabytes)
  await using small = prepareDelete(await whole("small"), usual)
  await using large = prepareDelete(await whole("large"), usual)
  await writeFile(`${root}/small`, "TEXT")
  await writeFile(`${root}/large`, "user's")
  expect(failed(await small.commit())).toStartWith("changed: ")
  expect(failed(await large.commit())).toStartWith("changed: ")
  expect([await text("small"), await text("large")]).toEqual(["TEXT", "user's"])
  await rm(`${root}/large`)
  await symlink("small", `${root}/large`)
  expect(failed(await large.commit())).toStartWith("changed: ")
})

test("a file that is swapped in the moment before it goes is put back", async () => {
  await writeFile(`${root}/a`, "planned")
  const rename: WriteOperations["rename"] = async (from, to) => {
    await rm(from)
    await writeFile(from, "user's")
    await usual.rename(from, to)
  }
  await using removal = prepareDelete(await whole("a"), { ...usual, rename })
  // The new file may have got the number of the old one.
  await link(`${root}/a`, `${root}/keeps-the-number`)
  expect(failed(await removal.commit())).toStartWith("changed: ")
  expect(await text("a")).toBe("user's")
})

test.each([usual, unlinked])("a removed file whose place is taken stays aside, and is named", async (operations) => {
  await writeFile(`${root}/a`, "text")
  {
    await using removal = prepareDelete(await whole("a"), operations)
    await removal.commit()
    await writeFile(`${root}/a`, "user's")
    const said = failed(await removal.rollback())
    const [aside] = (await names()).filter((name) => name.startsWith(".cairn-"))
    expect(said).toContain(`What it held before is in ${root}/${aside}.`)
  }
  expect(await text("a")).toBe("user's")
  const [aside = ""] = await names()
  expect(await text(aside)).toBe("text")
})

test.each([
  ["by a second name", usual],
  ["by a copy where no second name can be", unlinked],
])("a file is at its new place %s, and goes back", async (_, operations) => {
  await writeFile(`${root}/a`, "a\0b")
  await chmod(`${root}/a`, 0o750)
  await using change = await linked("a", "d/e/b", operations)
  expect([change.mode, change.madeDirectory]).toEqual([0o750, `${root}/d`])
  expect(failed(await change.commit())).toBe("")
  expect(await text("d/e/b")).toBe("a\0b")
  expect((await stat("d/e/b")).mode & 0o777).toBe(0o750)
  if (operations === usual) expect((await stat("d/e/b")).ino).toBe((await stat("a")).ino)
  expect(failed(await change.rollback())).toBe("")
  expect(await names()).toEqual(["a"])
})

test("then the old name goes, as one move", async () => {
  await sparse("a", gigabytes)
  const before = await stat("a")
  {
    await using change = await linked("a", "b")
    await using removal = prepareDelete(await whole("a"), usual)
    expect(failed(await change.commit())).toBe("")
    expect(failed(await removal.commit())).toBe("")
  }
  expect(await names()).toEqual(["b"])
  expect(await stat("b")).toMatchObject({ ino: before.ino, size: gigabytes, mtimeMs: before.mtimeMs, nlink: 1 })
})

test("what is in the way stays, and parents that were made go again", async () => {
  await writeFile(`${root}/a`, "text")
  await writeFile(`${root}/b`, "user's")
  await using taken = await linked("a", "b")
  expect(failed(await taken.commit())).toStartWith("changed: ")
  expect(await text("b")).toBe("user's")
  expect(await prepareLink(await whole("a"), `${root}/b/c`, usual)).toMatchObject({
    ok: false,
    error: { kind: "missing" },
  })
  {
    await using _uncommitted = await linked("a", "d/e")
  }
  await mkdir(`${root}/f`)
  await using changed = await linked("a", "f/g")
  await changed.commit()
  await rm(`${root}/f/g`)
  await writeFile(`${root}/f/g`, "user's too")
  expect(failed(await changed.rollback())).toStartWith("changed: ")
  expect([await names(), await text("f/g")]).toEqual([["a", "b", "f"], "user's too"])
})
