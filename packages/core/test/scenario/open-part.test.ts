import { expect, test } from "bun:test"
import type { BusEvent } from "@cairn/schema/event"
import { gate } from "@cairn/testkit/gate"
import { text, waitFor } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

test("who reads a message while it is written has the text that subscribers have seen, and no more", async () => {
  const rest = gate()
  await using made = await bench([[text("The first half", { chunks: 1 }), waitFor(rest), text(", and the second.")]])
  const session = await made.engine.createSession({})
  const followed: BusEvent[] = []
  made.engine.follow((event) => void followed.push(event))
  const half = gate()
  let seen = ""
  made.engine.subscribe((event) => {
    if (event.type !== "message.part.delta") return
    seen += event.properties.delta
    half.open()
  })
  const model = { providerID: "test", modelID: "scripted" }
  const turn = made.engine.prompt({ sessionID: session.id, parts: [{ type: "text", text: "go" }], model, asks: "deny" })
  await half.opened
  const [open] = made.engine.openParts(session.id)
  expect(open).toMatchObject({ type: "text", text: seen, sessionID: session.id })
  expect("The first half").toStartWith(seen)
  const textOf = () =>
    made.engine
      .messages(session.id)
      .at(-1)
      ?.parts.find(({ type }) => type === "text")
  expect(textOf()).toEqual(open)
  expect(made.engine.messages(session.id, { limit: 1 })[0]?.parts).toContainEqual(open!)
  expect(made.engine.message(session.id, open!.messageID)?.parts).toContainEqual(open!)
  expect(made.engine.message("ses_other", open!.messageID)).toBeUndefined()
  rest.open()
  await turn
  expect(made.engine.openParts()).toEqual([])
  expect(textOf()).toMatchObject({ text: "The first half, and the second." })
  const numbers = followed.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  const stored = made.engine.log.entries(numbers[0]! - 1, { limit: 1_000 })
  expect(numbers).toEqual(stored.map(({ seq }) => seq))
  expect(made.engine.log.elsewhere()).toEqual({ seq: made.engine.log.last(), sessions: [], parts: [] })
  expect(problemsOf(made, session.id)).toEqual([])
})
