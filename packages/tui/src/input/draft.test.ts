import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TestClock } from "@cairn/testkit/clock"
import { draftDirectory, type DraftPlace, Drafts } from "./draft.ts"
import type { PromptText } from "./prompt-text.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cairn-draft-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const prompt = (text: string): PromptText => ({ text, chips: [] })

/** A place that notes what was written, in order. */
function noted(fail = false): DraftPlace & { readonly log: string[] } {
  const log: string[] = []
  return {
    log,
    read: async () => undefined,
    list: async () => [],
    remove: async (name) => void log.push(`-${name}`),
    write: async (name, text) => {
      if (fail) throw new Error("disk full")
      log.push(`${name}=${text}`)
    },
  }
}

test("a draft is written when the keys rest for 300 ms, once", async () => {
  const clock = new TestClock()
  const place = noted()
  const drafts = new Drafts(place, clock, () => undefined)
  for (const text of ["a", "ab", "abc"]) {
    drafts.changed("ses_1", prompt(text))
    await clock.advance(200)
  }
  expect(place.log).toEqual([])
  await clock.advance(100)
  await drafts.flush()
  expect(place.log).toEqual(["ses_1=abc"])
  expect(clock.pending).toBe(0)
})

test("what waits is written when it is asked for, each for itself; an emptied one is removed", async () => {
  const clock = new TestClock()
  const place = noted()
  const drafts = new Drafts(place, clock, () => undefined)
  drafts.changed("one", prompt("1"))
  drafts.changed("two", prompt("2"))
  drafts.changed("one", prompt(""))
  await drafts.flush()
  expect(place.log).toEqual(["-one", "two=2"])
  expect(clock.pending).toBe(0)
})

test("a disk that is full stops nobody from writing on", async () => {
  const failures: unknown[] = []
  const drafts = new Drafts(noted(true), new TestClock(), (error) => void failures.push(error))
  drafts.changed("one", prompt("1"))
  await drafts.flush()
  drafts.changed("one", prompt("12"))
  await drafts.flush()
  expect(failures).toHaveLength(2)
})

test("on the disk: for this user alone, under any name, and gone when removed", async () => {
  const place = draftDirectory(join(folder, "drafts"))
  for (const name of ["ses_1", "../evil", "a/b", "..", "ü & co"]) await place.write(name, `text of ${name}`)
  expect(await place.read("../evil")).toBe("text of ../evil")
  expect((await place.list()).toSorted()).toEqual(["../evil", "..", "a/b", "ses_1", "ü & co"].toSorted())
  expect(await readdir(folder)).toEqual(["drafts"])
  if (process.platform !== "win32") expect((await stat(join(folder, "drafts/ses_1.txt"))).mode & 0o777).toBe(0o600)
  await place.remove("ses_1")
  await place.remove("ses_1")
  expect(await place.read("ses_1")).toBeUndefined()
})
