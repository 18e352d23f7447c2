import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRunningCommands } from "./running-commands.ts"

let directory = ""
let now = 0
let dead = new Set<number>()
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "cairn-running-")), "running")
  now = 1_000_000
  dead = new Set()
})
afterEach(() => rm(join(directory, ".."), { recursive: true }))

/** As another process has it. */
const another = () => createRunningCommands(directory, { now: () => now }, (pid) => !dead.has(pid))
const command = (root: string, worktree = "/w") => ({ root, worktree })
const roots = async (of: { others(): Promise<readonly { root: string }[]> }) =>
  (await of.others()).map(({ root }) => root).toSorted()

test("commands of other sessions in the same tree are seen, running and ended, and no others", async () => {
  const before = await another().announce(command("ses_before"))
  now += 10
  await before.end(now)
  now += 10
  const own = await another().announce(command("ses_own"))
  await another().announce(command("ses_own"))
  await another().announce(command("ses_elsewhere", "/other"))
  await another().announce(command("ses_above", "/"))
  const short = await another().announce(command("ses_below", "/w/sub"))
  now += 10
  await short.end(now)
  expect(await roots(own)).toEqual(["ses_above", "ses_below"])
  expect(await own.others()).toContainEqual({
    ...command("ses_above", "/"),
    pid: process.pid,
    from: 1_000_020,
  })
})

test("what ended goes once nobody is left who ran beside it", async () => {
  const [first, second] = [await another().announce(command("a")), await another().announce(command("b"))]
  now += 10
  await first.end(now)
  expect(await readdir(directory)).toHaveLength(2)
  now += 10
  await second.end(now)
  now += 10
  const third = await another().announce(command("c"))
  now += 10
  await third.end(now)
  expect(await readdir(directory)).toHaveLength(0)
})

test("what a dead process left, what is too old and what is damaged is nobody's", async () => {
  const own = await another().announce(command("own"))
  dead.add(process.pid)
  await another().announce(command("dead"))
  expect(await roots(own)).toEqual([])
  dead.clear()
  expect(await roots(own)).toEqual(["dead"])
  await writeFile(join(directory, "damaged.json"), "{")
  await writeFile(join(directory, "foreign"), "")
  now += 16 * 60 * 1_000
  expect(await roots(own)).toEqual([])
})

test("where nothing can be written, nobody knows of it, and that is no error", async () => {
  await writeFile(directory, "a file where the directory should be")
  const own = await another().announce(command("own"))
  expect(await own.others()).toEqual([])
  await own.end(now)
})
