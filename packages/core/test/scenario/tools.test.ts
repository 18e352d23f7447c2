import { expect, test } from "bun:test"
import { offeredTools, systemText, toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

const patch = `*** Begin Patch
*** Update File: a.txt
@@
-one
+two
*** Add File: b.txt
+new
*** End Patch`

test("GPT gets apply_patch instead of edit and write, others do not", async () => {
  await using gpt = await bench([[toolCall("apply_patch", { patchText: patch })], [text("Done.")]], {
    files: { "a.txt": "one\n" },
    model: { id: "gpt-5" },
  })
  const outcome = await gpt.prompt("Change it")
  expect(outcome.reason).toBe("done")
  expect(await gpt.workspace.read("a.txt")).toBe("two\n")
  expect(await gpt.workspace.read("b.txt")).toBe("new\n")
  expect(problemsOf(gpt, outcome.sessionID)).toEqual([])
  const offered = offeredTools(gpt.server.requests[0]!)
  expect(offered).toContain("apply_patch")
  expect(offered).not.toContain("edit")
  expect(offered).not.toContain("write")

  await using other = await bench([[text("Hi.")]])
  await other.prompt("hi")
  expect(offeredTools(other.server.requests[0]!)).toEqual([
    "bash",
    "read",
    "write",
    "edit",
    "glob",
    "grep",
    "todowrite",
  ])
})

test("the first request is within its budget of 3,000 tokens", async () => {
  for (const id of ["scripted", "gpt-5"]) {
    await using made = await bench([[text("Hi.")]], { model: { id } })
    await made.prompt("hi")
    const request = made.server.requests[0]!
    const { tools } = request.body as { tools: unknown }
    const bytes = Buffer.byteLength(systemText(request)) + Buffer.byteLength(JSON.stringify(tools))
    expect(bytes / 4).toBeLessThan(3_000)
    expect(bytes / 4).toBeGreaterThan(500)
  }
})

test("a task list is kept with the session", async () => {
  const todos = [{ content: "look", status: "completed", priority: "high" }]
  await using made = await bench([[toolCall("todowrite", { todos })], [text("Noted.")]])
  const { sessionID } = await made.prompt("plan")
  expect(toolResults(made.server.requests[1]!)[0]!.output).toContain("[x] look")
  const stored = made.log(sessionID).find(({ event }) => event.type === "todo.updated")
  expect(stored?.event.properties).toMatchObject({ todos })
  expect((await made.engine.verify()).problems).toEqual([])
})

test("plan looks and does not write, whatever the user allows", async () => {
  await using made = await bench(
    [
      [
        toolCall("write", { filePath: "x.txt", content: "x" }),
        toolCall("bash", { command: "echo x > x.txt" }),
        toolCall("edit", { filePath: "a.txt", oldString: "one", newString: "two" }),
      ],
      [text("I may not.")],
    ],
    { files: { "a.txt": "one\n" }, config: { permission: { edit: "allow", bash: "allow" } } },
  )
  const outcome = await made.prompt("try", { agent: "plan" })
  expect(outcome.reason).toBe("done")
  expect(await made.workspace.exists("x.txt")).toBe(false)
  expect(await made.workspace.read("a.txt")).toBe("one\n")
})
