import { expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { offeredTools } from "@cairn/testkit/request"
import { hang, text, waitFor } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

test("the first line of the prompt is the title, and no call is made for it", async () => {
  await using made = await bench([[text("Yes.")]])
  const { sessionID } = await made.prompt("  Fix the parser\nIt fails on leap years.")
  expect(made.engine.session(sessionID)?.title).toBe("Fix the parser")
  expect(made.server.requests).toHaveLength(1)
})

test('with title: "model" the model names the session once, beside the first step', async () => {
  const named = gate()
  await using made = await bench(
    (request) =>
      offeredTools(request).length === 0 ? [text("Parser fix")] : [text("Work"), waitFor(named), text("ing.")],
    { config: { title: "model" } },
  )
  made.engine.subscribe((event) => {
    if (event.type === "session.updated" && event.properties.info.title === "Parser fix") named.open()
  })
  const { sessionID } = await made.prompt("Fix the parser")
  expect(made.engine.session(sessionID)?.title).toBe("Parser fix")
  await made.prompt("And now?", { sessionID })
  expect(made.server.requests.filter((request) => offeredTools(request).length === 0)).toHaveLength(1)
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a title that does not come delays nothing", async () => {
  await using made = await bench((request) => (offeredTools(request).length === 0 ? [hang()] : [text("Done.")]), {
    config: { title: "model" },
  })
  const { sessionID, reason } = await made.prompt("Fix the parser")
  expect(reason).toBe("done")
  expect(made.engine.session(sessionID)?.title).toBe("Fix the parser")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a session that a person named keeps its name", async () => {
  await using made = await bench([[text("a")]])
  const { id: sessionID } = await made.engine.createSession({ title: "Mine" })
  await made.prompt("first words", { sessionID })
  expect(made.engine.session(sessionID)?.title).toBe("Mine")
})
