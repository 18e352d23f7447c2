import { expect, test } from "bun:test"
import { userTexts } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

test("a session goes on after a restart, with the same prompt before it", async () => {
  await using made = await bench([
    [toolCall("bash", { command: "echo one" })],
    [text("First answer.")],
    [text("Second answer.")],
  ])
  const { sessionID } = await made.prompt("first")
  await made.restart()
  expect(made.engine.session(sessionID)?.title).toBe("first")
  expect(await made.prompt("second", { sessionID })).toMatchObject({ reason: "done", text: "Second answer." })
  expectPrefixes(made.server.requests.map((request) => request.body))
  expect(userTexts(made.server.requests[2]!).at(-1)).toContain("second")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("what the model has seen is known after a restart, what it has not is protected", async () => {
  await using made = await bench(
    [
      [toolCall("read", { filePath: "seen.txt" })],
      [text("Read.")],
      [
        toolCall("write", { filePath: "seen.txt", content: "new\n" }),
        toolCall("write", { filePath: "other.txt", content: "new\n" }),
      ],
      [text("Written.")],
    ],
    { files: { "seen.txt": "old\n", "other.txt": "precious\n" } },
  )
  const { sessionID } = await made.prompt("read")
  await made.restart()
  await made.prompt("write", { sessionID })
  expect(await made.workspace.read("seen.txt")).toBe("new\n")
  expect(await made.workspace.read("other.txt")).toBe("precious\n")
})

test("tokens and cost add up over steps, turns and restarts", async () => {
  await using made = await bench([[toolCall("bash", { command: "echo one" })], [text("a")], [text("b")]])
  const first = await made.prompt("one")
  expect(first.tokens).toMatchObject({ input: 200, output: 40 })
  await made.restart()
  const second = await made.prompt("two", { sessionID: first.sessionID })
  const session = made.engine.session(first.sessionID)!
  expect(session.tokens).toMatchObject({ input: 300, output: 60 })
  expect(session.cost).toBeCloseTo(first.cost + second.cost, 12)
  expect(session.cost).toBeCloseTo((300 * 1 + 60 * 2) / 1e6, 12)
})

test("sessions of this directory are listed, and a deleted one leaves nothing behind", async () => {
  await using made = await bench([[text("a")]])
  const { sessionID } = await made.prompt("secret words")
  expect((await made.engine.sessions({ scope: "directory" })).map((each) => each.id)).toEqual([sessionID])
  expect(await made.engine.deleteSession(sessionID)).toMatchObject({ ok: true })
  expect(await made.engine.sessions({ scope: "project" })).toEqual([])
  expect(JSON.stringify(made.log(sessionID))).not.toContain("secret words")
  expect(made.log(sessionID)).toHaveLength(1)
  expect((await made.engine.verify()).problems).toEqual([])
})

test("a turn that was cut off is named to the model in the next one, once", async () => {
  await using made = await bench([[toolCall("bash", { command: "sleep 60" })], [text("Careful.")], [text("Fine.")]])
  const session = await made.engine.createSession({})
  made.engine.subscribe((event) => {
    if (
      event.type === "message.part.updated" &&
      event.properties.part.type === "tool" &&
      event.properties.part.state.status === "running"
    )
      void made.engine.abort(session.id)
  })
  expect(await made.prompt("begin", { sessionID: session.id })).toMatchObject({ reason: "aborted" })
  await made.prompt("go on", { sessionID: session.id })
  await made.prompt("and on", { sessionID: session.id })
  const texts = userTexts(made.server.requests[2]!)
  expect(texts.filter((each) => each.includes("interrupted you here"))).toHaveLength(1)
  expectPrefixes(made.server.requests.map((request) => request.body))
})
