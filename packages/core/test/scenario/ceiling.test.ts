import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

test("a session below one of plan is bound by it: what it may not do is refused, however its own agent is allowed it", async () => {
  const allow = { permission: { "*": "allow", edit: "allow", bash: "allow" } }
  await using made = await bench(
    [
      [text("A plan.")],
      [toolCall("write", { filePath: "a.txt", content: "x\n" }), toolCall("bash", { command: "touch b.txt" })],
      [text("Neither.")],
    ],
    { config: { ...allow, agent: { build: allow, plan: allow } } },
  )
  const top = await made.prompt("plan it", { agent: "plan" })
  const middle = await made.engine.createSession({ parentID: top.sessionID, agent: "build" })
  const child = await made.engine.createSession({ parentID: middle.id })
  await made.prompt("do it", { sessionID: child.id, agent: "build", asks: "auto" })
  const results = toolResults(made.server.requests.at(-1)!)
  expect(results).toHaveLength(2)
  for (const result of results) expect(JSON.stringify(result)).toContain("denied by the rule")
  for (const file of ["a.txt", "b.txt"]) expect(existsSync(`${made.workspace.dir}/${file}`)).toBe(false)
  expect(problemsOf(made, child.id)).toEqual([])
})

test("what the session above may not read is not shown by a search of the one below", async () => {
  await using made = await bench([[text("Hi.")], [toolCall("grep", { pattern: "needle" })], [text("Found.")]], {
    files: { "open.txt": "needle\n", "secret/key.txt": "needle\n" },
    config: { agent: { plan: { permission: { read: { "secret/*": "deny" } } } } },
  })
  const top = await made.prompt("plan", { agent: "plan" })
  const child = await made.engine.createSession({ parentID: top.sessionID })
  await made.prompt("search", { sessionID: child.id, agent: "build" })
  const [found] = toolResults(made.server.requests.at(-1)!)
  expect(JSON.stringify(found)).toContain("open.txt")
  expect(JSON.stringify(found)).not.toContain("key.txt")
})

test("an ask from below names its agent and every session above; a reject ends the turn of the one that asked", async () => {
  await using made = await bench([[text("Hi.")], [toolCall("bash", { command: "echo hi" })]], {
    config: { permission: { bash: "ask" } },
  })
  const top = await made.prompt("begin")
  const middle = await made.engine.createSession({ parentID: top.sessionID })
  const child = await made.engine.createSession({ parentID: middle.id })
  const seen: unknown[] = []
  made.engine.subscribe((event) => {
    if (event.type !== "permission.asked") return
    const { id, sessionID, metadata } = event.properties
    seen.push([sessionID, metadata["agent"], metadata["parents"]])
    queueMicrotask(() => made.engine.replyPermission(id, { reply: "reject" }))
  })
  expect(await made.prompt("go", { sessionID: child.id, asks: "wait" })).toMatchObject({ reason: "rejected" })
  expect(seen).toEqual([[child.id, "build", [middle.id, top.sessionID]]])
  expect(problemsOf(made, child.id)).toEqual([])
})

test("auto says yes to what is asked, but not to a protected path and not to a loop", async () => {
  const same = () => [toolCall("bash", { command: "echo same" })]
  await using made = await bench(
    [
      [toolCall("write", { filePath: ".git/hooks/pre-commit", content: "#!/bin/sh\n" })],
      [toolCall("bash", { command: "echo x >> .git/config" })],
      ...[same(), same(), same(), same()],
      [text("Stopped.")],
    ],
    { config: { permission: { "*": "allow", bash: "ask", edit: "allow" } } },
  )
  const config = await made.workspace.read(".git/config")
  const outcome = await made.prompt("go", { asks: "auto" })
  expect(outcome).toMatchObject({ reason: "loop_guard", denied: 2 })
  expect(existsSync(`${made.workspace.dir}/.git/hooks/pre-commit`)).toBe(false)
  expect(await made.workspace.read(".git/config")).toBe(config)
  const answers = made.log(outcome.sessionID).flatMap(({ event }) => {
    if (event.type === "permission.asked") return [event.properties.permission]
    return event.type === "permission.replied" ? [event.properties.reply] : []
  })
  expect(answers.slice(-2)).toEqual(["doom_loop", "reject"])
  expect(answers.filter((one) => one === "once").length).toBeGreaterThanOrEqual(3)
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})
