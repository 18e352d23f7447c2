import { expect, test } from "bun:test"
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises"
import { join } from "node:path"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import { type TempBlobs, bytesOf, mountable, noise, onSmallDisk, tempBlobs } from "../../../test/history/temp-blobs.ts"
import { contentHash } from "../files.ts"
import type { Blob } from "./blob-read.ts"
import { createBlobStore, largestInMemory } from "./blob-store.ts"

const { signal } = new TaskGroup()

/** What is there for an expected value, or the failure as text. */
async function put(temp: TempBlobs, content: Uint8Array): Promise<Blob> {
  const stored = await temp.store.put(content)
  if (!stored.ok) throw new Error(stored.error.message)
  return stored.value
}

const pathOf = (temp: TempBlobs, { hash }: Blob) => temp.store.files.path(hash, "zst")

/** The bytes that `copyTo` writes, or why it does not. */
async function copied(temp: TempBlobs, blob: Blob): Promise<Uint8Array | string> {
  const path = join(temp.root, `copy-${crypto.randomUUID()}`)
  await using file = await open(path, "wx")
  const done = await temp.store.copyTo(blob, file, signal)
  return done.ok ? new Uint8Array(await readFile(path)) : done.error.kind
}

test("contents come back as they were, for the current user only, and are written once", async () => {
  await using temp = await tempBlobs()
  for (const content of [new Uint8Array(), bytesOf("a\n"), noise(100_000), new Uint8Array(300_000)]) {
    const blob = await put(temp, content)
    expect(blob).toEqual({ hash: contentHash(content), size: content.length })
    expect(await temp.store.get(blob)).toEqual({ ok: true, value: content })
    expect(await copied(temp, blob)).toEqual(content)
    expect((await stat(pathOf(temp, blob))).mode & 0o777).toBe(0o600)
    const { ino } = await stat(pathOf(temp, blob))
    await put(temp, content)
    expect((await stat(pathOf(temp, blob))).ino).toBe(ino)
  }
  for (const name of await readdir(temp.directory))
    expect((await stat(join(temp.directory, name))).mode & 0o777).toBe(0o700)
  expect(await readdir(temp.store.files.incoming)).toEqual([])
})

test("what was never stored is evicted to its reader, and a file that cannot be read says so", async () => {
  await using temp = await tempBlobs()
  const blob = { hash: contentHash(bytesOf("x")), size: 1 }
  expect(await temp.store.get(blob)).toMatchObject({ ok: false, error: { kind: "evicted" } })
  expect(await copied(temp, blob)).toBe("evicted")
  expect(await temp.store.touch(blob.hash)).toBe(false)
  await mkdir(pathOf(temp, blob), { recursive: true })
  expect(await temp.store.get(blob)).toMatchObject({ ok: false, error: { kind: "io" } })
  expect(await copied(temp, blob)).toBe("io")
})

test("a flipped bit, a cut file and an empty one are damaged, and the next put mends them", async () => {
  await using temp = await tempBlobs()
  const content = bytesOf("some lines\n".repeat(20))
  const blob = await put(temp, content)
  const path = pathOf(temp, blob)
  const whole = await readFile(path)
  const broken = Array.from(whole.keys(), (at) => {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    return bytes
  })
  for (const bytes of [...broken, whole.subarray(0, 10), Buffer.alloc(0), Buffer.from("not zstd")]) {
    await writeFile(path, bytes)
    const got = await temp.store.get(blob)
    // The check sum of the frame and the bits that nobody reads do not change what comes out.
    if (got.ok) expect(got.value).toEqual(content)
    else expect(got.error.kind).toBe("damaged")
    const copy = await copied(temp, blob)
    if (typeof copy !== "string") expect(copy).toEqual(content)
    else expect(copy).toBe("damaged")
  }
  expect((await temp.store.get(blob)).ok).toBe(false)
  expect(await temp.another().put(content)).toEqual({ ok: true, value: blob })
  expect(await temp.store.get(blob)).toEqual({ ok: true, value: content })
})

test("a file is stored from disk, also when it does not fit in memory", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "file")
  for (const size of [0, 10, largestInMemory + 12_345]) {
    const content = noise(size)
    await writeFile(path, content)
    const stored = await temp.store.putFile(path, 100_000_000, signal)
    expect(stored).toEqual({ ok: true, value: { hash: contentHash(content), size } })
    if (!stored.ok) continue
    expect(await temp.store.get(stored.value)).toEqual({ ok: true, value: content })
    expect(await copied(temp, stored.value)).toEqual(content)
    expect(await temp.store.putFile(path, 100_000_000, signal)).toEqual(stored)
  }
  expect(await temp.files()).toHaveLength(3)
  const last = { hash: contentHash(noise(largestInMemory + 12_345)), size: largestInMemory + 12_345 }
  for (const form of ["zst", "raw"] as const) await truncate(temp.store.files.path(last.hash, form), 100).catch(() => 0)
  expect(await copied(temp, last)).toBe("damaged")
})

test("a large file is shared with its copy where the file system can do that, whatever its size", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "file")
  const size = largestInMemory + 12_345
  await writeFile(path, noise(size), { mode: 0o755 })
  // Where nothing can be shared, a copy stands for it: what happens to the file afterwards must not matter either.
  const store = createBlobStore(temp.directory, { now: Date.now }, (from, to) => copyFile(from, to))
  const stored = await store.putFile(path, 1_000, signal)
  expect(stored).toEqual({ ok: true, value: { hash: contentHash(noise(size)), size } })
  await truncate(path, 10)
  const blob = { hash: contentHash(noise(size)), size }
  expect(await temp.files()).toEqual([`${blob.hash.slice(0, 2)}/${blob.hash.slice(2)}.raw`])
  expect((await stat(store.files.path(blob.hash, "raw"))).mode & 0o777).toBe(0o600)
  expect(await temp.store.get(blob)).toEqual({ ok: true, value: noise(size) })
  expect(await copied(temp, blob)).toEqual(noise(size))
  expect(await temp.store.touch(blob.hash)).toBe(true)
  await writeFile(path, noise(size))
  expect(await temp.another().putFile(path, 100_000_000, signal)).toEqual(stored)
  expect(await temp.files()).toHaveLength(1)
  await truncate(store.files.path(blob.hash, "raw"), 100)
  expect(await copied(temp, blob)).toBe("damaged")
  const swapped = createBlobStore(temp.directory, { now: Date.now }, async (from, to) => {
    await copyFile(from, to)
    await rename(from, `${from}.away`)
    await writeFile(from, "another")
  })
  expect(await swapped.putFile(path, 1_000, signal)).toMatchObject({ ok: false, error: { kind: "changed" } })
  expect(await readdir(store.files.incoming)).toEqual([])
})

test("what is no file of the size that was said is refused, and leaves nothing behind", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "file")
  const refused = async (most = 1_000) => {
    const done = await temp.store.putFile(path, most, signal)
    return done.ok ? "ok" : done.error.kind
  }
  expect(await refused()).toBe("missing")
  await mkdir(path)
  expect(await refused()).toBe("directory")
  await rm(path, { recursive: true })
  await symlink("/etc/hostname", path)
  expect(await refused()).toBe("changed")
  await rm(path)
  Bun.spawnSync(["mkfifo", path])
  expect(await refused()).toBe("refused")
  await rm(path)
  await writeFile(path, noise(1_001))
  expect(await refused()).toBe("refused")
  expect(await refused(1_001)).toBe("ok")
  expect(await readdir(temp.store.files.incoming)).toEqual([])
})

test("a file that is written while it is read is not stored as if it were whole", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "log")
  await writeFile(path, noise(largestInMemory * 4))
  let growing = true
  const grow = async () => {
    while (growing) await appendFile(path, "more\n")
  }
  const grown = grow()
  const stored = await temp.store.putFile(path, 1_000_000_000, signal)
  growing = false
  await grown
  expect(stored).toMatchObject({ ok: false, error: { kind: "changed" } })
  expect(await temp.files()).toEqual([])
})

test("an interruption rejects with its reason and leaves nothing behind", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "file")
  await writeFile(path, noise(largestInMemory * 2))
  const group = new TaskGroup()
  const storing = temp.store.putFile(path, 1_000_000_000, group.signal)
  group.cancel(new Interrupted())
  expect(await storing.catch((error: unknown) => error)).toBe(group.signal.reason)
  expect(await temp.files()).toEqual([])
})

test.skipIf(!mountable)("a full disk is a failure that names the store, and leaves nothing behind", async () => {
  await onSmallDisk("1m", async (root) => {
    const temp = await tempBlobs(root)
    const blob = await put(temp, bytesOf("small"))
    const before = await temp.files()
    const full = await temp.store.put(noise(2_000_000))
    expect(full).toMatchObject({ ok: false, error: { kind: "io" } })
    expect(full.ok || full.error.message).toContain("no space left on the disk")
    await using outside = await tempBlobs()
    const path = join(outside.root, "large")
    await writeFile(path, noise(largestInMemory * 2))
    expect(await temp.store.putFile(path, 100_000_000, signal)).toMatchObject({ ok: false, error: { kind: "io" } })
    expect(await temp.files()).toEqual(before)
    expect((await temp.store.get(blob)).ok).toBe(true)
  })
})

test("a store that cannot be written is a failure", async () => {
  await using temp = await tempBlobs()
  await writeFile(temp.directory, "a file where the store should be")
  expect(await temp.store.put(bytesOf("x"))).toMatchObject({ ok: false })
})

test.skipIf(process.getuid?.() === 0)("a store without the right to write is a failure", async () => {
  await using temp = await tempBlobs()
  await mkdir(temp.directory, { mode: 0o500 })
  expect(await temp.store.put(bytesOf("x"))).toMatchObject({ ok: false, error: { kind: "io" } })
  await chmod(temp.directory, 0o700)
})

test("a store that is deleted while it is used begins again", async () => {
  await using temp = await tempBlobs()
  const blob = await put(temp, bytesOf("x"))
  await rm(temp.directory, { recursive: true })
  expect(await temp.store.get(blob)).toMatchObject({ ok: false, error: { kind: "evicted" } })
  await put(temp, bytesOf("x"))
  expect(await temp.store.get(blob)).toEqual({ ok: true, value: bytesOf("x") })
})

test("the same content at once, many times over", async () => {
  await using temp = await tempBlobs()
  const stores = [temp.store, temp.another(), temp.another()]
  const content = noise(200_000)
  const stored = await Promise.all(stores.flatMap((store) => Array.from({ length: 5 }, () => store.put(content))))
  expect(new Set(stored.map((each) => (each.ok ? each.value.hash : "failed")))).toEqual(new Set([contentHash(content)]))
  expect(await temp.files()).toHaveLength(1)
})
