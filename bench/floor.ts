// The floor: the least program that does the same work. It streams from the same server, runs the same tools, and
// checks and stores nothing. `floor --version`, or `floor <baseURL> <prompt>` in the directory to work in.
import { readFile, writeFile } from "node:fs/promises"

interface Call {
  id: string
  function: { name: string; arguments: string }
}
interface Frame {
  choices: { delta?: { content?: string; tool_calls?: (Call & { index: number })[] } }[]
}
interface Answer {
  content: string
  calls: Call[]
}

const names: Record<string, string[]> = {
  read: ["filePath"],
  edit: ["filePath", "oldString", "newString"],
  bash: ["command"],
}
const tools = Object.entries(names).map(([name, required]) => {
  const properties = Object.fromEntries(required.map((field) => [field, { type: "string" }]))
  return {
    type: "function",
    function: { name, description: name, parameters: { type: "object", properties, required } },
  }
})

async function stream(baseURL: string, messages: unknown[]): Promise<Answer> {
  const body = JSON.stringify({ model: "model", stream: true, messages, tools })
  const headers = { "content-type": "application/json", authorization: "Bearer floor" }
  const response = await fetch(`${baseURL}/chat/completions`, { method: "POST", headers, body })
  if (!response.ok || !response.body) throw new Error(`the model answered ${response.status}`)
  const answer: Answer = { content: "", calls: [] }
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: {")) take(JSON.parse(line.slice(6)) as Frame, answer)
  }
  return answer
}

function take(frame: Frame, answer: Answer): void {
  const delta = frame.choices[0]?.delta ?? {}
  if (delta.content) answer.content += delta.content
  for (const { index, id, function: part } of delta.tool_calls ?? []) {
    const known = (answer.calls[index] ??= { id, function: { name: part.name, arguments: "" } })
    known.function.arguments += part.arguments
  }
}

async function run({ name, arguments: json }: Call["function"]): Promise<string> {
  const { filePath, oldString, newString, command } = JSON.parse(json)
  if (name === "bash") {
    const child = Bun.spawn(["/bin/bash", "-c", command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const [out, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return `${out}${problem}\n[exit code ${code}]`
  }
  const text = await readFile(filePath, "utf8")
  if (name === "read") return text.replace(/^/gm, "0| ")
  await writeFile(
    filePath,
    text.replace(oldString, () => newString),
  )
  return `Edited ${filePath}.`
}

async function loop(baseURL: string, prompt: string): Promise<void> {
  const messages: unknown[] = [
    { role: "system", content: "You are an agent." },
    { role: "user", content: prompt },
  ]
  while (true) {
    const { content, calls } = await stream(baseURL, messages)
    if (content) process.stdout.write(`${content}\n`)
    if (calls.length === 0) return
    messages.push({ role: "assistant", content, tool_calls: calls.map((call) => ({ type: "function", ...call })) })
    for (const call of calls) messages.push({ role: "tool", tool_call_id: call.id, content: await run(call.function) })
  }
}

const [first = "", prompt = ""] = process.argv.slice(2)
if (first === "--version") console.log("floor")
else await loop(first, prompt)
