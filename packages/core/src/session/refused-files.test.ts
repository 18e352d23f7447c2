import { expect, test } from "bun:test"
import type { ApiError, MessageError } from "@cairn/schema/error"
import type { MessageWithParts } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part } from "@cairn/schema/part"
import { refusedFiles } from "./refused-files.ts"

const model = { providerID: "p", modelID: "m" }
const target = { ...model, accepts: () => true }
const user = (id: string): MessageWithParts => ({
  info: { id, sessionID: "ses_1", role: "user", time: { created: 1 }, agent: "build", model },
  parts: [],
})
const said = (id: string): Part => ({ id, sessionID: "ses_1", messageID: id, type: "text", text: "x" })
const assistant = (id: string, error?: MessageError, parts: Part[] = error ? [] : [said(id)]): MessageWithParts => ({
  info: {
    ...{ id, sessionID: "ses_1", role: "assistant", time: { created: 1, completed: 2 }, parentID: "msg_0", ...model },
    ...{ mode: "build", agent: "build", path: { cwd: "/", root: "/" }, cost: 0, tokens: noTokens() },
    ...(error && { error }),
  },
  parts,
})
const api = (statusCode: number, message = "no"): ApiError => ({
  name: "APIError",
  data: { message, statusCode, isRetryable: false },
})
const ids = (...messages: MessageWithParts[]) => [...refusedFiles(messages, target)]

test("what was new in a refused request is named, back to the answer before it", () => {
  expect(ids(user("u1"), assistant("a1", api(400)))).toEqual(["u1"])
  const before = [user("u0"), assistant("a0")]
  // The results of the answer's calls are new, what stood before it was taken.
  expect(ids(...before, user("u1"), assistant("a1", api(422)))).toEqual(["u1", "a0"])
  expect(ids(...before, assistant("a1", api(400)), user("u2"), assistant("a2"))).toEqual(["a0"])
})

test("two refusals in a row name what both requests had", () => {
  expect(ids(user("u1"), assistant("a1", api(400)), user("u2"), assistant("a2", api(400))).sort()).toEqual([
    "a1",
    "u1",
    "u2",
  ])
})

test("other ends say nothing of the files", () => {
  expect(ids(user("u1"), assistant("a1"))).toEqual([])
  for (const status of [401, 402, 403, 404, 408, 409, 429, 500, 529])
    expect(ids(user("u1"), assistant("a1", api(status)))).toEqual([])
  expect(ids(user("u1"), assistant("a1", { name: "MessageAbortedError", data: { message: "x" } }))).toEqual([])
  expect(ids(user("u1"), assistant("a1", api(400), [said("a1")]))).toEqual([])
})

test("a router that has no model for pictures says so with 404", () => {
  expect(ids(user("u1"), assistant("a1", api(404, "No endpoints found that support image input")))).toEqual(["u1"])
})

test("another model may take what one refused", () => {
  const messages = [user("u1"), assistant("a1", api(400))]
  expect([...refusedFiles(messages, { ...target, modelID: "other" })]).toEqual([])
  expect([...refusedFiles(messages, { ...target, providerID: "other" })]).toEqual([])
})
