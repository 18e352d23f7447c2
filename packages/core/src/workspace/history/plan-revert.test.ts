import { describe, expect, test } from "bun:test"
import type { FileState } from "@cairn/schema/history"
import { MemoryWorld, textFile } from "../../../test/history/memory-world.ts"
import { contentHash } from "../files.ts"
import { planRevert } from "./plan-revert.ts"

/** A world in which the user has these files. */
function worldOf(files: Record<string, string>): MemoryWorld {
  const world = new MemoryWorld()
  for (const [path, text] of Object.entries(files)) world.put(path, textFile(text))
  return world
}

/** Reverts everything and says what the plan was, with the reason where there is one. */
async function reverted(world: MemoryWorld): Promise<string[]> {
  const plans = await planRevert(world.journal, world)
  world.apply(plans)
  return plans.map((plan) => `${plan.action} ${plan.path}${"reason" in plan ? `: ${plan.reason}` : ""}`)
}

describe("a file that nobody else changed goes back to where the agent found it", () => {
  test("whatever happened to it on the way", async () => {
    const world = worldOf({ edited: "one\n", deleted: "x\n", again: "a\n" })
    world.agent("edited", textFile("two\n"))
    world.agent("edited", textFile("three\n"))
    world.agent("made", textFile("new\n"))
    world.agent("made", textFile("newer\n"))
    world.agent("deleted", undefined)
    world.agent("again", undefined)
    world.agent("again", textFile("b\n", 0o755))
    world.agent("gone", textFile("temporary\n"))
    world.agent("gone", undefined)
    expect(await reverted(world)).toEqual([
      ...["restore edited", "delete made", "restore deleted", "restore again", "unchanged gone"],
    ])
    expect(Object.fromEntries([...world.files.keys()].map((path) => [path, world.text(path)]))).toEqual({
      ...{ edited: "one\n", deleted: "x\n", again: "a\n" },
    })
    expect(world.files.get("again")?.mode).toBe(0o644)
  })

  test("binary files and links too", async () => {
    const world = new MemoryWorld()
    const image = { bytes: new Uint8Array([0, 1, 2]), mode: 0o600 }
    world.put("image", image)
    world.agent("image", { bytes: new Uint8Array([0, 9]), mode: 0o600 })
    expect(await reverted(world)).toEqual(["restore image"])
    expect(world.files.get("image")).toEqual(image)
    const link: FileState = { kind: "symlink", target: "image" }
    const absent: FileState = { kind: "absent" }
    world.others.set("link", link)
    const [plan] = await planRevert([{ path: "link", before: absent, after: link }], world)
    expect(plan).toMatchObject({ action: "delete" })
    const [other] = await planRevert(
      [{ path: "link", before: { kind: "symlink", target: "else" }, after: link }],
      world,
    )
    expect(other).toMatchObject({ action: "restore", target: { state: { kind: "symlink", target: "else" } } })
    const elsewhere: FileState = { kind: "symlink", target: "moved" }
    const [changed] = await planRevert([{ path: "link", before: absent, after: elsewhere }], world)
    expect(changed).toMatchObject({ action: "conflict", reason: "it was changed since" })
  })

  test("with the directory that was made for it", async () => {
    const world = new MemoryWorld()
    world.agent("a/b/c", textFile("x\n"))
    const journal = world.journal.map((change) => ({ ...change, madeDirectory: "a" }))
    expect(await planRevert(journal, world)).toMatchObject([{ action: "delete", madeDirectory: "a" }])
  })

  test("what is there already is left as it is", async () => {
    const world = worldOf({ a: "one\n", b: "b\n" })
    world.agent("a", textFile("two\n"))
    world.agent("b", undefined)
    world.put("a", textFile("one\n"))
    world.put("b", textFile("b\n"))
    world.contents.clear()
    expect(await reverted(world)).toEqual(["unchanged a", "unchanged b"])
  })
})

describe("what the user changed since stays", () => {
  const ten = Array.from({ length: 10 }, (_, n) => `line ${n}\n`)
  const withLine = (at: number, text: string) => ten.with(at, text).join("")

  test("lines of their own, merged", async () => {
    const world = worldOf({ a: ten.join("") })
    world.agent("a", textFile(withLine(2, "agent\n")))
    world.put("a", textFile(world.text("a")!.replace("line 7\n", "user\n")))
    expect(await reverted(world)).toEqual(["merge a"])
    expect(world.text("a")).toBe(withLine(7, "user\n"))
  })

  test("also between two changes of the agent", async () => {
    const world = worldOf({ a: ten.join("") })
    world.agent("a", textFile(withLine(1, "agent\n")))
    world.put("a", textFile(world.text("a")!.replace("line 5\n", "user\n")))
    world.agent("a", textFile(world.text("a")!.replace("line 9\n", "agent again\n")))
    expect(await reverted(world)).toEqual(["merge a"])
    expect(world.text("a")).toBe(withLine(5, "user\n"))
  })

  test("in a file of another encoding, byte by byte", async () => {
    const world = new MemoryWorld()
    const latin = (text: string) => ({ bytes: Buffer.from(text, "latin1"), mode: 0o644 })
    world.put("a", latin("é\nb\nc\nd\ne\n"))
    world.agent("a", latin("é\nb\nc\nd\nE\n"))
    world.put("a", latin("ü\nb\nc\nd\nE\n"))
    expect(await reverted(world)).toEqual(["merge a"])
    expect(Buffer.from(world.files.get("a")!.bytes)).toEqual(Buffer.from("ü\nb\nc\nd\ne\n", "latin1"))
  })

  test("the same lines are a conflict, and the file is left alone", async () => {
    const world = worldOf({ a: ten.join(""), other: "x\n" })
    world.agent("a", textFile(withLine(2, "agent\n")))
    world.agent("other", textFile("y\n"))
    world.put("a", textFile(withLine(2, "agent, and the user\n")))
    expect(await reverted(world)).toEqual(["conflict a: the same lines were changed since", "restore other"])
    expect(world.text("a")).toBe(withLine(2, "agent, and the user\n"))
  })

  test("a file that the user deleted, made again, or went on with", async () => {
    const world = worldOf({ deleted: "1\n", again: "2\n" })
    world.agent("deleted", textFile("one\n"))
    world.put("deleted", undefined)
    world.agent("again", undefined)
    world.put("again", textFile("another\n"))
    world.agent("made", textFile("agent\n"))
    world.put("made", textFile("agent\nuser\n"))
    expect(await reverted(world)).toEqual([
      "conflict deleted: it was deleted since",
      "conflict again: it was created again since",
      "conflict made: it was changed since",
    ])
    expect([world.text("deleted"), world.text("again"), world.text("made")]).toEqual([
      ...[undefined, "another\n", "agent\nuser\n"],
    ])
  })

  test("the mode, while the content goes back", async () => {
    const world = worldOf({ a: "one\n", b: "one\n", c: "one\n" })
    for (const path of ["a", "b", "c"]) world.agent(path, textFile("two\n", path === "b" ? 0o755 : 0o644))
    world.put("a", textFile("two\n", 0o600))
    world.put("c", textFile("one\n", 0o600))
    expect(await reverted(world)).toEqual(["restore a", "restore b", "unchanged c"])
    expect([world.files.get("a"), world.files.get("b"), world.files.get("c")]).toEqual([
      ...[textFile("one\n", 0o600), textFile("one\n", 0o644), textFile("one\n", 0o600)],
    ])
  })

  test("a binary file that both changed, and what is no file any more", async () => {
    const world = new MemoryWorld()
    const binary = (...bytes: number[]) => ({ bytes: new Uint8Array([0, ...bytes]), mode: 0o644 })
    world.put("image", binary(1))
    world.agent("image", binary(2))
    world.put("image", binary(3))
    world.put("dir", textFile("x\n"))
    world.agent("dir", textFile("y\n"))
    world.put("dir", undefined)
    world.others.set("dir", { kind: "not_covered", reason: "a pipe" })
    expect(await reverted(world)).toEqual([
      "conflict image: it was changed since, and it is binary or too large to be merged",
      "conflict dir: it is not the file any more that it was (a pipe)",
    ])
  })
})

test("a file makes room for what was below its name, and comes back when that goes", async () => {
  const world = worldOf({ a: "file\n", b: "file\n" })
  for (const path of ["a", "b"]) {
    world.agent(path, undefined)
    world.agent(`${path}/inside`, textFile("inside\n"))
    world.others.set(path, { kind: "directory" })
  }
  world.put("b/users", textFile("own\n"))
  expect(await reverted(world)).toEqual([
    "restore a",
    "delete a/inside",
    "conflict b: a directory with other files stands there now",
    "delete b/inside",
  ])
})

describe("what is not covered is named", () => {
  const file = (text: string) => {
    const { bytes, mode } = textFile(text)
    return { kind: "file" as const, hash: contentHash(bytes), size: bytes.length, mode }
  }
  const large: FileState = { kind: "not_covered", reason: "larger than 10 MB" }

  test("a state that could not be kept, before or after", async () => {
    const world = worldOf({ a: "one\n", b: "one\n" })
    const plans = await planRevert(
      [
        { path: "a", before: large, after: file("one\n") },
        { path: "b", before: file("zero\n"), after: large },
      ],
      world,
    )
    expect(plans).toMatchObject([
      { action: "not_covered", reason: "larger than 10 MB" },
      { action: "not_covered", reason: "larger than 10 MB" },
    ])
  })

  test("a content that was evicted, for a file that goes back and for a merge", async () => {
    const world = worldOf({ a: "one\n", b: "1\n2\n3\n", c: "x\n" })
    for (const [path, text] of Object.entries({ a: "two\n", b: "1\n2\n4\n", c: "y\n" }))
      world.agent(path, textFile(text))
    world.put("b", textFile("0\n2\n4\n"))
    for (const text of ["one\n", "1\n2\n4\n"]) world.contents.delete(file(text).hash)
    expect(await reverted(world)).toEqual(["not_covered a: evicted", "not_covered b: evicted", "restore c"])
  })

  test("but what lies between two states that are there is not needed", async () => {
    const world = worldOf({ a: "one\n" })
    for (const text of ["two\n", "three\n", "four\n"]) world.agent("a", textFile(text))
    for (const text of ["two\n", "three\n", "four\n"]) world.contents.delete(file(text).hash)
    expect(await reverted(world)).toEqual(["restore a"])
    expect(world.text("a")).toBe("one\n")
  })

  test("a file that changes while it is read is left alone", async () => {
    const world = worldOf({ a: "1\n2\n3\n" })
    world.agent("a", textFile("1\n2\n4\n"))
    world.put("a", textFile("0\n2\n4\n"))
    world.currentBytes = async () => ({ ok: false, error: "it was changed while it was read" })
    expect(await reverted(world)).toEqual(["conflict a: it was changed while it was read"])
  })
})
