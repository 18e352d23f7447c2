import { describe, expect, test } from "bun:test"
import type { PromptPart } from "@cairn/schema/prompt"
import type { CapturedRequest, WireProtocol } from "@cairn/testkit/request"
import { offeredTools, systemText, toolResults, userTexts } from "@cairn/testkit/request"
import { redactedReasoning, reasoning, status, text, toolCall } from "@cairn/testkit/scenario"
import { type Bench, bench, problemsOf } from "./harness.ts"

const providers: Record<WireProtocol, string> = {
  chat: "chat",
  anthropic: "claude",
  responses: "gpt",
  google: "gemini",
}
const protocols = Object.keys(providers) as WireProtocol[]
const pairs = protocols.flatMap((from) => protocols.filter((to) => to !== from).map((to) => [from, to] as const))

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const picture: PromptPart = {
  type: "file",
  mime: "image/png",
  filename: "dot.png",
  url: `data:image/png;base64,${png}`,
}
const sees = { attachment: true, reasoning: true, modalities: { input: ["text", "image", "pdf"] } }

/** A turn with everything that one provider may give and another must not get: thoughts, signatures, ids of its own form. */
const rich = (from: WireProtocol, id: string) => [
  [
    reasoning("a private thought", { signature: "c2lnbmF0dXJl" }),
    text("I look at both."),
    redactedReasoning("ZW5jcnlwdGVk"),
    toolCall("read", { filePath: "a.txt" }, { id: idOf(from, id) }),
    toolCall("read", { filePath: "dot.png" }, { id: `${idOf(from, id)}-2` }),
  ],
  [text("Both are fine.")],
]
/** Anthropic's own are narrow; others give what Anthropic refuses. */
const idOf = (from: WireProtocol, id: string) => (from === "anthropic" ? `toolu_${id}` : `functions.read:${id}`)

const callIDs: Record<WireProtocol, RegExp> = {
  chat: /"tool_calls":\[\{"id":"([^"]*)"/g,
  anthropic: /"type":"tool_use","id":"([^"]*)"/g,
  responses: /"type":"function_call","call_id":"([^"]*)"/g,
  google: /"functionCall":\{"id":"([^"]*)"/g,
}

async function session(first: WireProtocol, replies: Parameters<typeof bench>[0], model = sees): Promise<Bench> {
  const made = await bench(replies, { protocol: first, model, files: { "a.txt": "content of a\n" } })
  await Bun.write(`${made.workspace.dir}/dot.png`, Buffer.from(png, "base64"))
  return made
}

/** Nothing in it that only the model that made it can read. */
function expectClean(request: CapturedRequest): void {
  for (const secret of [
    "a private thought",
    "c2lnbmF0dXJl",
    "encrypted-thought",
    "functions.read:",
    "odd/id",
    "itemId",
  ])
    expect(request.text).not.toContain(secret)
  const sent = [...request.text.matchAll(callIDs[request.protocol])].map(([, id]) => id)
  for (const id of sent) expect(id).toMatch(/^[\w-]{1,64}$/)
}

describe.each(pairs)("from %s to %s", (from, to) => {
  test("calls, results and pictures go over, thoughts and signatures do not, and back again", async () => {
    await using made = await session(from, [...rich(from, "0"), ...rich(to, "1"), [text("Back.")]])
    const first = await made.prompt("look", { provider: providers[from], files: [picture] })
    const { sessionID } = first
    const second = await made.prompt("look again", { provider: providers[to], sessionID })
    const third = await made.prompt("and now?", { provider: providers[from], sessionID })
    expect([first.reason, second.reason, third.text]).toEqual(["done", "done", "Back."])

    const [, , switched, , back] = made.server.requests
    expect(switched!.protocol).toBe(to)
    expectClean(switched!)
    expect(toolResults(switched!).map(({ output }) => output)).toEqual([
      expect.stringContaining("content of a"),
      expect.stringContaining("dot.png"),
    ])
    // The prompt's own, and that of the result.
    expect(switched!.text.split(png)).toHaveLength(3)
    expect(switched!.text).toContain("I look at both.")
    expect(userTexts(switched!).join("\n")).toContain("look again")

    // What the first model said is its own again; what the other one said is not.
    expect(back!.protocol).toBe(from)
    expect(toolResults(back!)).toHaveLength(4)
    expect(back!.text.split("Both are fine.")).toHaveLength(3)
    expect(back!.text).toContain(`"${idOf(from, "0")}"`)
    expect(back!.text).not.toContain(`"${idOf(to, "1")}"`)
    expect(back!.text.includes("c2lnbmF0dXJl")).toBe(from !== "chat")
    expect(problemsOf(made, sessionID)).toEqual([])
  })
})

test.each(protocols)("a model of %s that takes no pictures gets words in their place", async (to) => {
  await using made = await session("anthropic", [...rich("anthropic", "0"), [text("I cannot see.")], [text("A dot.")]])
  const { sessionID } = await made.prompt("look", { files: [picture] })
  const said = await made.prompt("what is it?", { provider: providers[to], model: "blind", sessionID })
  expect(said.text).toBe("I cannot see.")
  const blind = made.server.requests[2]
  expect(blind!.text).not.toContain(png)
  expect(blind!.text.split("dot.png (image/png) was left out: this model does not take such files")).toHaveLength(3)
  expectClean(blind!)
  expect((await made.prompt("and you?", { provider: providers[to], sessionID })).text).toBe("A dot.")
  expect(made.server.requests[3]!.text.split(png)).toHaveLength(3)
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("the same ids in every answer are no obstacle to a provider that wants them distinct", async () => {
  const same = [toolCall("read", { filePath: "a.txt" }, { id: "call_0" })]
  await using made = await session("chat", [same, same, [text("Read.")], [text("Yes.")]])
  const { sessionID } = await made.prompt("read twice", { provider: "chat" })
  expect(new Set(toolResults(made.server.requests[2]!).map(({ callID }) => callID)).size).toBe(2)
  const over = await made.prompt("and?", { provider: "gpt", sessionID })
  expect(over.text).toBe("Yes.")
  expect(new Set(toolResults(made.server.requests[3]!).map(({ callID }) => callID)).size).toBe(2)
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("another agent in mid-conversation brings its own prompt, tools and rules, and the calls of the first stay", async () => {
  const looker = { prompt: "You only look.", permission: { edit: "deny", bash: "deny" } }
  const replies = [
    [toolCall("write", { filePath: "b.txt", content: "b" })],
    [text("Written.")],
    [toolCall("edit", { filePath: "b.txt", oldString: "b", newString: "c" })],
    [text("I only look.")],
    [text("Again.")],
  ]
  await using made = await bench(replies, { protocol: "anthropic", config: { agent: { looker } } })
  const { sessionID } = await made.prompt("write it", { agent: "build" })
  const looked = await made.prompt("change it", { agent: "looker", sessionID })
  expect(looked.text).toBe("I only look.")
  const [first, built, looking, refused] = made.server.requests
  expect(offeredTools(looking!)).toEqual(expect.arrayContaining(["read", "grep"]))
  for (const tool of ["bash", "write", "edit"]) expect(offeredTools(looking!)).not.toContain(tool)
  expect(systemText(looking!)).toContain("You only look.")
  expect(systemText(built!)).not.toContain("You only look.")
  expect(toolResults(refused!)[0]!.output).toEqual(toolResults(built!)[0]!.output)
  expect(toolResults(refused!)[1]!.output).toContain("There is no tool")
  expect(await made.workspace.read("b.txt")).toBe("b")
  const again = await made.prompt("go on", { agent: "build", sessionID })
  expect(again.text).toBe("Again.")
  const last = made.server.requests[4]!
  expect([offeredTools(last), systemText(last)]).toEqual([offeredTools(first!), systemText(first!)])
  const agents = made.engine.messages(sessionID).map(({ info }) => info.agent)
  expect(agents).toEqual(["build", "build", "build", "looker", "looker", "looker", "build", "build"])
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a picture that the provider refuses is left out from then on, and said", async () => {
  const refusal = status(400, {
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}',
  })
  await using made = await session("anthropic", [refusal, [text("Without it, then.")], [text("Fine.")]])
  const { sessionID, reason, error } = await made.prompt("look", { files: [picture] })
  expect(reason).toBe("error")
  expect(error).toMatchObject({ data: { message: expect.stringContaining("Could not process image") } })
  expect(await made.prompt("go on", { sessionID })).toMatchObject({ reason: "done", text: "Without it, then." })
  const [first, second] = made.server.requests
  expect(first!.text).toContain(png)
  expect(second!.text).not.toContain(png)
  expect(second!.text).toContain("dot.png (image/png) was left out: the provider refused a request with it")
  // Somebody else may take it.
  expect(await made.prompt("and you?", { sessionID, provider: "gpt" })).toMatchObject({ reason: "done" })
  expect(made.server.requests[2]!.text).toContain(png)
  expect(problemsOf(made, sessionID)).toEqual([])
})
