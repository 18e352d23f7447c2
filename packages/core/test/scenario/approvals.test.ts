import { expect, test } from "bun:test"
import type { PermissionReply } from "@cairn/schema/permission"
import { text, toolCall } from "@cairn/testkit/scenario"
import { createEngine } from "../../src/app.ts"
import type { Engine } from "@cairn/schema/engine"
import { bench, problemsOf } from "./harness.ts"

const config = { permission: { bash: "ask" } }
const make = (target: string) => [toolCall("bash", { command: `npm run ${target}` }), text(`${target}.`)]

/** Answers every ask of an engine, and counts them. */
function answering(engine: Engine, reply: PermissionReply): { asked: number } {
  const count = { asked: 0 }
  engine.subscribe((event) => {
    if (event.type !== "permission.asked") return
    count.asked++
    queueMicrotask(() => engine.replyPermission(event.properties.id, reply))
  })
  return count
}

async function another(options: Parameters<typeof createEngine>[0]): Promise<Engine> {
  const opened = await createEngine(options)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

test("an approval is listed, survives a restart, and is removed under the feet of the engine that uses it", async () => {
  await using made = await bench(
    [...make("a"), ...make("b"), ...make("c"), ...make("d")].map((reply) => [reply]),
    {
      config,
    },
  )
  let count = answering(made.engine, { reply: "always" })
  const { sessionID } = await made.prompt("a", { asks: "wait" })
  expect(count.asked).toBe(1)
  const [approval, ...more] = await made.engine.approvals()
  expect(more).toEqual([])
  expect(approval).toEqual({
    id: expect.stringMatching(/^per_/) as string,
    sessionID,
    scope: "session",
    permission: "bash",
    patterns: ["npm run a *"],
  })
  expect(await made.engine.approvals({ scope: "project" })).toEqual([])
  expect(await made.engine.approvals({ sessionID })).toEqual([approval!])
  expect(await made.engine.approvals({ sessionID: "ses_other" })).toEqual([])

  await made.restart()
  count = answering(made.engine, { reply: "once" })
  expect(await made.engine.approvals()).toEqual([approval!])
  expect(await made.engine.removeApprovals([approval!.id, "per_unknown"])).toMatchObject({
    ok: false,
    error: { kind: "usage", message: expect.stringContaining("by per_unknown, and nothing was changed") },
  })
  expect(await made.engine.approvals()).toHaveLength(1)
  {
    await using other = await another(made.options)
    expect(await other.removeApprovals([approval!.id, approval!.id])).toEqual({ ok: true, value: [approval!] })
    expect(await other.removeApprovals([approval!.id])).toMatchObject({ ok: false })
  }
  expect(await made.engine.approvals()).toEqual([])
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("what one engine approves for the project and takes back holds for another one that runs, from its next ask", async () => {
  const same = () => [toolCall("bash", { command: "echo hi" }), text("Said.")]
  await using made = await bench(
    [...same(), ...same(), ...same()].map((reply) => [reply]),
    { config },
  )
  await using other = await another(made.options)
  const mine = answering(made.engine, { reply: "always", scope: "project" })
  const theirs = answering(other, { reply: "once" })
  const { id } = await other.createSession({})
  const say = () =>
    other.prompt({
      ...{ sessionID: id, asks: "wait" },
      parts: [{ type: "text", text: "go" }],
      model: { providerID: "test", modelID: "scripted" },
    })
  const { sessionID } = await made.prompt("go", { asks: "wait" })
  expect(mine.asked).toBe(1)
  // The other engine was open before that.
  expect(await say()).toMatchObject({ ok: true, value: { reason: "done" } })
  expect(theirs.asked).toBe(0)
  const [approval] = await made.engine.approvals({ scope: "project" })
  expect(approval).toMatchObject({ scope: "project", sessionID, permission: "bash" })
  expect((await made.engine.removeApprovals([approval!.id])).ok).toBe(true)
  await say()
  expect(theirs.asked).toBe(1)
  expect([problemsOf(made, sessionID), problemsOf(made, id)]).toEqual([[], []])
})
