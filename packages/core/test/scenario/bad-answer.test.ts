import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import type { CapturedRequest, WireProtocol } from "@cairn/testkit/request"
import { toolResults } from "@cairn/testkit/request"
import {
  chunked,
  cutStream,
  emptyBody,
  finish,
  hang,
  html,
  raw,
  type Reply,
  status,
  streamError,
  text,
  toolCall,
} from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import type { TurnOutcome } from "@cairn/schema/engine"
import { type Bench, bench, problemsOf } from "./harness.ts"

// Each test is a session of up to eight requests.
setDefaultTimeout(30_000)

const protocols: WireProtocol[] = ["chat", "anthropic", "responses", "google"]

interface Tried {
  readonly outcome: TurnOutcome
  /** What the user is told. */
  readonly message: string
  readonly requests: readonly CapturedRequest[]
}

/**
 * Gives the bad answer to every request of the first prompt, or to the first request alone, and sees to it that the
 * process lives, the log is whole, and the session goes on, also with a model of another protocol.
 */
async function tryAnswer(protocol: WireProtocol, bad: Reply, times = Number.POSITIVE_INFINITY): Promise<Tried> {
  const clock = new TestClock()
  let given = 0
  const answer = (request: CapturedRequest): Reply => {
    if (request.text.includes("the second prompt")) return text("Going on.")
    return given++ < times ? bad : text("Recovered.")
  }
  await using made = await bench(answer, { protocol, clock })
  waitNothing(made, clock)
  const outcome = await made.prompt("the first prompt")
  const requests = [...made.server.requests]
  const { sessionID } = outcome
  const other = protocol === "anthropic" ? "gpt" : "claude"
  for (const provider of ["test", other])
    expect(await made.prompt("the second prompt", { sessionID, provider })).toMatchObject({
      reason: "done",
      text: "Going on.",
    })
  expect(problemsOf(made, sessionID)).toEqual([])
  const data = outcome.error?.data ?? {}
  return { outcome, message: "message" in data ? String(data.message) : "", requests }
}

/** The wait before another try is over as soon as it begins. */
function waitNothing(made: Bench, clock: TestClock): void {
  made.engine.subscribe((event) => {
    if (event.type !== "session.status" || event.properties.status.type !== "retry") return
    const { next } = event.properties.status
    queueMicrotask(() => void clock.advance(next - clock.now()))
  })
}

const error = '{"error":{"message":"The model is on holiday","type":"server_error"}}'
const events = { "content-type": "text/event-stream" }

describe.each(protocols)("over %s, an answer that is", (protocol) => {
  test.each<[string, Reply, number, RegExp]>([
    ["a web page", html(), 1, /answered with a web page.*baseURL/],
    [
      "a web page under another type",
      status(200, { headers: events, body: "\n<!doctype html><html>" }),
      1,
      /answered with a web page/,
    ],
    [
      "a web page with an error status",
      status(502, { headers: { "content-type": "text/html" }, body: "<html>" }),
      5,
      /HTTP 502.*usually passes/,
    ],
    ["nothing", emptyBody(), 5, /sent an empty answer/],
    ["nothing under another type", status(200, { body: "" }), 5, /sent an empty answer/],
    [
      "plain text",
      status(200, { headers: { "content-type": "text/plain" }, body: "hello" }),
      1,
      /no stream of events \(text\/plain\): "hello".*streams its answers/,
    ],
    ["JSON that is no stream", status(200, { body: '{"choices":[]}' }), 1, /no stream of events/],
    ["an error object with status 200", status(200, { body: error }), 5, /The model is on holiday/],
    [
      "an error object that calls itself a stream",
      status(200, { headers: events, body: error }),
      5,
      /The model is on holiday/,
    ],
    [
      "a refused key with status 200",
      status(200, { body: '{"error":{"message":"Invalid API key","code":401}}' }),
      1,
      /Check the key/,
    ],
    [
      "an account without credit",
      status(200, { body: '{"error":{"message":"Nope","code":402}}' }),
      1,
      /no credit left/,
    ],
    ["a refusal in a list", status(200, { body: '[{"error":{"code":403,"message":"No"}}]' }), 1, /Check the key/],
    ["no content", status(204, { body: "" }), 1, /HTTP 204 and nothing more/],
    ["noise", raw("\u0000\u0001\u0002".repeat(50)), 1, /no stream of events/],
    [
      "an error among the events",
      [streamError("The model is on holiday", "holiday_error")],
      1,
      /The model is on holiday/,
    ],
    ["broken in the middle", [text("half"), raw("data: {broken\n\n"), finish("stop")], 5, /cut or malformed/],
  ])("%s", async (name, bad, requests, message) => {
    const tried = await tryAnswer(protocol, bad)
    expect(tried.outcome.reason).toBe("error")
    expect(tried.message).toMatch(message)
    // An error in the stream is what its protocol says it is.
    if (name !== "an error among the events") expect(tried.requests).toHaveLength(requests)
  })

  test("events under a wrong type is an answer all the same", async () => {
    const frames = await streamOf(protocol)
    const wrong = status(200, { headers: { "content-type": "text/plain" }, body: frames })
    expect((await tryAnswer(protocol, wrong)).outcome).toMatchObject({ reason: "done", text: "Fine." })
  })

  test("empty once is asked for again", async () => {
    expect((await tryAnswer(protocol, emptyBody(), 1)).outcome).toMatchObject({ reason: "done", text: "Recovered." })
  })

  test("whole, with events of unknown kinds in it and behind its end", async () => {
    const odd = raw(unknownEvent[protocol])
    const { outcome } = await tryAnswer(protocol, [chunked(7), text("Fine."), odd, text(" More."), finish("stop"), odd])
    expect(outcome).toMatchObject({ reason: "done", text: "Fine. More." })
  })

  test("followed by more text, an error and noise is what it was at its end", async () => {
    const behind = raw(`${late[protocol]}data: ${error}\n\ndata: {broken\n\n`)
    const { outcome, requests } = await tryAnswer(protocol, [text("Fine."), finish("stop"), behind])
    expect(outcome).toMatchObject({ reason: "done", text: "Fine.", tokens: { input: 100, output: 20 } })
    expect(requests).toHaveLength(1)
  })

  test("followed by a call does not run it", async () => {
    const behind = raw(lateCall[protocol])
    const { outcome, requests } = await tryAnswer(protocol, [text("Fine."), finish("stop"), behind])
    expect(outcome).toMatchObject({ reason: "done", text: "Fine." })
    expect(requests).toHaveLength(1)
  })

  test("whole is kept when the connection breaks or stays open behind it", async () => {
    for (const last of [cutStream(), hang()]) {
      const clock = new TestClock()
      await using made = await bench(() => [text("Fine."), finish("stop"), last], { protocol, clock })
      const prompted = made.prompt("hi")
      let over = false
      void prompted.finally(() => (over = true))
      while (!over) {
        await clock.advance(500)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await prompted).toMatchObject({ reason: "done", text: "Fine." })
    }
  })
})

describe.each(protocols)("over %s, calls that", (protocol) => {
  test.each<[string, Reply]>([
    ["have no arguments", toolCall("todowrite", "")],
    ["have an empty object", toolCall("glob", {})],
    ["have null", toolCall("glob", "null")],
    ["have a list", toolCall("glob", '["*"]')],
    ["have half an object", toolCall("glob", '{"pattern": "')],
    ["name no tool", toolCall("no such/tool é", { a: 1 })],
    ["have a very long name", toolCall("x".repeat(300), {})],
  ])("%s are answered, and the model goes on", async (_, bad) => {
    const { outcome, requests } = await tryAnswer(protocol, bad, 1)
    expect(outcome).toMatchObject({ reason: "done", text: "Recovered." })
    expect(requests).toHaveLength(2)
    const results = toolResults(requests[1]!)
    // Google itself refuses arguments that are no object, and gives no call.
    expect(results.length === 1 || protocol === "google").toBe(true)
    if (results[0]) expect(results[0].output).toMatch(/invalid arguments|no tool named/)
  })

  test.each(["same", "", "i".repeat(500)])("have the id %p, twice, get a result each", async (id) => {
    const twice = [toolCall("glob", { pattern: "*" }, { id }), toolCall("glob", { pattern: "*.ts" }, { id })]
    const { outcome, requests } = await tryAnswer(protocol, twice, 1)
    expect(outcome).toMatchObject({ reason: "done", text: "Recovered." })
    const results = toolResults(requests[1]!)
    expect(new Set(results.map(({ callID }) => callID)).size).toBe(2)
  })
})

test.each<[WireProtocol, object[]]>([
  ["chat", [{ weird: 1, tool: "x" }]],
  ["anthropic", [{ type: "tool_hologram", call: 1 }]],
  [
    "anthropic",
    [
      { type: "content_block_start", index: 7, content_block: { type: "tool_hologram", function: "x" } },
      { type: "content_block_delta", index: 7, delta: { type: "hologram_delta" } },
      { type: "content_block_stop", index: 7 },
    ],
  ],
])("over %s, unknown kinds in the middle are passed over: %j", async (protocol, odd) => {
  const frames = odd.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")
  const { outcome, requests } = await tryAnswer(protocol, [text("Fine."), raw(frames), text(" More."), finish("stop")])
  expect(outcome).toMatchObject({ reason: "done", text: "Fine. More." })
  expect(requests).toHaveLength(1)
})

describe.each<[WireProtocol, string]>([
  ["google", "MALFORMED_FUNCTION_CALL"],
  ["google", "UNEXPECTED_TOOL_CALL"],
  ["chat", "malformed_tool_use"],
])("over %s, an answer that ends with %s", (protocol, word) => {
  test.each<[string, Reply]>([
    ["nothing before", [finish(word)]],
    ["text before", [text("half"), finish(word)]],
  ])("and %s is asked for again with a note, once", async (_, bad) => {
    const once = await tryAnswer(protocol, bad, 1)
    expect(once.outcome).toMatchObject({ reason: "done", text: "Recovered." })
    expect(JSON.stringify(once.requests[1]!.body)).toContain(`could not be read (${word})`)

    const always = await tryAnswer(protocol, bad)
    expect(always.outcome.reason).toBe("error")
    expect(always.message).toContain(`could not read its tool call (${word})`)
    expect(always.requests).toHaveLength(2)
  })
})

test.each<[string, unknown]>([
  ["no arguments field", { index: 0, id: "a", type: "function", function: { name: "glob" } }],
  ["no id", { index: 0, type: "function", function: { name: "glob", arguments: "{}" } }],
  ["no index", { id: "a", type: "function", function: { name: "glob", arguments: '{"pattern":"*"}' } }],
  ["no name", { index: 0, id: "a", type: "function", function: { arguments: "{}" } }],
  [
    "arguments that are an object",
    { index: 0, id: "a", type: "function", function: { name: "glob", arguments: { pattern: "*" } } },
  ],
])("a call of chat completions with %s does not stop the turn", async (_, call) => {
  const delta = { tool_calls: [call] }
  const choice = { index: 0, delta, finish_reason: null }
  const frame = { id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [choice] }
  const { outcome } = await tryAnswer("chat", [raw(`data: ${JSON.stringify(frame)}\n\n`), finish("tool-calls")], 1)
  expect(outcome).toMatchObject({ reason: "done", text: "Recovered." })
})

/** A whole answer as its bytes. */
async function streamOf(protocol: WireProtocol): Promise<string> {
  await using server = await startModelServer([text("Fine.")], { lenient: true })
  const response = await fetch(server.baseURL(protocol) + paths[protocol], { method: "POST", body: "{}" })
  return await response.text()
}

const paths: Record<WireProtocol, string> = {
  chat: "/chat/completions",
  anthropic: "/messages",
  responses: "/responses",
  google: "/models/scripted:streamGenerateContent",
}
const unknownEvent: Record<WireProtocol, string> = {
  chat: 'data: {"object":"chat.hologram","payload":[1,2]}\n\n',
  anthropic: 'event: hologram\ndata: {"type":"hologram","payload":[1,2]}\n\n',
  responses: 'event: response.hologram\ndata: {"type":"response.hologram","payload":[1,2]}\n\n',
  google: 'data: {"hologram":{"payload":[1,2]}}\n\n',
}
/** Calls that come too late, and a second end. */
const lateCall: Record<WireProtocol, string> = {
  chat: [
    { delta: { tool_calls: [{ index: 0, id: "z", function: { name: "glob", arguments: '{"pattern":"*"}' } }] } },
    { delta: {}, finish_reason: "tool_calls" },
  ]
    .map(
      (choice) =>
        `data: ${JSON.stringify({ id: "x", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`,
    )
    .join(""),
  anthropic: [
    { type: "content_block_start", index: 9, content_block: { type: "tool_use", id: "z", name: "glob", input: {} } },
    { type: "content_block_delta", index: 9, delta: { type: "input_json_delta", partial_json: '{"pattern":"*"}' } },
    { type: "content_block_stop", index: 9 },
    { type: "message_stop" },
  ]
    .map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`)
    .join(""),
  responses: ["added", "done"]
    .map((end) => {
      const item = { type: "function_call", id: "fz", call_id: "z", name: "glob", arguments: '{"pattern":"*"}' }
      const type = `response.output_item.${end}`
      const data = { type, output_index: 9, sequence_number: 999, item: { ...item, status: "completed" } }
      return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
    })
    .join(""),
  google: `data: ${JSON.stringify({
    candidates: [{ content: { parts: [{ functionCall: { name: "glob", args: { pattern: "*" } } }], role: "model" } }],
  })}\n\n`,
}
const late: Record<WireProtocol, string> = {
  chat: 'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" Late."},"finish_reason":null}]}\n\n',
  anthropic:
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" Late."}}\n\n',
  responses:
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":" Late.","sequence_number":999}\n\n',
  google: 'data: {"candidates":[{"content":{"parts":[{"text":" Late."}],"role":"model"},"index":0}]}\n\n',
}
