import { expect, test } from "bun:test"
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { createNet } from "../../net/net.ts"
import { callModel } from "../call.ts"
import { tokensOf } from "../usage.ts"
import { demoModel } from "./demo.ts"

const tour = join(import.meta.dir, "../../../../../examples/tour")
const context = {
  signal: new TaskGroup().signal,
  clock: systemClock,
  net: createNet({ env: {}, log: silentLog, clock: systemClock }),
  log: silentLog,
}
const tools = ["read", "bash", "edit"].map((name) => ({
  name,
  description: name,
  inputSchema: { type: "object" as const },
}))

interface Result {
  readonly value: string
  readonly failed?: boolean
}
type Execute = (tool: string, input: Record<string, string>) => Promise<Result>
interface Played {
  readonly text: string
  readonly calls: readonly { readonly tool: string; readonly input: Record<string, string> }[]
  readonly steps: number
}

async function step(messages: LanguageModelV4Message[], offered = tools, system = "You are a coding agent.") {
  const model = demoModel("tour")
  if (!model) throw new Error("no demo")
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of callModel(
    model,
    { system: [system], messages, tools: offered, maxOutputTokens: 8_000 },
    context,
  ))
    parts.push(part)
  return parts
}

const textOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")

/** The loop around the model, as small as it can be, with real results. */
async function play(prompt: string, execute: Execute): Promise<Played> {
  const messages: LanguageModelV4Message[] = [{ role: "user", content: [{ type: "text", text: prompt }] }]
  const calls: { tool: string; input: Record<string, string> }[] = []
  for (let steps = 1; steps <= 20; steps++) {
    const parts = await step(messages)
    const made = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []))
    if (made.length === 0) return { text: textOf(parts), calls, steps }
    const content: Extract<LanguageModelV4Content, { type: "text" }>[] = [{ type: "text", text: textOf(parts) }]
    messages.push({
      role: "assistant",
      content: [
        ...content,
        ...made.map((part) => ({
          type: "tool-call" as const,
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          input: JSON.parse(part.input) as unknown,
        })),
      ],
    })
    for (const part of made) {
      const input = JSON.parse(part.input) as Record<string, string>
      calls.push({ tool: part.toolName, input })
      const { value, failed } = await execute(part.toolName, input)
      const output = failed ? { type: "error-text" as const, value } : { type: "text" as const, value }
      messages.push({
        role: "tool",
        content: [{ type: "tool-result", toolCallId: part.toolCallId, toolName: part.toolName, output }],
      })
    }
  }
  throw new Error("the tour does not end")
}

/** Real files and real processes; the texts roughly as the tools give them. `npm test` is Bun's runner here, which is quicker. */
function workshop(directory: string, npm = `${process.execPath} test ./test/basket.mjs ./test/discount.mjs`): Execute {
  return async (tool, input) => {
    const path = resolve(directory, input["filePath"] ?? ".")
    if (tool === "bash") {
      const command = input["command"] === "npm test" ? npm : (input["command"] ?? "")
      const child = Bun.spawn(["/bin/sh", "-c", command], { cwd: directory, stdout: "pipe", stderr: "pipe" })
      const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { value: `${out}${error}\nexit code ${code}` }
    }
    const content = await readFile(path, "utf8")
    if (tool === "read")
      return {
        value: content
          .split("\n")
          .map((line, at) => `${String(at + 1).padStart(5, "0")}| ${line}`)
          .join("\n"),
      }
    const parts = content.split(input["oldString"] ?? "")
    if (parts.length !== 2) return { value: "oldString was not found exactly once", failed: true }
    await writeFile(path, parts.join(input["newString"] ?? ""))
    return { value: "The file was changed." }
  }
}

async function inCopy<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "cairn-tour-")))
  try {
    await cp(tour, directory, { recursive: true })
    return await run(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

const question = "The tests of this project fail. Find out why, mend it, and show that they pass."

test("the tour mends the project from what the tools really say, and reports real numbers", async () => {
  await inCopy(async (directory) => {
    const work = workshop(directory, "npm test")
    const { text, calls } = await play(question, work)
    expect(calls.filter((call) => call.tool === "bash").map((call) => call.input["command"])).toEqual([
      "npm test",
      "npm test",
    ])
    expect(calls.filter((call) => call.tool === "edit").map((call) => call.input["filePath"])).toEqual([
      join(directory, "src/discount.mjs"),
      join(directory, "src/basket.mjs"),
    ])
    expect(await readFile(join(directory, "src/discount.mjs"), "utf8")).toContain("1 - percent / 100")
    expect(text).toContain("all 5 tests pass; 3 of 5 failed before")
    expect(text).toContain("scripted model")
    expect(text).toContain("ANTHROPIC_API_KEY")
  })
}, 30_000)

test("without npm it finds another way to run the tests", async () => {
  await inCopy(async (directory) => {
    const real = workshop(directory)
    const work: Execute = (tool, input) =>
      input["command"] === "npm test"
        ? Promise.resolve({ value: "sh: 1: npm: not found\nexit code 127" })
        : real(tool, input)
    const { text, calls } = await play(question, work)
    expect(calls.flatMap((call) => (call.tool === "bash" ? [call.input["command"]] : []))).toEqual([
      "npm test",
      "node --test",
      "node --test",
    ])
    expect(text).toContain("all 5 tests pass")
  })
}, 30_000)

test("a project that is already whole is left alone", async () => {
  await inCopy(async (directory) => {
    const work = workshop(directory)
    await play(question, work)
    const { text, calls } = await play(question, work)
    expect(calls.map((call) => call.tool)).toEqual(["read", "bash"])
    expect(text).toContain("nothing to mend")
  })
}, 30_000)

test("a denied command, a denied edit: it says so and does not claim success", async () => {
  await inCopy(async (directory) => {
    const real = workshop(directory)
    const deny =
      (denied: string): Execute =>
      (tool, input) =>
        tool === denied ? Promise.resolve({ value: "The user rejected this.", failed: true }) : real(tool, input)
    const noShell = await play(question, deny("bash"))
    expect(noShell.text).toContain("The user rejected this.")
    expect(noShell.calls.map((call) => call.tool)).toEqual(["read", "bash"])
    const noEdit = await play(question, deny("edit"))
    expect(noEdit.text).toContain("3 tests still fail")
    expect(noEdit.text).not.toContain("Done")
  })
}, 30_000)

test("failures of another kind end honestly", async () => {
  await inCopy(async (directory) => {
    await writeFile(join(directory, "src/discount.mjs"), "export const discounted = () => 1\n")
    await writeFile(join(directory, "src/basket.mjs"), "export const total = () => 1\n")
    const { text, calls } = await play(question, workshop(directory))
    expect(calls.some((call) => call.tool === "edit")).toBe(false)
    expect(text).toContain("not by a mistake that my script knows")
  })
}, 30_000)

test("another project is not touched, and nothing is run in it", async () => {
  const { text, calls } = await play("Fix the failing tests", (tool) =>
    Promise.resolve({ value: tool === "read" ? '1: {"name": "other"}' : "" }),
  )
  expect(calls.map((call) => call.tool)).toEqual(["read"])
  expect(text).toContain("not the tour project")
})

test("another request is answered honestly, without tools", async () => {
  const { text, calls } = await play("Write a poem", () => Promise.resolve({ value: "" }))
  expect(calls).toEqual([])
  expect(text).toContain("scripted model")
  expect(text).toContain("ANTHROPIC_API_KEY")
})

test("text comes in several deltas, usage from what was really sent", async () => {
  const message = (text: string): LanguageModelV4Message[] => [{ role: "user", content: [{ type: "text", text }] }]
  const parts = await step(message("Write a poem"))
  expect(parts.filter((part) => part.type === "text-delta").length).toBeGreaterThan(3)
  const tokens = async (text: string) => {
    const finish = (await step(message(text))).find((part) => part.type === "finish")
    return tokensOf(finish?.type === "finish" ? finish.usage : undefined)
  }
  const [short, long] = [await tokens("hi"), await tokens("hi".repeat(400))]
  expect(long.input - short.input).toBeGreaterThanOrEqual(199)
  expect(long.input - short.input).toBeLessThanOrEqual(201)
  expect(short.output).toBeGreaterThan(20)
})

test("side calls get a title or a summary, and an agent without the tools is told", async () => {
  const messages: LanguageModelV4Message[] = [
    { role: "user", content: [{ type: "text", text: "Fix the tests\nplease" }] },
  ]
  expect(textOf(await step(messages, [], "Write a title for the conversation."))).toBe("Fix the tests")
  expect(textOf(await step(messages, [], "Summarise."))).toContain("1 messages")
  expect(textOf(await step(messages, tools.slice(0, 1)))).toContain("bash, edit")
})
