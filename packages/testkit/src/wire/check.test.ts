import { describe, expect, test } from "bun:test"
import { status, text } from "../scenario.ts"
import { startModelServer } from "../server.ts"
import { checkAnthropic } from "./anthropic-check.ts"
import { checkChat } from "./chat-check.ts"
import { checkGoogle } from "./google-check.ts"
import { checkResponses } from "./responses-check.ts"

const call = (id: string, args = "{}") => ({ id, type: "function", function: { name: "read", arguments: args } })
const asks = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls })
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" })
const user = { role: "user", content: "hi" }

describe("chat completions", () => {
  test.each([
    ["no messages at all", {}],
    ["a plain question", { messages: [{ role: "system", content: "s" }, user] }],
    ["calls with their results", { messages: [user, asks(call("a"), call("b")), result("b"), result("a"), user] }],
    ["an answer", { messages: [user, { role: "assistant", content: "x" }, user] }],
  ])("takes %s", (_, body) => expect(checkChat(body)).toBeUndefined())

  test.each([
    ["an empty list", { messages: [] }, "non-empty array"],
    ["a result without call", { messages: [user, result("a")] }, "a is not called there"],
    ["a result twice", { messages: [user, asks(call("a")), result("a"), result("a")] }, "a is not called there"],
    [
      "a result after another message",
      { messages: [user, asks(call("a")), user, result("a")] },
      "without a response message: a",
    ],
    ["a call without result at the end", { messages: [user, asks(call("a"))] }, "without a response message: a"],
    [
      "one of two results",
      { messages: [user, asks(call("a"), call("b")), result("a"), user] },
      "without a response message: b",
    ],
    ["the same id twice", { messages: [user, asks(call("a"), call("a")), result("a")] }, "distinct ids"],
    ["broken arguments", { messages: [user, asks(call("a", "{")), result("a")] }, "not JSON"],
    ["an empty answer", { messages: [user, { role: "assistant", content: "" }] }, "needs content or tool_calls"],
  ])("refuses %s", (_, body, problem) => expect(checkChat(body)).toContain(problem))
})

describe("Anthropic messages", () => {
  const use = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "read", input })
  const back = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" })
  const ask = (...blocks: unknown[]) => ({ role: "assistant", content: blocks })
  const say = (...blocks: unknown[]) => ({ role: "user", content: blocks })
  const body = (...messages: unknown[]) => ({ max_tokens: 10, messages })
  const words = (value: string) => ({ type: "text", text: value })
  const mark = { type: "text", text: "x", cache_control: { type: "ephemeral" } }

  test.each([
    ["no messages at all", {}],
    ["a plain question", body(user)],
    [
      "calls with their results",
      body(user, ask(words("x"), use("a"), use("b")), say(back("a"), back("b"), words("go on"))),
    ],
    ["results in two messages of one role", body(user, ask(use("a"), use("b")), say(back("a")), say(back("b")))],
    ["signed thinking", body(user, ask({ type: "thinking", thinking: "t", signature: "s" }, use("a")), say(back("a")))],
    ["four cache marks", body(say(mark, mark, mark, mark))],
  ])("takes %s", (_, request) => expect(checkAnthropic(request)).toBeUndefined())

  test.each([
    ["an empty list", body(), "at least one message"],
    ["an answer first", body(ask(words("x"))), "first message"],
    ["no max_tokens", { messages: [user] }, "max_tokens"],
    ["five cache marks", body(say(mark, mark, mark, mark, mark)), "Found 5"],
    ["a strange role", body(user, { role: "tool", content: "x" }), "unexpected role tool"],
    ["empty content", body(user, ask(), user), "non-empty content"],
    ["an empty text", body(say(words(""))), "must be non-empty"],
    ["a blank text", body(user, ask(words(" \n")), user), "non-whitespace"],
    ["a call without result", body(user, ask(use("a")), user), "without `tool_result` blocks immediately after: a"],
    ["a call at the end", body(user, ask(use("a"))), "without `tool_result`"],
    ["a result without call", body(user, ask(words("x")), say(back("a"))), "unexpected `tool_use_id`"],
    ["a result in the first message", body(say(back("a"))), "unexpected `tool_use_id`"],
    ["two results for one call", body(user, ask(use("a")), say(back("a"), back("a"))), "single result"],
    ["an id used twice", body(user, ask(use("a"), use("a")), say(back("a"))), "unique"],
    ["an id of other characters", body(user, ask(use("a:b")), say(back("a:b"))), "should match pattern"],
    ["arguments that are no object", body(user, ask(use("a", "text")), say(back("a"))), "valid dictionary"],
    ["thinking without signature", body(user, ask({ type: "thinking", thinking: "t" }), user), "signature"],
  ])("refuses %s", (_, request, problem) => expect(checkAnthropic(request)).toContain(problem))
})

describe("Responses", () => {
  const use = (id: string) => ({ type: "function_call", call_id: id, name: "read", arguments: "{}" })
  const back = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" })
  const thought = { type: "reasoning", id: "rs_1", summary: [] }

  test.each([
    ["no input at all", {}],
    ["a text", { input: "hi" }],
    ["calls with their outputs", { input: [user, thought, use("a"), use("b"), back("b"), back("a"), user] }],
    ["reasoning before an answer", { input: [user, thought, thought, { role: "assistant", content: [] }] }],
  ])("takes %s", (_, body) => expect(checkResponses(body)).toBeUndefined())

  test.each([
    ["an empty list", { input: [] }, "non-empty"],
    ["a call without output", { input: [user, use("a")] }, "No tool output found for function call a"],
    [
      "an output without call",
      { input: [user, back("a")] },
      "No tool call found for function call output with call_id a",
    ],
    ["two outputs", { input: [user, use("a"), back("a"), back("a")] }, "more than one output"],
    ["an id used twice", { input: [user, use("a"), use("a"), back("a")] }, "distinct"],
    ["reasoning before a question", { input: [user, thought, user] }, "without its required following item"],
    ["reasoning at the end", { input: [user, thought] }, "without its required following item"],
  ])("refuses %s", (_, body, problem) => expect(checkResponses(body)).toContain(problem))
})

describe("Google", () => {
  const use = (name: string) => ({ functionCall: { name, args: {} } })
  const back = (name: string) => ({ functionResponse: { name, response: {} } })
  const ask = { role: "user", parts: [{ text: "hi" }] }
  const model = (...parts: unknown[]) => ({ role: "model", parts })
  const answer = (...parts: unknown[]) => ({ role: "user", parts })

  test.each([
    ["no contents at all", {}],
    ["a question", { contents: [ask] }],
    ["calls with their responses", { contents: [ask, model(use("a"), use("b")), answer(back("a"), back("b")), ask] }],
  ])("takes %s", (_, body) => expect(checkGoogle(body)).toBeUndefined())

  test.each([
    ["an empty list", { contents: [] }, "not specified"],
    ["a turn without parts", { contents: [model()] }, "must not be empty"],
    ["another role", { contents: [{ role: "assistant", parts: [{ text: "x" }] }] }, "valid role"],
    ["a response without call", { contents: [ask, answer(back("a"))] }, "number of function response parts"],
    [
      "one response for two calls",
      { contents: [ask, model(use("a"), use("b")), answer(back("a"))] },
      "number of function response",
    ],
    ["a call without response", { contents: [ask, model(use("a")), ask] }, "immediately before"],
    ["a call at the end", { contents: [ask, model(use("a"))] }, "has its function response turn"],
  ])("refuses %s", (_, body, problem) => expect(checkGoogle(body)).toContain(problem))
})

test("the server refuses as the service would, records it, and uses the reply up; a lenient one does not", async () => {
  const body = JSON.stringify({ messages: [user, result("a")] })
  const post = async (url: string, content = body) => {
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: content })
    return { status: response.status, text: await response.text() }
  }
  await using server = await startModelServer([text("never seen"), status(418)])
  const refused = await post(server.url)
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.text)).toMatchObject({ error: { type: "invalid_request_error" } })
  expect(server.unexpected.map((miss) => miss.reason).join()).toContain("a is not called there")
  expect((await post(server.url, "{}")).status).toBe(418)
  await using lenient = await startModelServer([text("seen", { chunks: 1 })], { lenient: true })
  expect((await post(lenient.url)).text).toContain("seen")
  expect(lenient.unexpected).toEqual([])
})
