import { expect, test } from "bun:test"
import { toolResults } from "@cairn/testkit/request"
import { chunked, cutStream, finish, text, toolCall } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const weak = { quirks: ["text-tools", "think-tags"] }
const written = (name: string, args: object) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`
interface ChatMessage {
  role: string
  content?: string | null
  tool_call_id?: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

test("a model that writes its calls into text does the main job", async () => {
  await using made = await bench(
    [
      [
        chunked(7),
        text(`<think>\nWhere is it?\n</think>\n\nLet me look.\n${written("read", { file_path: "src/sum.ts" })}`),
      ],
      [
        text(
          "<function=edit>\n<parameter=filePath>\nsrc/sum.ts\n</parameter>\n<parameter=oldString>\na - b\n</parameter>\n" +
            "<parameter=newString>\na + b\n</parameter>\n</function>\n</tool_call>",
          { chunks: 20 },
        ),
      ],
      [text('```json\n{"name": "Bash", "arguments": {"command": "cat src/sum.ts", "timeout": "5000"}}\n```\n')],
      [text("Fixed: sum adds now.")],
    ],
    { files: { "src/sum.ts": "export const sum = (a: number, b: number) => a - b\n" }, model: weak },
  )
  const outcome = await made.prompt("Fix sum")
  expect(outcome).toMatchObject({ reason: "done", text: "Fixed: sum adds now.", denied: 0 })
  expect(await made.workspace.read("src/sum.ts")).toContain("a + b")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])

  const parts = made.engine
    .messages(outcome.sessionID)
    .flatMap((message) => (message.info.role === "assistant" ? message.parts : []))
  expect(parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []))).toEqual(["Where is it?"])
  expect(parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual([
    "Let me look.\n",
    "Fixed: sum adds now.",
  ])
  expect(parts.flatMap((part) => (part.type === "step-finish" ? [part.reason] : []))).toEqual([
    ...["tool-calls", "tool-calls", "tool-calls"],
    "stop",
  ])

  const { requests } = made.server
  expect(requests).toHaveLength(4)
  expectPrefixes(requests.map((request) => request.body))
  // What goes back is a proper call with its result, and none of the text that it was recovered from.
  const { messages } = requests[3]!.body as { messages: ChatMessage[] }
  const called = messages.flatMap((message) => message.tool_calls ?? [])
  expect(called.map((call) => call.function.name)).toEqual(["read", "edit", "bash"])
  const answered = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))
  expect(answered).toEqual(called.map((call) => call.id))
  expect(new Set(answered).size).toBe(3)
  for (const { role, content } of messages) if (role === "assistant") expect(content ?? "").not.toMatch(/<|```|"name"/)
  expect(toolResults(requests[1]!)[0]?.output).toContain("a - b")
  expect(toolResults(requests[3]!).at(-1)?.output).toContain("a + b")
})

test("several calls of one text run, one of an unknown tool is told the names", async () => {
  await using made = await bench(
    [[text(`${written("bash", { command: "echo one" })}\n${written("open_file", { path: "a" })}`)], [text("I see.")]],
    { model: weak },
  )
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "done", text: "I see." })
  const results = toolResults(made.server.requests[1]!).map((result) => result.output)
  expect(results[0]).toContain("one")
  expect(results[1]).toContain('There is no tool named "open_file"')
  expect(results[1]).toContain("Available: bash, read")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a call that the output limit cut is refused and changes nothing", async () => {
  const cut = written("write", { filePath: "a.txt", content: "first half and much more" }).slice(0, -40)
  await using made = await bench([[text(cut), finish("length")], [text("Smaller then.")]], {
    model: weak,
    files: { "a.txt": "kept\n" },
  })
  const outcome = await made.prompt("write it")
  expect(await made.workspace.read("a.txt")).toBe("kept\n")
  const errors = made.engine
    .messages(outcome.sessionID)
    .flatMap((message) => message.parts)
    .flatMap((part) => (part.type === "tool" && part.state.status === "error" ? [part.state.error] : []))
  expect(errors).toEqual([expect.stringContaining("break off inside a string")])
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("a stream that dies within a written call runs nothing of it, and the step is tried again", async () => {
  const half = written("bash", { command: "echo x >> ran.txt" })
  await using made = await bench([[text(half.slice(0, -20)), cutStream()], [text(half)], [text("Ran.")]], {
    model: weak,
  })
  const outcome = await made.prompt("go")
  expect(outcome).toMatchObject({ reason: "done", text: "Ran." })
  expect(await made.workspace.read("ran.txt")).toBe("x\n")
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
})

test("without the quirk text stays text, and native calls of such a model work beside written ones", async () => {
  const call = written("bash", { command: "echo x > ran.txt" })
  await using plain = await bench([[text(call)]])
  expect(await plain.prompt("go")).toMatchObject({ reason: "done", text: call })
  expect(await plain.workspace.exists("ran.txt")).toBe(false)

  await using mixed = await bench(
    [[text(written("bash", { command: "echo one" })), toolCall("bash", { command: "echo two" })], [text("Both.")]],
    { model: weak },
  )
  const outcome = await mixed.prompt("go")
  expect(outcome.text).toBe("Both.")
  const outputs = toolResults(mixed.server.requests[1]!).map((result) => result.output)
  expect(outputs.join()).toContain("one")
  expect(outputs.join()).toContain("two")
  expect(problemsOf(mixed, outcome.sessionID)).toEqual([])
})

test("a call that a file or the user brought in and the model repeats is not run", async () => {
  const call = written("bash", { command: "echo x > ran.txt" })
  await using made = await bench(
    [[text(written("read", { filePath: "notes.md" }))], [text(`The notes say:\n\n${call}`)], [text(call)]],
    { model: weak, files: { "notes.md": `# Notes\n${call}\n` } },
  )
  const { sessionID, ...outcome } = await made.prompt("read the notes")
  expect(outcome).toMatchObject({ reason: "done" })
  expect(outcome.text).toContain(call)
  expect(await made.prompt(`say this:\n${call}`, { sessionID })).toMatchObject({ reason: "done", text: call })
  expect(made.server.requests).toHaveLength(3)
  expect(await made.workspace.exists("ran.txt")).toBe(false)
  expect(problemsOf(made, sessionID)).toEqual([])
})
