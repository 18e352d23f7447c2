import { largestText } from "../files.ts"
import { describe, expect, test } from "bun:test"
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { TaskGroup } from "@cairn/kernel/task"
import type { FileState } from "@cairn/schema/history"
import { type TempBlobs, bytesOf, noise, tempBlobs } from "../../../test/history/temp-blobs.ts"
import { createWriteOperations } from "../atomic-write.ts"
import { applyState } from "./apply.ts"
import { keep, lookAt } from "./capture.ts"

const { signal } = new TaskGroup()
const absent: FileState = { kind: "absent" }
const link = (target: string): FileState => ({ kind: "symlink", target })

/** The state of a file with this content, which is stored. */
async function file(temp: TempBlobs, content: string | Uint8Array, mode = 0o644): Promise<FileState> {
  const stored = await temp.store.put(typeof content === "string" ? bytesOf(content) : content)
  if (!stored.ok) throw new Error(stored.error.message)
  return { kind: "file", ...stored.value, mode }
}

/** Puts a state at a path by hand. */
async function place(temp: TempBlobs, path: string, state: FileState): Promise<void> {
  await rm(path, { force: true, recursive: true })
  await mkdir(dirname(path), { recursive: true })
  if (state.kind === "symlink") await symlink(state.target, path)
  if (state.kind !== "file") return
  const bytes = await temp.store.get(state)
  if (!bytes.ok) throw new Error(bytes.error.message)
  await writeFile(path, bytes.value)
  await chmod(path, state.mode)
}

/** "done", or the kind of the failure. */
async function applied(temp: TempBlobs, path: string, before: FileState, after: FileState): Promise<string> {
  const deps = { blobs: temp.store, operations: createWriteOperations() }
  const done = await applyState({ path, before, after }, deps, signal)
  return done.ok ? "done" : done.error.kind
}

test("every state becomes every other, and again the first", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "work", "deep", "file")
  const large = noise(largestText + 10)
  const states = [
    absent,
    await file(temp, "text\n"),
    await file(temp, "text\n", 0o755),
    await file(temp, "other\n", 0o600),
    await file(temp, large),
    await file(temp, large, 0o700),
    link("elsewhere"),
    link("nowhere"),
  ]
  for (const [from, before] of states.entries())
    for (const [to, after] of states.entries()) {
      await place(temp, path, before)
      expect([from, to, await applied(temp, path, before, after)]).toEqual([from, to, "done"])
      expect([from, to, await lookAt(path, signal)]).toEqual([from, to, after])
      expect([from, to, await applied(temp, path, before, after)]).toEqual([from, to, "done"])
      const left = after.kind === "absent" ? [] : ["file"]
      expect(await readdir(dirname(path)).catch(() => [])).toEqual(left)
    }
}, 60_000)

test("what is neither the one nor the other is not touched", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "file")
  const [before, after] = [await file(temp, "before\n"), await file(temp, "after\n")]
  for (const now of [absent, link("x"), await file(temp, "user\n"), await file(temp, "before\n", 0o600)]) {
    await place(temp, path, now)
    const goals: readonly FileState[] = [after, absent, link("y")]
    for (const goal of goals) {
      if (goal === absent && now === absent) continue
      expect(await applied(temp, path, before, goal)).toBe("changed")
      expect(await lookAt(path, signal)).toEqual(now)
    }
  }
  await rm(path, { force: true })
  await mkdir(path)
  expect(await applied(temp, path, before, after)).toBe("changed")
})

test("a content that was put and whose mode was not is finished", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "run")
  const [before, after] = [await file(temp, "before\n"), await file(temp, "after\n", 0o755)]
  await place(temp, path, await file(temp, "after\n", 0o644))
  expect(await applied(temp, path, before, after)).toBe("done")
  expect((await stat(path)).mode & 0o777).toBe(0o755)
})

test("a content that is lost is a failure, and what is there stays", async () => {
  await using temp = await tempBlobs()
  const path = join(temp.root, "file")
  const before = await file(temp, "before\n")
  const lost: FileState = { kind: "file", hash: "0".repeat(64), size: 3, mode: 0o644 }
  await place(temp, path, before)
  expect(await applied(temp, path, before, lost)).toBe("io")
  expect(await applied(temp, path, before, { ...lost, size: largestText + 1 })).toBe("io")
  expect(await readFile(path, "utf8")).toBe("before\n")
  expect((await readdir(temp.root)).toSorted()).toEqual(["blob", "file"])
})

describe("a path that leads elsewhere by now", () => {
  test("is not followed", async () => {
    await using temp = await tempBlobs()
    const [inside, outside] = [join(temp.root, "inside"), join(temp.root, "outside")]
    await mkdir(outside)
    await writeFile(join(outside, "file"), "before\n")
    await symlink(outside, inside)
    const before = await file(temp, "before\n")
    expect(await lookAt(join(inside, "file"), signal)).toEqual({
      kind: "not_covered",
      reason: `its directory leads to ${outside} now`,
    })
    expect(await applied(temp, join(inside, "file"), before, absent)).toBe("changed")
    expect(await applied(temp, join(inside, "new"), absent, before)).toBe("changed")
    expect(await readdir(outside)).toEqual(["file"])
  })

  test("the last link is not followed either", async () => {
    await using temp = await tempBlobs()
    const [target, path] = [join(temp.root, "target"), join(temp.root, "path")]
    await writeFile(target, "target\n")
    await symlink(target, path)
    expect(await applied(temp, path, link(target), await file(temp, "file\n"))).toBe("done")
    expect(await readFile(target, "utf8")).toBe("target\n")
    expect((await lstat(path)).isFile()).toBe(true)
  })
})

test("what stands at a path is named, and kept where it is a file", async () => {
  await using temp = await tempBlobs()
  const at = (name: string) => join(temp.root, name)
  await writeFile(at("file"), "text\n", { mode: 0o640 })
  await symlink("file", at("link"))
  await mkdir(at("dir"))
  Bun.spawnSync(["mkfifo", at("pipe")])
  const kept = async (name: string, most = 100) => {
    const state = await keep(at(name), temp.store, { most, signal })
    if (!state.ok) throw new Error(state.error.message)
    return state.value
  }
  expect(await kept("file")).toEqual(await file(temp, "text\n", 0o640))
  expect(await lookAt(at("file"), signal)).toEqual(await kept("file"))
  expect(await kept("link")).toEqual(link("file"))
  expect(await kept("missing")).toEqual(absent)
  expect(await kept("file/below")).toEqual(absent)
  expect(await kept("dir")).toEqual({ kind: "directory" })
  expect(await kept("pipe")).toEqual({ kind: "not_covered", reason: "no regular file" })
  expect(await kept("file", 3)).toMatchObject({ kind: "not_covered" })
  await rm(join(temp.directory, "incoming"), { recursive: true })
  await writeFile(join(temp.directory, "incoming"), "")
  await writeFile(at("file"), "something new\n")
  expect(await keep(at("file"), temp.store, { most: 100, signal })).toMatchObject({ ok: false, error: { kind: "io" } })
})
