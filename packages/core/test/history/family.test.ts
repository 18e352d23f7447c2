import { expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import { type SessionActor, sessionWorld } from "./session-world.ts"

const setup = "echo a > a; echo b > b; git init -q .; git add -A; git commit -qm first"
const texts = async (world: { tree(): Promise<ReadonlyMap<string, object>> }) =>
  Object.fromEntries([...(await world.tree())].map(([name, entry]) => [name, "text" in entry ? entry.text : "link"]))

/** A parent that ran one turn with two subagents, one of which had one of its own, and was alone in the turn before. */
async function family() {
  const world = await sessionWorld(setup)
  const turn = (kind: "started" | "ended", runID: string) => {
    const base = { sessionID: world.sessionID, runID, time: 1 }
    const event: DurableEvent =
      kind === "started"
        ? { type: "session.turn.started", properties: base }
        : { type: "session.turn.ended", properties: { ...base, reason: "done" } }
    world.append(event)
  }
  turn("started", "run_1")
  world.prompt()
  await world.write("a", "before\n")
  turn("ended", "run_1")
  turn("started", "run_2")
  world.prompt()
  await world.command("echo parent > parent")
  const child = world.another("ses_child", world.sessionID)
  child.prompt()
  await child.write("a", "child\n")
  const other = world.another("ses_other", world.sessionID)
  other.prompt()
  // Side by side: they belong together, so nobody has to tell whose it is.
  const [left, right] = [await child.begin("make"), await other.begin("make")]
  left.shell("echo left > left; rm b")
  right.shell("echo right > right")
  await left.finish()
  await right.finish()
  const grandchild: SessionActor = world.another("ses_grandchild", child.sessionID)
  grandchild.prompt()
  await grandchild.write("deep/er", "grandchild\n")
  turn("ended", "run_2")
  return { world, child }
}

const before = { a: "before\n", b: "b\n" }
const after = { a: "child\n", "deep/er": "grandchild\n", left: "left\n", parent: "parent\n", right: "right\n" }

test("the undo of a turn takes back what its subagents did, and a redo brings it again", async () => {
  const { world } = await family()
  await using _ = world
  expect(await texts(world)).toEqual(after)
  const report = await world.revert(1)
  expect(report.notes).toEqual([])
  expect(await texts(world)).toEqual(before)
  await world.unrevert()
  expect(await texts(world)).toEqual(after)
  await world.revert(0)
  expect(await texts(world)).toEqual({ a: "a\n", b: "b\n" })
  await world.revert(1)
  expect(await texts(world)).toEqual(before)
  expect(world.problems()).toEqual([])
})

test("after the next prompt it is gone for good: an undo further back does not do it again", async () => {
  const { world } = await family()
  await using _ = world
  await world.revert(1)
  world.prompt()
  await world.write("left", "mine\n")
  const report = await world.revert(0)
  expect(report.files.map(({ action, file }) => `${action} ${file}`)).toEqual(["restore a", "delete left"])
  expect(await texts(world)).toEqual({ a: "a\n", b: "b\n" })
  expect(world.problems()).toEqual([])
})

test("what the user lets a subagent's session do later is no part of the turn", async () => {
  const { world, child } = await family()
  await using _ = world
  child.prompt()
  await child.write("later", "later\n")
  await world.revert(1)
  expect(await texts(world)).toEqual({ ...before, later: "later\n" })
})
