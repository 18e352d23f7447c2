import { expect, test } from "bun:test"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { KeyedLock } from "@cairn/kernel/lock"
import { silentLog } from "@cairn/kernel/log"
import type { FileState, RevertRecord } from "@cairn/schema/history"
import { type TempBlobs, bytesOf, tempBlobs } from "../../test/history/temp-blobs.ts"
import { createWriteOperations, type WriteOperations } from "../workspace/atomic-write.ts"
import { applyRecord, removeTemps } from "./revert-apply.ts"

const absent: FileState = { kind: "absent" }

async function state(temp: TempBlobs, text: string): Promise<FileState> {
  const stored = await temp.store.put(bytesOf(text))
  if (!stored.ok) throw new Error(stored.error.message)
  return { kind: "file", ...stored.value, mode: 0o644 }
}

/** A record that takes three files from "new" to "old". */
async function recordOf(temp: TempBlobs): Promise<RevertRecord> {
  const [before, after] = [await state(temp, "new\n"), await state(temp, "old\n")]
  const files = ["a", "b", "c"].map((name) => ({ path: join(temp.root, name), before, after }))
  for (const { path } of files) await writeFile(path, "new\n")
  return { id: "rev_1", kind: "revert", messageID: "msg_1", files }
}

const depsOf = (temp: TempBlobs, operations: WriteOperations = createWriteOperations()) => ({
  ...{ log: silentLog, blobs: temp.store, locks: new KeyedLock(), operations },
})

const texts = (temp: TempBlobs) =>
  Promise.all(["a", "b", "c"].map((name) => readFile(join(temp.root, name), "utf8").catch(() => "none")))

/** Operations that fail for one name, after `meanwhile` was done. */
function failing(name: string, meanwhile = async () => {}): WriteOperations {
  const operations = createWriteOperations()
  return {
    ...operations,
    rename: async (from, to) => {
      if (!String(to).endsWith(`/${name}`)) return await operations.rename(from, to)
      await meanwhile()
      throw Object.assign(new Error("no space"), { code: "ENOSPC" })
    },
  }
}

test("every file is written, and doing it again changes nothing", async () => {
  await using temp = await tempBlobs()
  const record = await recordOf(temp)
  expect(await applyRecord(depsOf(temp), record)).toEqual({ outcome: "done", left: [] })
  expect(await texts(temp)).toEqual(["old\n", "old\n", "old\n"])
  expect(await applyRecord(depsOf(temp), record)).toEqual({ outcome: "done", left: [] })
})

test("a file that cannot be written takes the others back", async () => {
  await using temp = await tempBlobs()
  const record = await recordOf(temp)
  const done = await applyRecord(depsOf(temp, failing("c")), record)
  expect(done.outcome).toBe("rolled_back")
  expect(done.problem).toContain("no space left on the disk")
  expect(done.problem).toEndWith("All files are as before.")
  expect(await texts(temp)).toEqual(["new\n", "new\n", "new\n"])
  expect((await readdir(temp.root)).filter((name) => name.startsWith(".cairn"))).toEqual([])
})

test("what somebody changed meanwhile is left, also on the way back", async () => {
  await using temp = await tempBlobs()
  const record = await recordOf(temp)
  await writeFile(join(temp.root, "b"), "user\n")
  expect(await applyRecord(depsOf(temp), record)).toEqual({ outcome: "done", left: [join(temp.root, "b")] })
  expect(await texts(temp)).toEqual(["old\n", "user\n", "old\n"])
  const again = await recordOf(temp)
  const meanwhile = () => writeFile(join(temp.root, "a"), "user\n")
  const done = await applyRecord(depsOf(temp, failing("c", meanwhile)), again)
  expect(done.problem).toContain(`All files are as before, except: ${join(temp.root, "a")} was changed`)
  expect(await texts(temp)).toEqual(["user\n", "new\n", "new\n"])
})

test("directories that were made for what goes, go too", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "made", "deep", "file")
  await mkdir(join(temp.root, "made", "deep"), { recursive: true })
  await writeFile(path, "new\n")
  const file = { path, before: await state(temp, "new\n"), after: absent, madeDirectory: join(temp.root, "made") }
  await applyRecord(depsOf(temp), { id: "rev_1", kind: "revert", messageID: "msg_1", files: [file] })
  expect(await readdir(temp.root)).toEqual(["blob"])
})

test("temp files of a dead revert go, those of others stay", async () => {
  await using temp = await tempBlobs()
  const record = await recordOf(temp)
  for (const name of [".cairn-rev_1-0.tmp", ".cairn-rev_1-17.tmp", ".cairn-rev_11-0.tmp", ".cairn-other.tmp"])
    await writeFile(join(temp.root, name), "")
  await removeTemps(record)
  const left = (await readdir(temp.root)).filter((name) => name.startsWith(".cairn"))
  expect(left.toSorted()).toEqual([".cairn-other.tmp", ".cairn-rev_11-0.tmp"])
})
