import { expect, test } from "bun:test"
import { toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import type { PromptInput } from "@cairn/schema/engine"
import { bench, problemsOf } from "./harness.ts"

const words = { type: "text", text: "hi" }

test.each<[string, object]>([
  ["a part of an unknown type", { parts: [words, { type: "hologram", payload: 1 }] }],
  ["a null part", { parts: [null] }],
  ["a schema that is no object", { parts: [words], format: { type: "json_schema", schema: true } }],
  ["a note with a bad part", { parts: [{ type: "text" }], noReply: true }],
])("%s is refused and nothing is stored", async (_, bad) => {
  await using made = await bench([[text("Fine.")]])
  const { id: sessionID } = await made.engine.createSession({})
  const before = made.log(sessionID)
  const refused = await made.engine.prompt({ sessionID, ...bad } as unknown as PromptInput)
  expect(refused).toMatchObject({ ok: false, error: { kind: "usage" } })
  expect(made.log(sessionID)).toEqual(before)
  expect(made.engine.inbox(sessionID)).toEqual([])
  expect(await made.prompt("hi", { sessionID })).toMatchObject({ reason: "done", text: "Fine." })
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("over Anthropic, calls with ids of another form go back with ids that it takes, the same in every request", async () => {
  const ids = ["functions.glob:0", "functions.glob:1"]
  await using made = await bench(
    [ids.map((id) => toolCall("glob", { pattern: "*" }, { id })), [text("None.")], [text("Still none.")]],
    { protocol: "anthropic" },
  )
  const { sessionID } = await made.prompt("What is there?")
  await made.prompt("Sure?", { sessionID })
  const [, second, third] = made.server.requests.map((request) => toolResults(request).map(({ callID }) => callID))
  expect(second).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)])
  expect(new Set(second).size).toBe(2)
  expect(third).toEqual(second!)
  expect(problemsOf(made, sessionID)).toEqual([])
})
