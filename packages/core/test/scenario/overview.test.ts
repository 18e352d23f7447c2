import { expect, test } from "bun:test"
import { text } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

test("a session begins with metadata and rules of its own, and both can be changed and put away", async () => {
  await using made = await bench([])
  const rule = { permission: "bash", pattern: "*", action: "deny" as const }
  const begun = await made.engine.createSession({ metadata: { from: "test" }, permission: [rule] })
  expect(made.engine.session(begun.id)).toMatchObject({ metadata: { from: "test" }, permission: [rule] })
  const changed = made.engine.updateSession(begun.id, { metadata: { by: "me" }, permission: [], archived: 17 })
  expect(changed).toMatchObject({ metadata: { by: "me" }, permission: [], time: { archived: 17 } })
  expect(made.engine.session(begun.id)).toEqual(changed)
  expect(made.engine.updateSession("ses_none", { title: "x" })).toBeUndefined()
  expect(await problemsOf(made, begun.id)).toEqual([])
})

test("the outcome names the message that holds the answer", async () => {
  await using made = await bench([[text("one")], [text("two")]])
  const first = await made.prompt("a")
  const second = await made.prompt("b", { sessionID: first.sessionID })
  const said = [first, second].map(({ messageID = "" }) => made.engine.message(first.sessionID, messageID)?.parts)
  expect(said.map((parts) => parts?.find((part) => part.type === "text"))).toMatchObject([
    { text: "one" },
    { text: "two" },
  ])
  expect(made.engine.message("ses_other", second.messageID ?? "")).toBeUndefined()
  expect(made.engine.statuses()).toEqual({})
})

test("the project of a directory is told, renamed, and known again after a restart", async () => {
  await using made = await bench([])
  const project = await made.engine.project()
  expect(project).toMatchObject({ worktree: made.workspace.dir, vcs: "git", sandboxes: [] })
  made.engine.updateProject(project.id, { name: "Mine", commands: { start: "make" } })
  const again = await made.restart()
  expect(await again.project()).toMatchObject({ id: project.id, name: "Mine", commands: { start: "make" } })
  expect(again.projects().map(({ id }) => id)).toEqual([project.id])
  const { id } = await again.createSession({})
  expect(await again.isOfProject(again.session(id)!)).toBe(true)
  expect(again.projectDirectories(project.id)).toEqual([made.workspace.dir])
  expect((await again.verify()).problems).toEqual([])
})
