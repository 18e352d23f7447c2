import { expect, test } from "bun:test"
import { text, toolCall } from "@cairn/testkit/scenario"
import type { ToolPart } from "@cairn/schema/part"
import { type Bench, bench, problemsOf } from "./harness.ts"

async function sessionOf(made: Bench): Promise<string> {
  return (await made.engine.createSession({})).id
}

const callOf = (made: Bench, sessionID: string): ToolPart | undefined =>
  made.engine
    .messages(sessionID)
    .flatMap(({ parts }) => parts)
    .find((part) => part.type === "tool")

test("a command of the user runs without a model and without asking; the next prompt sees it", async () => {
  await using made = await bench([[text("It said one.")]], { config: { permission: { bash: "deny" } } })
  const sessionID = await sessionOf(made)
  const ran = await made.engine.shell({ sessionID, command: "echo one > a.txt; cat a.txt" })
  if (!ran.ok) throw new Error(ran.error.message)
  expect(ran.value).toMatchObject({ reason: "done", cost: 0 })
  expect(made.server.requests).toHaveLength(0)
  expect(callOf(made, sessionID)?.state).toMatchObject({ status: "completed", output: expect.stringContaining("one") })
  const [user, answer] = made.engine.messages(sessionID)
  expect(user?.parts).toContainEqual(
    expect.objectContaining({ synthetic: true, text: expect.stringContaining("command") }),
  )
  expect(answer?.info).toMatchObject({ id: ran.value.messageID, finish: "stop", cost: 0 })
  // What it changed can be taken back, as what the model's commands change.
  const diff = await made.engine.diff(sessionID)
  expect(diff.ok && diff.value.map(({ file, status }) => [file, status])).toEqual([["a.txt", "added"]])
  await made.prompt("what did it say?", { sessionID })
  const sent = JSON.stringify(made.server.requests[0]?.body)
  expect(sent).toContain("echo one > a.txt")
  expect(sent.indexOf("echo one")).toBeLessThan(sent.indexOf("what did it say?"))
  expect(await problemsOf(made, sessionID)).toEqual([])
})

test("an abort ends the command and all it started, and the session goes on", async () => {
  await using made = await bench([[text("fine")]])
  const sessionID = await sessionOf(made)
  const started = new Promise<void>((resolve) => {
    made.engine.subscribe((event) => {
      if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
      const { state } = event.properties.part
      if (state.status === "running" && JSON.stringify(state.metadata ?? {}).includes("begun")) resolve()
    })
  })
  const ran = made.engine.shell({ sessionID, command: "echo begun; sleep 300" })
  await started
  expect(made.engine.status(sessionID)).toEqual({ type: "busy" })
  expect(await made.engine.shell({ sessionID, command: "true" })).toMatchObject({ ok: false, error: { kind: "busy" } })
  expect(await made.engine.abort(sessionID)).toBe(true)
  expect(await ran).toMatchObject({ ok: true, value: { reason: "aborted" } })
  expect(callOf(made, sessionID)?.state).toMatchObject({ status: "error", kind: "interrupted" })
  expect((await made.prompt("go on", { sessionID })).text).toBe("fine")
  expect(await problemsOf(made, sessionID)).toEqual([])
})

test("a prompt that comes while it runs is answered after it", async () => {
  await using made = await bench([[text("after")]])
  const sessionID = await sessionOf(made)
  const ran = made.engine.shell({ sessionID, command: "until [ -e go ]; do sleep 0.01; done", agent: "build" })
  const asked = made.prompt("and now?", { sessionID })
  expect(made.engine.inbox(sessionID)).toMatchObject([{ delivery: "queue" }])
  await made.workspace.write("go", "")
  expect(await ran).toMatchObject({ ok: true, value: { reason: "done" } })
  expect((await asked).text).toBe("after")
  expect(await problemsOf(made, sessionID)).toEqual([])
})

test("an empty command, and one for no session, are mistakes that append nothing", async () => {
  await using made = await bench([])
  const sessionID = await sessionOf(made)
  expect(await made.engine.shell({ sessionID, command: " " })).toMatchObject({ ok: false, error: { kind: "usage" } })
  expect(await made.engine.shell({ sessionID: "ses_no", command: "x" })).toMatchObject({ error: { kind: "session" } })
  expect(made.engine.messages(sessionID)).toEqual([])
})

test("messages and parts can be taken out and changed, in an idle session, and stay consistent", async () => {
  await using made = await bench([[toolCall("bash", { command: "echo hi" })], [text("one")], [text("two")]])
  const { sessionID } = await made.prompt("first")
  const [user, call, said] = made.engine.messages(sessionID)
  const words = said?.parts.find((part) => part.type === "text")
  if (!user || !call || !said || words?.type !== "text") throw new Error("the session has another form")
  const changed = await made.engine.updatePart({ ...words, text: "other words" })
  expect(changed).toMatchObject({ ok: true, value: { text: "other words" } })
  const wrong = await made.engine.updatePart({ ...words, type: "reasoning", time: { start: 1 } })
  expect(wrong).toMatchObject({ ok: false, error: { kind: "usage" } })
  expect(await made.engine.deletePart(sessionID, user.info.id, words.id)).toMatchObject({ error: { kind: "session" } })
  expect(await made.engine.deleteMessage("ses_none", user.info.id)).toMatchObject({ error: { kind: "session" } })
  expect(await made.engine.deleteMessage(sessionID, call.info.id)).toEqual({ ok: true, value: undefined })
  expect(made.engine.messages(sessionID).map(({ info }) => info.id)).toEqual([user.info.id, said.info.id])
  await made.prompt("again", { sessionID })
  const sent = JSON.stringify(made.server.requests.at(-1)?.body)
  expect([sent.includes("other words"), sent.includes("echo hi")]).toEqual([true, false])
  expect(await made.engine.deletePart(sessionID, said.info.id, words.id)).toMatchObject({ ok: true })
  // The checker knows turns alone, and says of a change by hand that it is outside of them.
  expect(await problemsOf(made, sessionID)).toEqual([expect.stringContaining("after the turn had ended")])
})

test("nothing is taken out while the session runs, or while a part of it is reverted", async () => {
  await using made = await bench([[toolCall("write", { filePath: "a.txt", content: "a" })], [text("one")]])
  const { sessionID } = await made.prompt("first")
  const [user] = made.engine.messages(sessionID)
  if (!user) throw new Error("no message")
  await made.engine.revert(sessionID, { to: user.info.id })
  const refused = await made.engine.deleteMessage(sessionID, user.info.id)
  expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining("reverted") } })
  await made.engine.unrevert(sessionID)
  const ran = made.engine.shell({ sessionID, command: "sleep 300" })
  expect(await made.engine.deleteMessage(sessionID, user.info.id)).toMatchObject({ error: { kind: "busy" } })
  await made.engine.abort(sessionID)
  await ran
  expect(await problemsOf(made, sessionID)).toEqual([])
})

test("a client may number its messages; one that is sent twice is answered once", async () => {
  await using made = await bench([[text("one")], [text("two")]])
  const sessionID = await sessionOf(made)
  const far = "msg_ffffffffffffAAAAAAAAAAAAAA"
  const send = (messageID: string, noReply = false) =>
    made.engine.prompt({ sessionID, messageID, noReply, parts: [{ type: "text", text: "hello" }] })
  const noted = await send("msg_000000000001abcdefghijklmn", true)
  expect(noted.ok && noted.value.messageID).toBe("msg_000000000001abcdefghijklmn")
  expect((await send(far)).ok).toBe(true)
  expect(await send(far)).toMatchObject({ ok: false, error: { message: expect.stringContaining("already") } })
  expect(await send("msg_x")).toMatchObject({ ok: false, error: { kind: "usage" } })
  // One that would not be later than what is there gets another id.
  const late = await send("msg_000000000002abcdefghijklmn")
  expect(late.ok).toBe(true)
  const ids = made.engine.messages(sessionID).map(({ info }) => info.id)
  expect(ids.slice(0, 2)).toEqual(["msg_000000000001abcdefghijklmn", far])
  expect(ids).toEqual(ids.toSorted())
  expect(await problemsOf(made, sessionID)).toEqual([])
})
