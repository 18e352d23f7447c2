import { expect, test } from "bun:test"
import { stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { type TempBlobs, bytesOf, noise, tempBlobs } from "../../../test/history/temp-blobs.ts"
import { contentHash } from "../files.ts"
import { type CollectDeps, blobQuota, collect, grace, tidy } from "./collect.ts"

const { signal } = new TaskGroup()
const hour = 60 * 60 * 1_000

/** Sessions from the one that was used longest ago to the newest, each with the contents that it names. */
type Named = readonly (readonly [sessionID: string, contents: readonly Uint8Array[]])[]

function depsOf(temp: TempBlobs, named: Named, quota = blobQuota): CollectDeps {
  return {
    files: temp.store.files,
    clock: { now: () => Date.now() + temp.ahead },
    log: silentLog,
    quota,
    *references() {
      for (const [sessionID, contents] of named)
        for (const content of contents) yield { hash: contentHash(content), sessionID }
    },
  }
}

async function stored(temp: TempBlobs, ...contents: readonly Uint8Array[]): Promise<void> {
  for (const content of contents) expect((await temp.store.put(content)).ok).toBe(true)
}

/** Which of the contents are still there. */
async function left(temp: TempBlobs, contents: readonly Uint8Array[]): Promise<number[]> {
  const got = await Promise.all(
    contents.map((content) => temp.store.get({ hash: contentHash(content), size: content.length })),
  )
  return [...got.entries()].filter(([, each]) => each.ok).map(([at]) => at)
}

test("what nothing names goes after an hour, what is named stays", async () => {
  await using temp = await tempBlobs()
  const contents = ["named", "not named", "young"].map(bytesOf)
  await stored(temp, ...contents.slice(0, 2))
  const deps = depsOf(temp, [["ses_1", [contents[0]!]]])
  expect((await collect(deps, { dryRun: false, signal })).unreferenced.blobs).toBe(0)
  temp.ahead = 2 * hour
  await stored(temp, contents[2]!)
  await temp.store.touch(contentHash(contents[2]!))
  const only = await collect(deps, { dryRun: true, signal })
  expect(only).toMatchObject({ before: { blobs: 3 }, unreferenced: { blobs: 1 }, evicted: { blobs: 0 }, strays: 0 })
  expect(await left(temp, contents)).toEqual([0, 1, 2])
  expect(await collect(deps, { dryRun: false, signal })).toEqual(only)
  expect(await left(temp, contents)).toEqual([0, 2])
})

test("over the quota the contents of the session used longest ago go first, and no more than is needed", async () => {
  await using temp = await tempBlobs()
  const contents = [1, 2, 3, 4].map((seed) => noise(100_000, seed))
  const [first, second, shared, last] = contents as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  await stored(temp, ...contents)
  temp.ahead = 2 * hour
  const named: Named = [
    ["ses_old", [first, shared]],
    ["ses_mid", [second]],
    ["ses_new", [shared, last]],
  ]
  const all = await collect(depsOf(temp, named), { dryRun: true, signal })
  expect(all.evicted).toEqual({ blobs: 0, bytes: 0, sessions: 0 })
  expect(all.before.bytes).toBeGreaterThanOrEqual(400_000)
  const one = await collect(depsOf(temp, named, all.before.bytes - 1), { dryRun: false, signal })
  expect(one.evicted).toMatchObject({ blobs: 1, sessions: 1 })
  expect(await left(temp, contents)).toEqual([1, 2, 3])
  const two = await collect(depsOf(temp, named, all.before.bytes / 2), { dryRun: false, signal })
  expect(two.evicted).toMatchObject({ blobs: 1, sessions: 1 })
  expect(await left(temp, contents)).toEqual([2, 3])
  await collect(depsOf(temp, named, 0), { dryRun: false, signal })
  expect(await left(temp, contents)).toEqual([])
})

test("what nobody names goes before anything is evicted, and what is young is never evicted", async () => {
  await using temp = await tempBlobs()
  const contents = [1, 2].map((seed) => noise(50_000, seed))
  await stored(temp, ...contents)
  const named: Named = [["ses_1", [contents[0]!]]]
  expect((await collect(depsOf(temp, named, 0), { dryRun: false, signal })).evicted.blobs).toBe(0)
  expect(await left(temp, contents)).toEqual([0, 1])
  temp.ahead = 2 * hour
  const done = await collect(depsOf(temp, named, 60_000), { dryRun: false, signal })
  expect(done).toMatchObject({ unreferenced: { blobs: 1 }, evicted: { blobs: 0 } })
  expect(await left(temp, contents)).toEqual([0])
})

test("a content that is stored again while a collection runs is not lost", async () => {
  await using temp = await tempBlobs()
  const contents = Array.from({ length: 200 }, (_, seed) => bytesOf(`content ${seed}`))
  await stored(temp, ...contents)
  temp.ahead = 2 * hour
  const collecting = collect(depsOf(temp, []), { dryRun: false, signal })
  for (const content of contents) await stored(temp, content)
  await collecting
  expect(await left(temp, contents)).toHaveLength(contents.length)
})

test("a removal that was cut short is undone, and what is half-written goes when it is old", async () => {
  await using temp = await tempBlobs()
  const content = bytesOf("wanted")
  await stored(temp, content)
  const hash = contentHash(content)
  const { incoming } = temp.store.files
  const gone = join(incoming, `gone-${crypto.randomUUID()}-${hash}.zst`)
  await writeFile(gone, await Bun.file(temp.store.files.path(hash, "zst")).bytes())
  await Bun.file(temp.store.files.path(hash, "zst")).delete()
  await writeFile(join(incoming, "half"), "half a blob")
  const deps = depsOf(temp, [["ses_1", [content]]])
  await tidy(deps, signal)
  expect(await left(temp, [content])).toEqual([0])
  expect(await temp.files()).toContain("incoming/half")
  temp.ahead = grace + 60_000
  expect((await collect(deps, { dryRun: true, signal })).strays).toBe(1)
  await tidy(deps, signal)
  expect((await temp.files()).filter((path) => path.startsWith("incoming"))).toEqual([])
})

test("a start collects once a day, and only where there is a store", async () => {
  await using temp = await tempBlobs()
  let times = 0
  const deps: CollectDeps = {
    ...depsOf(temp, []),
    *references() {
      times++
      yield* []
    },
  }
  await tidy(deps, signal)
  expect(await stat(temp.directory).catch(() => "none")).toBe("none")
  await stored(temp, bytesOf("x"))
  await tidy(deps, signal)
  await tidy(deps, signal)
  expect(times).toBe(1)
  temp.ahead = 25 * hour
  await tidy(deps, signal)
  expect(times).toBe(2)
  expect(await temp.files()).toEqual(["collected"])
})

test("a start goes on when its store cannot be tidied, but not when it is interrupted", async () => {
  await using temp = await tempBlobs()
  await stored(temp, bytesOf("x"))
  const broken: CollectDeps = {
    ...depsOf(temp, []),
    *references() {
      yield* []
      throw new Error("the database is gone")
    },
  }
  await tidy(broken, signal)
  const group = new TaskGroup()
  group.cancel(new Interrupted())
  expect(await tidy(broken, group.signal).catch((error: unknown) => error)).toBeInstanceOf(Interrupted)
})

test("a store that is killed between any two writes holds what it said, and nothing half", async () => {
  await using temp = await tempBlobs()
  const said: { hash: string; size: number }[] = []
  for (let round = 0; round < 6; round++) {
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "../../../test/history/put-child.ts"), temp.directory],
      {
        stdout: "pipe",
      },
    )
    let text = ""
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      if (text.length > 800 * (round + 1)) break
    }
    child.kill("SIGKILL")
    await child.exited
    for (const line of text.split("\n").slice(0, -1)) said.push(JSON.parse(line) as { hash: string; size: number })
  }
  expect(said.length).toBeGreaterThan(100)
  const reader = temp.another()
  for (const blob of said) expect((await reader.get(blob)).ok).toBe(true)
  for (const path of await temp.files()) {
    if (path.startsWith("incoming")) continue
    const content = Bun.zstdDecompressSync(await Bun.file(join(temp.directory, path)).bytes())
    expect(`${contentHash(content).slice(0, 2)}/${contentHash(content).slice(2)}.zst`).toBe(path)
  }
  temp.ahead = 2 * hour
  await tidy(depsOf(temp, []), signal)
  expect(await temp.files()).toEqual(["collected"])
}, 60_000)
