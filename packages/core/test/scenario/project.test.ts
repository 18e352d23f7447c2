import { cp, mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { text } from "@cairn/testkit/scenario"
import { createEngine } from "../../src/app.ts"
import type { Engine } from "@cairn/schema/engine"
import { type Bench, bench } from "./harness.ts"

async function open(made: Bench, directory: string): Promise<Engine> {
  const engine = await createEngine({ ...made.options, directory })
  if (!engine.ok) throw new Error(engine.error.message)
  return engine.value
}
const titles = async (engine: Engine, scope: "directory" | "project") =>
  (await engine.sessions({ scope })).map((session) => session.title)

test("a project that was moved keeps its sessions; a second checkout sees them with --all only", async () => {
  await using made = await bench([[text("a")], [text("b")]], { files: { "a.txt": "one\n" } })
  await made.prompt("first")
  const { dir } = made.workspace
  const copy = join(made.workspace.home, "copy")
  await cp(dir, copy, { recursive: true })
  {
    await using second = await open(made, copy)
    expect(await titles(second, "directory")).toEqual([])
    expect(await titles(second, "project")).toEqual(["first"])
  }
  const moved = join(made.workspace.home, "moved")
  await rename(dir, moved)
  {
    await using after = await open(made, moved)
    expect(await titles(after, "directory")).toEqual(["first"])
  }
  await mkdir(dir)
})

test("a linked worktree belongs to the same project", async () => {
  await using made = await bench([[text("a")]], { files: { "a.txt": "one\n" } })
  await made.prompt("in the main tree")
  const linked = join(made.workspace.home, "linked")
  await made.workspace.git(["worktree", "add", "-q", linked])
  await using engine = await open(made, linked)
  expect(await titles(engine, "directory")).toEqual([])
  expect(await titles(engine, "project")).toEqual(["in the main tree"])
})

test("sessions from before the first commit stay with the project", async () => {
  await using made = await bench([[text("a")], [text("b")]])
  const fresh = join(made.workspace.home, "fresh")
  await mkdir(fresh)
  await made.workspace.git(["init", "-q", fresh])
  const say = async (engine: Engine, words: string) => {
    const { id } = await engine.createSession({})
    const parts = [{ type: "text" as const, text: words }]
    expect(
      await engine.prompt({ sessionID: id, parts, model: { providerID: "test", modelID: "scripted" } }),
    ).toMatchObject({ ok: true })
    return engine.session(id)!.projectID
  }
  let before: string
  {
    await using engine = await open(made, fresh)
    before = await say(engine, "no commit yet")
    await engine.sessions({ scope: "project" })
  }
  await made.workspace.git(["-C", fresh, "commit", "-q", "--allow-empty", "-m", "root"])
  {
    await using engine = await open(made, fresh)
    expect(await titles(engine, "project")).toEqual(["no commit yet"])
    expect(await say(engine, "with a commit")).not.toBe(before)
    expect(await titles(engine, "project")).toEqual(["with a commit", "no commit yet"])
    expect((await engine.verify()).problems).toEqual([])
  }
})

test("outside of git a directory is its own project", async () => {
  await using made = await bench([[text("a")]])
  const plain = join(made.workspace.home, "plain")
  await mkdir(plain)
  await using engine = await open(made, plain)
  await engine.createSession({ title: "here" })
  expect(await titles(engine, "project")).toEqual(["here"])
  await rm(plain, { recursive: true })
})
