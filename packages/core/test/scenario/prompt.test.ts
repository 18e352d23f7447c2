import { describe, expect, test } from "bun:test"
import { offeredTools, systemText, type CapturedRequest, type WireProtocol } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { type BenchOptions, bench, problemsOf } from "./harness.ts"

/** As the design counts: bytes of the system text and of the tools' JSON, by four. */
function tokensOf(request: CapturedRequest): number {
  const { tools } = request.body as { tools: unknown }
  return (Buffer.byteLength(systemText(request)) + Buffer.byteLength(JSON.stringify(tools))) / 4
}

/** The first request of a session whose user can be asked, so that every default tool is offered. */
async function firstRequest(options: BenchOptions): Promise<CapturedRequest> {
  await using made = await bench([[text("Hello.")]], options)
  const outcome = await made.prompt("hi", { asks: "wait" })
  expect(outcome.reason).toBe("done")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
  return made.server.requests[0]!
}

interface Kind {
  readonly id: string
  readonly protocol: WireProtocol
  /** Words that only this base has. */
  readonly says: string
  readonly edits: "edit" | "apply_patch"
}

const kinds: readonly Kind[] = [
  { id: "claude-opus-4-6", protocol: "anthropic", says: "Two plain lines beat an abstraction", edits: "edit" },
  { id: "gpt-5.2", protocol: "responses", says: "You are on your own here", edits: "apply_patch" },
  { id: "gpt-4o", protocol: "chat", says: "You are on your own here", edits: "edit" },
  { id: "gpt-5.3-codex", protocol: "responses", says: "Asked for a review", edits: "apply_patch" },
  { id: "gemini-3-pro-preview", protocol: "google", says: "Act; do not describe", edits: "edit" },
  { id: "qwen3-coder", protocol: "chat", says: "never written as text, JSON or XML", edits: "edit" },
  { id: "somebody-1", protocol: "chat", says: "Look before you change. Find with", edits: "edit" },
]

describe("the budget of system prompt and tools, on the wire", () => {
  for (const { id, protocol, says, edits } of kinds) {
    test(`${id} over ${protocol}: at most 3,000 tokens`, async () => {
      const request = await firstRequest({ protocol, model: { id } })
      expect(tokensOf(request)).toBeLessThanOrEqual(3_000)
      expect(systemText(request)).toContain(says)
      expect(systemText(request)).toContain(`Model: test/scripted`)
      const offered = offeredTools(request)
      expect(offered).toContain(edits)
      expect(offered).not.toContain(edits === "edit" ? "apply_patch" : "edit")
      for (const name of ["bash", "read", "glob", "grep", "todowrite", "question"]) expect(offered).toContain(name)
      expect(systemText(request).includes("apply_patch")).toBe(edits === "apply_patch")
    })

    test(`${id} over ${protocol}, small: at most 1,500 tokens`, async () => {
      const request = await firstRequest({ protocol, model: { id, profile: "small" } })
      expect(tokensOf(request)).toBeLessThanOrEqual(1_500)
      expect(systemText(request)).toContain("One step at a time")
      const offered = offeredTools(request)
      for (const name of ["bash", "read", "glob", "grep", edits]) expect(offered).toContain(name)
      expect(offered).not.toContain("todowrite")
    })
  }

  test("a context of 32k is small, and so is a model on this machine of which nothing is known", async () => {
    const short = await firstRequest({ model: { limit: { context: 32_768, output: 4_000 } } })
    expect(systemText(short)).toContain("One step at a time")
    const unknown = await firstRequest({ model: { id: "qwen3:8b", limit: undefined } })
    expect(systemText(unknown)).toContain("One step at a time")
    const told = await firstRequest({ model: { id: "qwen3:8b", limit: { context: 131_072, output: 8_000 } } })
    expect(systemText(told)).not.toContain("One step at a time")
  })

  test("a tool that is not offered to a small model works when it is called all the same", async () => {
    const todos = { todos: [{ content: "look", status: "in_progress", priority: "high" }] }
    await using made = await bench([[toolCall("todowrite", todos)], [text("Done.")]], { model: { profile: "small" } })
    const outcome = await made.prompt("go")
    expect(outcome).toMatchObject({ reason: "done" })
    expect(JSON.stringify(made.log(outcome.sessionID))).toContain('"todo.updated"')
  })
})

describe("assembly", () => {
  test("base, environment, instructions, and last what the agent says", async () => {
    await using made = await bench([[text("Ahoy.")]], {
      files: { "AGENTS.md": "Use tabs." },
      config: { agent: { build: { prompt: "Speak like a sailor." } } },
    })
    await made.prompt("hi")
    const system = systemText(made.server.requests[0]!)
    const marks = [
      "You are Cairn",
      "# Always",
      "<environment>",
      "<project-instructions",
      "Use tabs.",
      "Speak like a sailor.",
    ]
    const places = marks.map((mark) => system.indexOf(mark))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(Math.min(...places)).toBe(0)
    expect(system).toEndWith("Speak like a sailor.")
  })

  test("the static block is the same in another project, byte for byte; the date is in neither", async () => {
    const fixed: unknown[] = []
    for (const words of ["one", "two"]) {
      await using made = await bench([[text("Hello.")]], { protocol: "anthropic", files: { "AGENTS.md": words } })
      await made.prompt("hi")
      const { system } = made.server.requests[0]!.body as { system: { text: string }[] }
      expect(system).toHaveLength(2)
      expect(system[1]!.text).toContain(words)
      expect(JSON.stringify(system)).not.toMatch(/20\d\d-\d\d-\d\d/)
      fixed.push(system[0]!.text)
    }
    expect(fixed[0]).toBe(fixed[1])
  })

  test("the same prompt in a second session, and after a restart, has the same bytes", async () => {
    await using made = await bench([[text("1")], [text("2")], [text("3")]], { files: { "AGENTS.md": "Use tabs." } })
    const { sessionID } = await made.prompt("hi")
    await made.prompt("hi")
    await made.restart()
    await made.prompt("hi", { sessionID })
    const [first, second, third] = made.server.requests.map(systemText)
    expect(second).toBe(first)
    expect(third).toBe(first)
  })
})
