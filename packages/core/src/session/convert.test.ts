import { describe, expect, test } from "bun:test"
import type { AssistantMessage, MessageWithParts, UserMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part, ToolPart } from "@cairn/schema/part"
import { createContext } from "./context.ts"
import type { Target } from "./target.ts"

const model = { providerID: "anthropic", modelID: "claude" }
const target: Target = { ...model, accepts: (mime) => mime === "image/png" }
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
let count = 0
const base = () => ({ id: `prt_${String(++count).padStart(4, "0")}`, sessionID: "ses_1", messageID: "msg_1" })
const text = (value: string, over: object = {}): Part => ({ ...base(), type: "text", text: value, ...over })
const user = (parts: Part[], over: Partial<UserMessage> = {}): MessageWithParts => ({
  info: { id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1 }, agent: "build", model, ...over },
  parts,
})
const assistant = (parts: Part[], over: Partial<AssistantMessage> = {}): MessageWithParts => ({
  info: {
    id: "msg_2",
    sessionID: "ses_1",
    role: "assistant",
    time: { created: 1, completed: 2 },
    parentID: "msg_1",
    ...model,
    mode: "build",
    agent: "build",
    path: { cwd: "/", root: "/" },
    cost: 0,
    tokens: noTokens(),
    ...over,
  },
  parts,
})
const tool = (state: ToolPart["state"], over: Partial<ToolPart> = {}): ToolPart => ({
  ...base(),
  type: "tool",
  callID: "call_1",
  tool: "bash",
  state,
  ...over,
})
const done = (output: string, extra: object = {}) =>
  tool({
    status: "completed",
    input: { command: "ls" },
    output,
    title: "",
    metadata: {},
    time: { start: 1, end: 2 },
    ...extra,
  })
const convert = (...messages: MessageWithParts[]) =>
  createContext(target, { opening: [], tail: [], since: messages }).messages()

describe("user messages", () => {
  test("texts and synthetic facts are sent, ignored and empty ones are not", () => {
    expect(
      convert(user([text("Today", { synthetic: true }), text("hi"), text("x", { ignored: true }), text("  ")])),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Today" },
          { type: "text", text: "hi" },
        ],
      },
    ])
    expect(convert(user([text("")]))).toEqual([])
  })

  test("a steered prompt says that it is a new message of the user", () => {
    const [message] = convert(user([text("stop that")], { metadata: { delivery: "steer" } }))
    expect(JSON.stringify(message)).toContain("new message")
    expect(JSON.stringify(message)).toContain("stop that")
  })

  test("files go as bytes, as text, or as a note that says why not", () => {
    const file = (mime: string, url: string): Part => ({ ...base(), type: "file", mime, filename: "f", url })
    const [message] = convert(
      user([
        file("image/png", `data:image/png;base64,${dot}`),
        file("image/tiff", "data:image/tiff;base64,SUkqAA=="),
        file("image/png", "data:image/png;base64,AAAA"),
        file("image/tiff", `data:image/tiff;base64,${dot}`),
        file("image/png", "data:image/png;base64,%"),
        file("text/plain", `data:text/plain;base64,${Buffer.from("grüß").toString("base64")}`),
        file("text/plain", "data:text/plain,a%20b"),
        file("image/png", "data:image/png;base64,"),
        file("image/png", "https://example.com/x.png"),
      ]),
    )
    expect(message?.content).toEqual([
      { type: "file", mediaType: "image/png", filename: "f", data: { type: "data", data: dot } },
      { type: "text", text: "[The file f (image/tiff) was left out: this model does not take such files]" },
      { type: "text", text: "[The file f (image/png) was left out: it is no picture or document that can be read]" },
      { type: "file", mediaType: "image/png", filename: "f", data: { type: "data", data: dot } },
      { type: "text", text: "[The file f (image/png) was left out: it is no picture or document that can be read]" },
      { type: "text", text: '<file name="f">\ngrüß\n</file>' },
      { type: "text", text: '<file name="f">\na b\n</file>' },
      { type: "text", text: "[The file f is empty]" },
      { type: "text", text: "[The file f could not be attached: https://example.com/x.png]" },
    ])
  })
})

describe("assistant messages", () => {
  test("a call and its result become two messages", () => {
    expect(convert(assistant([text("Look:"), done("a.ts")]))).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Look:" },
          { type: "tool-call", toolCallId: "call_1", toolName: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "call_1", toolName: "bash", output: { type: "text", value: "a.ts" } },
        ],
      },
    ])
  })

  test("every call has a result, whatever its state", () => {
    const states: ToolPart["state"][] = [
      { status: "pending", input: {}, raw: "" },
      { status: "running", input: {}, time: { start: 1 } },
      { status: "error", input: {}, error: "no such file", time: { start: 1, end: 2 } },
    ]
    const results = states.map((state) => convert(assistant([tool(state)]))[1]?.content)
    const output = (value: string) => [
      { type: "tool-result", toolCallId: "call_1", toolName: "bash", output: { type: "error-text", value } },
    ]
    expect(results).toEqual([
      output("[Tool execution was interrupted]"),
      output("[Tool execution was interrupted]"),
      output("no such file"),
    ] as never)
  })

  test("a cleared result says so", () => {
    const [, results] = convert(assistant([done("long", { time: { start: 1, end: 2, compacted: 3 } })]))
    expect(JSON.stringify(results)).toContain("[Old tool result content cleared]")
    expect(JSON.stringify(results)).not.toContain("long")
  })

  test("a name that no protocol takes is replaced in call and result", () => {
    const messages = convert(
      assistant([tool({ status: "error", input: {}, error: "x", time: { start: 1, end: 1 } }, { tool: "rm -rf /" })]),
    )
    expect(JSON.stringify(messages)).not.toContain("rm -rf")
    expect(messages.map((message) => message.role)).toEqual(["assistant", "tool"])
  })

  test("reasoning goes back to its own model with what the provider signed, and to no other", () => {
    const thought: Part = {
      ...base(),
      type: "reasoning",
      text: "hm",
      time: { start: 1, end: 2 },
      metadata: { anthropic: { signature: "sig" } },
    }
    const own = convert(assistant([thought, text("so")]))
    expect(own[0]?.content[0]).toEqual({
      type: "reasoning",
      text: "hm",
      providerOptions: { anthropic: { signature: "sig" } },
    })
    const other = convert(
      assistant([thought, text("so", { metadata: { openai: { itemId: "1" } } })], { modelID: "other" }),
    )
    expect(other).toEqual([{ role: "assistant", content: [{ type: "text", text: "so" }] }])
  })

  test("unfinished thoughts and texts, and messages of reasoning alone, are dropped", () => {
    const thought = (metadata: Record<string, unknown>): Part => ({
      ...base(),
      type: "reasoning",
      text: "hm",
      time: { start: 1, end: 2 },
      metadata,
    })
    expect(convert(assistant([thought({ unfinished: true }), text("half", { ignored: true })]))).toEqual([])
    expect(convert(assistant([thought({})]))).toEqual([])
    expect(convert(assistant([thought({ unfinished: true }), done("x")]))[0]?.content).toHaveLength(1)
  })

  test("attachments that the model does not take leave one text, not an answer for each piece", () => {
    const file = (mime: string, base64: string) => ({
      ...base(),
      type: "file" as const,
      mime,
      filename: "f",
      url: `data:${mime};base64,${base64}`,
    })
    const attachments = [file("image/tiff", "SUkqAA=="), file("application/pdf", "JVBERi0xLjQ=")]
    const [, results] = convert(assistant([done("two files", { attachments })]))
    expect(results?.content).toMatchObject([{ output: { type: "text" } }])
    expect(JSON.stringify(results?.content).split("was left out")).toHaveLength(3)
    const [, mixed] = convert(assistant([done("two files", { attachments: [...attachments, file("image/png", dot)] })]))
    expect(mixed?.content[0]).toMatchObject({
      output: { type: "content", value: [{ type: "text" }, { type: "file" }] },
    })
  })

  test("attachments of a result go along", () => {
    const image = { ...base(), type: "file" as const, mime: "image/png", url: `data:image/png;base64,${dot}` }
    const [, results] = convert(assistant([done("an image", { attachments: [image] })]))
    expect(results?.content[0]).toMatchObject({
      output: { type: "content", value: [{ type: "text" }, { type: "file" }] },
    })
  })
})

test("messages are converted once, and later requests begin with the earlier ones", () => {
  const context = createContext(target, { opening: [], tail: [], since: [user([text("hi")])] })
  const first = context.messages()
  context.push(assistant([done("x")]))
  const second = context.messages()
  expect(second.slice(0, first.length)).toEqual(first)
  expect(second[0]).toBe(first[0]!)
  expect(context.converted).toBe(2)
})

test("a stored message converts whatever its data URL holds", () => {
  const file = (url: string): Part => ({ ...base(), type: "file", mime: "text/plain", filename: "a.txt", url })
  const sent = JSON.stringify(convert(user([file("data:text/plain,100% %zz"), file("data:text/plain,a%20b")])))
  expect(sent).toContain("100% %zz")
  expect(sent).toContain("a b")
})

test("media from before a compaction are named, not sent again", () => {
  const image = {
    ...base(),
    type: "file" as const,
    mime: "image/png",
    filename: "dot.png",
    url: `data:image/png;base64,${dot}`,
  }
  const context = createContext(target, { opening: [], tail: [user([image])], since: [user([image])] })
  const [before, since] = context.messages()
  expect(JSON.stringify(before)).toContain("dot.png (image/png) was left out")
  expect(since).toMatchObject({ content: [{ type: "file", mediaType: "image/png" }] })
})

test("a call that a provider ran itself goes back to that model only", () => {
  const executed = { ...done("hits"), metadata: { providerExecuted: true } }
  const message = assistant([text("I searched."), executed])
  expect(JSON.stringify(convert(message))).toContain("tool-call")
  const other = JSON.stringify(convert(assistant([text("I searched."), executed], { modelID: "other" })))
  expect(other).toContain("I searched.")
  expect(other).not.toContain("tool-call")
  expect(other).not.toContain("hits")
})

test("an id that the protocol refuses is replaced in every request alike, also for the model that made it", () => {
  const strict: Target = { ...target, callIDs: /^[a-zA-Z0-9_-]+$/ }
  const calls = ["functions.read:0", "functions.read:1", "toolu_1"].map((callID) => ({ ...done("out"), callID }))
  const idsFor = (to: Target, ...messages: MessageWithParts[]) =>
    createContext(to, { opening: [], tail: [], since: messages })
      .messages()
      .flatMap(({ role, content }) => (role === "assistant" ? content : []))
      .flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
  const ids = idsFor(strict, user([text("go")]), assistant(calls))
  expect(ids).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/), "toolu_1"])
  expect(new Set(ids).size).toBe(3)
  expect(idsFor(strict, user([text("go")]), assistant(calls), user([text("more")]), assistant([]))).toEqual(ids)
  expect(idsFor(target, user([text("go")]), assistant(calls))).toEqual(calls.map(({ callID }) => callID))
})
